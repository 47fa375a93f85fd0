/* restore.c - find damage in a picture, fill it and remove noise
 *
 *     restore PICTURE RESULT
 *
 * Build:  cc restore.c -o restore $(pkg-config --cflags --libs tessera)
 */
#include <stdio.h>
#include <tessera.h>

static gboolean
restore (TesseraContext *context, TesseraImage *image, GError **error)
{
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .noise = TESSERA_NOISE_ESTIMATE };
  TesseraRestoreReport report = { .size = sizeof report };
  TesseraMask *damage = tessera_find_damage (context, image, NULL, error);
  gboolean ok =
    damage != NULL
    && tessera_restore (context, image, damage, &options, &report, error);

  if (ok)
    printf ("filled %zu pixels, removed noise of level %.1f\n",
            report.filled_pixels, report.sigma);
  tessera_mask_free (damage);
  return ok;
}

int
main (int argc, char **argv)
{
  TesseraContext *context;
  TesseraImage *image;
  GError *error = NULL;
  gboolean ok;

  if (argc != 3) {
    fprintf (stderr, "usage: restore PICTURE RESULT\n");
    return 2;
  }
  context = tessera_context_new (0);
  image = tessera_image_read (argv[1], NULL, &error);
  ok = image != NULL && restore (context, image, &error)
       && tessera_image_write (image, argv[2], NULL, &error);
  if (!ok) {
    fprintf (stderr, "restore: %s\n", error->message);
    g_error_free (error);
  }
  tessera_image_free (image);
  tessera_context_free (context);
  return ok ? 0 : 1;
}
