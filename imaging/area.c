#include "imaging/area.h"

#include "base/error.h"

#include <string.h>

/* Patches that look alike are searched for up to about 64 pixels away, also in
 * the smaller pictures from which coarse noise is removed; the texture of large
 * holes comes from further away. */
#define LEAST_MARGIN 64
#define MOST_MARGIN 256

/* Blocks of 8 x 8 whose colours were kept at half the size. */
#define GRID 16

gboolean
area_check (const ImageArea *area, int width, int height, GError **error)
{
  return (area->x >= 0 && area->y >= 0 && area->width >= 1 && area->height >= 1
          && area->width <= width - area->x
          && area->height <= height - area->y)
         || tessera_fail (error, TESSERA_ERROR_INPUT,
                          "the part %d,%d,%dx%d is not inside the picture, "
                          "which has %d x %d pixels",
                          area->x, area->y, area->width, area->height, width,
                          height);
}

ImageArea
area_widened (const ImageArea *area, int margin, int width, int height)
{
  int left = MAX (0, area->x - margin), top = MAX (0, area->y - margin);
  int right = MIN (width, area->x + area->width + margin);
  int bottom = MIN (height, area->y + area->height + margin);

  return (ImageArea){ left, top, right - left, bottom - top };
}

ImageArea
area_with_surroundings (const ImageArea *area, int width, int height)
{
  int margin = CLAMP (MAX (area->width, area->height) / 2, LEAST_MARGIN,
                      MOST_MARGIN);
  ImageArea wide = area_widened (area, margin, width, height);
  int left = wide.x / GRID * GRID, top = wide.y / GRID * GRID;
  int right = (width - wide.x - wide.width) / GRID * GRID;
  int bottom = (height - wide.y - wide.height) / GRID * GRID;

  return (ImageArea){ left, top, width - left - right, height - top - bottom };
}

/* ---- rows ---- */

/* Copies @area row by row: @size bytes per pixel, @from is the pixel of its
 * corner, @to where that goes; the strides are in pixels. */
static void
copy_rows (const ImageArea *area, gsize size, gconstpointer from,
           int from_stride, gpointer to, int to_stride)
{
  for (int y = 0; y < area->height; y++)
    memcpy ((guint8 *) to + (gsize) y * (gsize) to_stride * size,
            (const guint8 *) from + (gsize) y * (gsize) from_stride * size,
            (gsize) area->width * size);
}

static gsize
pixel_number (int width, int x, int y)
{
  return (gsize) y * (gsize) width + (gsize) x;
}

static gsize
pixel_size (const Image *image)
{
  return (gsize) image->channels * sizeof *image->samples;
}

Image *
image_cut (const Image *image, const ImageArea *area, GError **error)
{
  Image *part = image_new_like (image, area->width, area->height, error);

  if (part == NULL)
    return NULL;
  copy_rows (area, pixel_size (image), image_pixel (image, area->x, area->y),
             image->width, part->samples, part->width);
  if (image->palette != NULL)
    copy_rows (area, 1,
               image->palette->index
                 + pixel_number (image->width, area->x, area->y),
               image->width, part->palette->index, part->width);
  return part;
}

/* The palette and its indices stay: they belong to the file, and what became of
 * the colours is found out when it is written. */
void
image_paste (Image *image, const ImageArea *area, const Image *part, int x,
             int y)
{
  g_return_if_fail (image->channels == part->channels);

  copy_rows (area, pixel_size (image),
             image_pixel (part, area->x - x, area->y - y), part->width,
             image_pixel (image, area->x, area->y), image->width);
}

Mask *
mask_cut (const Mask *mask, const ImageArea *area, GError **error)
{
  Mask *part = mask_new (area->width, area->height, error);

  if (part != NULL)
    copy_rows (area, 1,
               mask->missing + pixel_number (mask->width, area->x, area->y),
               mask->width, part->missing, part->width);
  return part;
}

void
mask_paste (Mask *mask, const ImageArea *area, const Mask *part, int x, int y)
{
  copy_rows (area, 1,
             part->missing
               + pixel_number (part->width, area->x - x, area->y - y),
             part->width,
             mask->missing + pixel_number (mask->width, area->x, area->y),
             mask->width);
}

void
mask_add_part (Mask *mask, const ImageArea *area, const Mask *part)
{
  for (int y = 0; y < area->height; y++) {
    guint8 *to = mask->missing
                 + (gsize) (area->y + y) * (gsize) mask->width + area->x;
    const guint8 *from = part->missing + (gsize) y * (gsize) part->width;

    for (int x = 0; x < area->width; x++)
      to[x] = mask_both (to[x], from[x]);
  }
}

gsize
mask_count_in (const Mask *mask, const ImageArea *area)
{
  gsize count = 0;

  for (int y = area->y; y < area->y + area->height; y++) {
    const guint8 *row = mask->missing + pixel_number (mask->width, area->x, y);

    for (int x = 0; x < area->width; x++)
      count += row[x] != 0;
  }
  return count;
}

void
mask_keep (Mask *mask, const ImageArea *area)
{
  for (int y = 0; y < mask->height; y++) {
    guint8 *row = mask->missing + pixel_number (mask->width, 0, y);

    if (y < area->y || y >= area->y + area->height) {
      memset (row, 0, (gsize) mask->width);
      continue;
    }
    memset (row, 0, (gsize) area->x);
    memset (row + area->x + area->width, 0,
            (gsize) (mask->width - area->x - area->width));
  }
}
