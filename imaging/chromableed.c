#include "imaging/chromableed.h"

#include "base/error.h"
#include "base/parallel.h"
#include "imaging/planes.h"

#include <math.h>

/* Where sound pixels are looked for, and s; r where white is 1. */
#define REACH 8
#define NEARNESS 3.f
#define LIKENESS (10 / 255.f)

/* Rows that a thread takes at a time. */
#define ROWS 16

enum { BRIGHTNESS, BLUE, RED, PLANES };

gboolean
image_has_chroma_cells (const Image *image)
{
  return image_colours (image) == 3
         && (image->meta.cell_width > 1 || image->meta.cell_height > 1);
}

/* ---- which pixels are touched ---- */

static void
touch_around (Mask *touched, const Mask *missing, int x, int y, int across,
              int down)
{
  for (int v = MAX (y - down, 0); v <= MIN (y + down, touched->height - 1);
       v++)
    for (int u = MAX (x - across, 0);
         u <= MIN (x + across, touched->width - 1); u++) {
      gsize i = (gsize) v * (gsize) touched->width + (gsize) u;

      if (missing->missing[i] == 0)
        touched->missing[i] = MASK_PIXEL;
    }
}

Mask *
chroma_bleed_find (const Image *image, const Mask *missing, GError **error)
{
  const ImageMeta *meta = &image->meta;
  gboolean is_turned = meta->orientation > 4;
  int width = is_turned ? meta->cell_height : meta->cell_width;
  int height = is_turned ? meta->cell_width : meta->cell_height;
  int across = width > 1 ? width : 0, down = height > 1 ? height : 0;
  Mask *touched = mask_new (missing->width, missing->height, error);

  if (touched == NULL || !image_has_chroma_cells (image))
    return touched;
  for (int y = 0; y < missing->height; y++)
    for (int x = 0; x < missing->width; x++)
      if (missing->missing[(gsize) y * (gsize) missing->width + (gsize) x])
        touch_around (touched, missing, x, y, across, down);
  return touched;
}

/* ---- their colours ---- */

typedef struct {
  Image *image;
  const Mask *touched;
  const guint8 *is_sound; /* one per pixel */
  float nearness[REACH + 1];
} Bleed;

/* Y, B - Y and R - Y of a pixel, where white is 1. */
static inline void
get_pixel (const Image *image, int x, int y, float pixel[PLANES])
{
  const guint16 *rgb = image_pixel (image, x, y);
  float scale = 1 / (float) image_peak (image);
  float red = scale * (float) rgb[0], blue = scale * (float) rgb[2];

  pixel[BRIGHTNESS] =
    0.299f * red + 0.587f * scale * (float) rgb[1] + 0.114f * blue;
  pixel[BLUE] = blue - pixel[BRIGHTNESS];
  pixel[RED] = red - pixel[BRIGHTNESS];
}

/* Green is what keeps the brightness. */
static void
set_pixel (Image *image, int x, int y, const float pixel[PLANES])
{
  guint16 *rgb = image_pixel (image, x, y);
  float bright = pixel[BRIGHTNESS];
  float green = -(0.114f * pixel[BLUE] + 0.299f * pixel[RED]) / 0.587f;

  rgb[0] = planes_to_sample (image, bright + pixel[RED]);
  rgb[1] = planes_to_sample (image, bright + green);
  rgb[2] = planes_to_sample (image, bright + pixel[BLUE]);
  image_avoid_key (image, (gsize) y * (gsize) image->width + (gsize) x);
}

static void
recolour (const Bleed *bleed, int x, int y)
{
  const Image *image = bleed->image;
  float pixel[PLANES], sums[PLANES] = { 0 }; /* of weights, for brightness */

  get_pixel (image, x, y, pixel);
  for (int v = MAX (y - REACH, 0); v <= MIN (y + REACH, image->height - 1);
       v++)
    for (int u = MAX (x - REACH, 0); u <= MIN (x + REACH, image->width - 1);
         u++) {
      float other[PLANES], unlike, weight;

      if (!bleed->is_sound[(gsize) v * (gsize) image->width + (gsize) u])
        continue;
      get_pixel (image, u, v, other);
      unlike = (other[BRIGHTNESS] - pixel[BRIGHTNESS]) / LIKENESS;
      weight = 1 / (1 + unlike * unlike);
      weight *=
        weight * bleed->nearness[ABS (u - x)] * bleed->nearness[ABS (v - y)];
      sums[BRIGHTNESS] += weight;
      sums[BLUE] += weight * other[BLUE];
      sums[RED] += weight * other[RED];
    }
  if (sums[BRIGHTNESS] <= 0)
    return;
  pixel[BLUE] = sums[BLUE] / sums[BRIGHTNESS];
  pixel[RED] = sums[RED] / sums[BRIGHTNESS];
  set_pixel (bleed->image, x, y, pixel);
}

/* Pixels that change are not sound, so that none is read by others. */
static void
recolour_rows (int chunk, int worker, gpointer data)
{
  const Bleed *bleed = data;
  const Image *image = bleed->image;

  (void) worker;
  for (int y = chunk * ROWS; y < MIN ((chunk + 1) * ROWS, image->height); y++)
    for (int x = 0; x < image->width; x++) {
      gsize i = (gsize) y * (gsize) image->width + (gsize) x;

      if (bleed->touched->missing[i] != 0 && !image_is_transparent (image, i))
        recolour (bleed, x, y);
    }
}

gboolean
image_undo_chroma_bleed (Image *image, const Mask *missing,
                         const Mask *touched, GError **error)
{
  gsize pixels = image_pixels (image);
  g_autofree guint8 *is_sound =
    tessera_try_new (guint8, pixels, "colors around marks", error);
  Bleed bleed = { .image = image, .touched = touched, .is_sound = is_sound };

  if (is_sound == NULL)
    return FALSE;
  for (gsize i = 0; i < pixels; i++)
    is_sound[i] = missing->missing[i] == 0 && touched->missing[i] == 0
                  && !image_is_transparent (image, i);
  for (int d = 0; d <= REACH; d++)
    bleed.nearness[d] = expf (-(float) (d * d) / (2 * NEARNESS * NEARNESS));
  parallel_for ((image->height + ROWS - 1) / ROWS, recolour_rows, &bleed, NULL,
                NULL);
  return TRUE;
}
