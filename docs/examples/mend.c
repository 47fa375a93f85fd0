/* mend.c - fill what a mask marks in a picture
 *
 *     mend PICTURE MASK RESULT
 *
 * Build:  cc mend.c -o mend $(pkg-config --cflags --libs tessera)
 */
#include <stdio.h>
#include <tessera.h>

/* Called now and then; returning FALSE would stop the work. */
static gboolean
show_progress (double done, void *data)
{
  (void) data;
  fprintf (stderr, "\r%3.0f %%", 100 * done);
  return TRUE;
}

static gboolean
mend (TesseraContext *context, TesseraImage *image, TesseraImage *marks,
      GError **error)
{
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .progress = show_progress };
  TesseraRestoreReport report = { .size = sizeof report };
  TesseraMask *mask =
    tessera_mask_from_image (marks, TESSERA_MASK_AUTO, error);
  gboolean ok =
    mask != NULL
    && tessera_restore (context, image, mask, &options, &report, error);

  if (ok)
    fprintf (stderr, "\rfilled %zu pixels\n", report.filled_pixels);
  tessera_mask_free (mask);
  return ok;
}

int
main (int argc, char **argv)
{
  TesseraContext *context;
  TesseraImage *image, *marks = NULL;
  GError *error = NULL;
  gboolean ok;

  if (argc != 4) {
    fprintf (stderr, "usage: mend PICTURE MASK RESULT\n");
    return 2;
  }
  context = tessera_context_new (0);
  image = tessera_image_read (argv[1], NULL, &error);
  if (image != NULL)
    marks = tessera_image_read (argv[2], NULL, &error);
  ok = marks != NULL && mend (context, image, marks, &error)
       && tessera_image_write (image, argv[3], NULL, &error);
  if (!ok) {
    fprintf (stderr, "mend: %s\n", error->message);
    g_error_free (error);
  }
  tessera_image_free (marks);
  tessera_image_free (image);
  tessera_context_free (context);
  return ok ? 0 : 1;
}
