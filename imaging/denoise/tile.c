/* tile.c - the pixels of a tile, with a halo around it */
#include "imaging/denoise/denoiseprivate.h"

#include "imaging/halve.h"

void
tile_read_pixel (const Denoise *d, Planes *planes, int x, int y, int from_x,
                 int from_y)
{
  const Image *image = d->from;
  gsize i = (gsize) from_y * (gsize) image->width + (gsize) from_x;
  float scale = 1 / (float) image_peak (image);
  gboolean hidden = image_is_transparent (image, i);

  for (int c = 0; c < planes->channels; c++) {
    int colour = c % d->colours;
    float *to = planes_at (planes, c, x, y);

    *to = hidden ? d->hidden[colour]
                 : (float) image_pixel (image, from_x, from_y)[colour] * scale;
    if (d->half.clean != NULL)
      *to += halved_difference (d->half.noisy, d->half.clean, colour, from_x,
                                from_y);
  }
}

gboolean
tile_init (Tile *tile, const Denoise *d, int channels, GError **error)
{
  int width = d->from->width, height = d->from->height;
  int right = MIN (tile->right + d->halo, width);
  int bottom = MIN (tile->bottom + d->halo, height);

  tile->x = MAX (0, tile->left - d->halo);
  tile->y = MAX (0, tile->top - d->halo);
  right = MAX (right, tile->x + d->least);
  bottom = MAX (bottom, tile->y + d->least);
  tile->noisy =
    planes_new (right - tile->x, bottom - tile->y, channels, error);
  if (tile->noisy == NULL)
    return FALSE;
  tile->clean =
    planes_new (right - tile->x, bottom - tile->y, channels, error);
  if (tile->clean == NULL)
    return FALSE;
  for (int y = tile->y; y < bottom; y++)
    for (int x = tile->x; x < right; x++)
      tile_read_pixel (d, tile->noisy, x - tile->x, y - tile->y,
                       reflected (x, width), reflected (y, height));
  return TRUE;
}

void
tile_clear (Tile *tile)
{
  planes_free (tile->noisy);
  planes_free (tile->clean);
}

/* Mean of the planes that represent @colour. */
static float
read_back (const Tile *tile, int colours, int colour, int x, int y)
{
  int repeats = 0;
  float sum = 0;

  for (int c = colour; c < tile->clean->channels; c += colours, repeats++)
    sum += *planes_at (tile->clean, c, x - tile->x, y - tile->y);
  return sum / (float) repeats;
}

void
tile_write (const Denoise *d, const Tile *tile)
{
  for (int y = tile->top; y < tile->bottom; y++)
    for (int x = tile->left; x < tile->right; x++) {
      gsize i = (gsize) y * (gsize) d->to->width + (gsize) x;

      if (image_is_transparent (d->from, i))
        continue;
      for (int c = 0; c < image_colours (d->to); c++)
        image_pixel (d->to, x, y)[c] = planes_to_sample (
          d->to, read_back (tile, d->colours, c % d->colours, x, y));
      image_avoid_key (d->to, i);
    }
}
