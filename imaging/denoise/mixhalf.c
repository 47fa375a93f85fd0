/* mixhalf.c - low frequencies from a picture of half the size
 *
 * White noise has half its strength in a picture of half the size, and a patch
 * shows four times as much of the scene there.  So low frequencies are found
 * there independently, and about as well; the mean of both is better than
 * either.  With H for halving and U for linear interpolation, the result x and
 * that of half the size, z,
 *
 *     x  <-  x + w U (z - H x).
 */
#include "imaging/denoise/denoiseprivate.h"
#include "imaging/halve.h"

/* w.  Six bundled photographs, noise of 15, 25, 50, normal quality: 34.80, 32.08,
 * 28.74 dB with 0; 34.85, 32.15, 28.87 with 0.5; 34.84, 32.16, 28.89 with 0.7. */
#define SHARE 0.65f

/* The pixel at @x, @y of the picture of half the size in @z, less the mean of
 * those it takes the place of; 0 where none of them can be seen. */
static float
difference_at (const Denoise *d, const Tile *tile, int colour, int x, int y)
{
  const Image *from = d->from;
  float sum = 0, seen = 0;

  for (int i = 2 * y; i < MIN (2 * y + 2, from->height); i++)
    for (int j = 2 * x; j < MIN (2 * x + 2, from->width); j++)
      if (!image_is_transparent (from,
                                 (gsize) i * (gsize) from->width + (gsize) j)) {
        sum += *planes_at (tile->clean, colour, j - tile->x, i - tile->y);
        seen++;
      }
  return seen > 0 ? (float) image_pixel (d->coarse, x, y)[colour]
                        / (float) image_peak (d->coarse)
                      - sum / seen
                  : 0;
}

gboolean
tile_mix_half (const Denoise *d, const Tile *tile, GError **error)
{
  Planes *clean = tile->clean;
  int left = tile->x / 2, top = tile->y / 2;
  int right = MIN (tile->x + clean->width, d->from->width);
  int bottom = MIN (tile->y + clean->height, d->from->height);
  g_autoptr (Planes) half =
    planes_new ((right + 1) / 2 - left, (bottom + 1) / 2 - top,
                clean->channels, error);

  if (half == NULL)
    return FALSE;
  for (int c = 0; c < half->channels; c++) {
    for (int y = 0; y < half->height; y++)
      for (int x = 0; x < half->width; x++)
        *planes_at (half, c, x, y) =
          difference_at (d, tile, c, left + x, top + y);
    for (int y = tile->y; y < bottom; y++)
      for (int x = tile->x; x < right; x++)
        *planes_at (clean, c, x - tile->x, y - tile->y) +=
          SHARE * planes_between (half, c, x - 2 * left, y - 2 * top);
  }
  return TRUE;
}
