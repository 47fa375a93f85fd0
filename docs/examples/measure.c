/* measure.c - damage a clean picture, find the damage, restore it, score it
 *
 *     measure PICTURE
 *
 * Build:  cc measure.c -o measure $(pkg-config --cflags --libs tessera)
 */
#include <stdio.h>
#include <tessera.h>

/* Prints how much of the damage was found, in pixels. */
static void
print_found (const TesseraMask *truth, const TesseraMask *found)
{
  int width = tessera_mask_width (truth);
  size_t size = (size_t) width * (size_t) tessera_mask_height (truth);
  uint8_t *a = g_malloc (size), *b = g_malloc (size);
  size_t both = 0;

  tessera_mask_get (truth, a, width);
  tessera_mask_get (found, b, width);
  for (size_t i = 0; i < size; i++)
    both += a[i] != 0 && b[i] != 0;
  printf ("damaged %zu, found %zu, rightly %zu\n", tessera_mask_count (truth),
          tessera_mask_count (found), both);
  g_free (a);
  g_free (b);
}

/* Restores a damaged copy of @clean from what is found in it alone. */
static gboolean
measure (TesseraContext *context, const TesseraImage *clean, GError **error)
{
  TesseraDamageOptions damage = {
    .size = sizeof damage, .block_side = 10, .block_count = 9, .seed = 1
  };
  TesseraFindOptions find = { .size = sizeof find, .kinds = "blocks" };
  TesseraScore before = { .size = sizeof before };
  TesseraScore after = { .size = sizeof after };
  TesseraMask *truth = NULL, *found = NULL;
  TesseraImage *image = tessera_damage (clean, &damage, &truth, error);
  gboolean ok;

  if (image != NULL)
    found = tessera_find_damage (context, image, &find, error);
  ok = found != NULL && tessera_score (clean, image, truth, &before, error)
       && tessera_restore (context, image, found, NULL, NULL, error)
       && tessera_score (clean, image, truth, &after, error);
  if (ok) {
    print_found (truth, found);
    printf ("PSNR %.2f -> %.2f dB, SSIM %.4f -> %.4f\n", before.psnr,
            after.psnr, before.ssim, after.ssim);
  }
  tessera_mask_free (truth);
  tessera_mask_free (found);
  tessera_image_free (image);
  return ok;
}

int
main (int argc, char **argv)
{
  TesseraContext *context;
  TesseraImage *clean;
  GError *error = NULL;
  gboolean ok;

  if (argc != 2) {
    fprintf (stderr, "usage: measure PICTURE\n");
    return 2;
  }
  context = tessera_context_new (0);
  clean = tessera_image_read (argv[1], NULL, &error);
  ok = clean != NULL && measure (context, clean, &error);
  if (!ok) {
    fprintf (stderr, "measure: %s\n", error->message);
    g_error_free (error);
  }
  tessera_image_free (clean);
  tessera_context_free (context);
  return ok ? 0 : 1;
}
