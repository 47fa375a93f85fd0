/* orient.c - the eight ways in which EXIF lets a picture be stored */
#include "imaging/codec/orient.h"

#include <string.h>

/* Where a turned picture takes its pixels from, counted in pixels: its first
 * pixel, and the steps for one pixel to the right and for one row down. */
typedef struct {
  gssize first, right, down;
  gsize width, height;
} Walk;

/* See the table in orient.h. */
static Walk
walk_upright (const Image *stored, int orientation)
{
  gssize columns = stored->width, rows = stored->height;
  gboolean swapped = orientation >= 5;
  gboolean last_column = orientation == 2 || orientation == 3
                         || orientation == 7 || orientation == 8;
  gboolean last_row = orientation == 3 || orientation == 4 || orientation == 6
                      || orientation == 7;
  gssize along_row = last_column ? -1 : 1;
  gssize along_column = last_row ? -columns : columns;

  return (Walk){
    .first =
      (last_column ? columns - 1 : 0) + (last_row ? (rows - 1) * columns : 0),
    .right = swapped ? along_column : along_row,
    .down = swapped ? along_row : along_column,
    .width = (gsize) (swapped ? rows : columns),
    .height = (gsize) (swapped ? columns : rows),
  };
}

/* Copies pixels of @bytes bytes each.  A constant size, in an inlined copy of
 * this function, makes memcpy() one or two instructions. */
static inline void
copy_walking (const Walk *walk, const guint8 *from, guint8 *to, gsize bytes)
{
  for (gsize y = 0; y < walk->height; y++) {
    gssize at = walk->first + (gssize) y * walk->down;

    for (gsize x = 0; x < walk->width; x++, at += walk->right, to += bytes)
      memcpy (to, from + at * (gssize) bytes, bytes);
  }
}

static void
turn_samples (const Walk *walk, const Image *from, Image *to)
{
  const guint8 *source = (const guint8 *) from->samples;
  guint8 *target = (guint8 *) to->samples;

  switch (from->channels) {
  case 1:
    copy_walking (walk, source, target, 1 * sizeof (guint16));
    break;
  case 2:
    copy_walking (walk, source, target, 2 * sizeof (guint16));
    break;
  case 3:
    copy_walking (walk, source, target, 3 * sizeof (guint16));
    break;
  default:
    copy_walking (walk, source, target, 4 * sizeof (guint16));
    break;
  }
}

Image *
orient_upright (const Image *stored, int orientation, GError **error)
{
  g_return_val_if_fail (orientation >= 1 && orientation <= 8, NULL);

  Walk walk = walk_upright (stored, orientation);
  Image *upright =
    image_new_like (stored, (int) walk.width, (int) walk.height, error);

  if (upright == NULL)
    return NULL;
  turn_samples (&walk, stored, upright);
  if (stored->palette != NULL)
    copy_walking (&walk, stored->palette->index, upright->palette->index, 1);
  return upright;
}

Image *
orient_stored (const Image *upright, int orientation, GError **error)
{
  /* A quarter turn is undone by the opposite one, every other orientation by
   * itself. */
  int inverse = orientation == 6 ? 8 : orientation == 8 ? 6 : orientation;

  return orient_upright (upright, inverse, error);
}

ImageArea
orient_known_area (const Image *image)
{
  int rows = image->meta.stored_rows;
  int w = image->width, h = image->height;

  if (rows <= 0)
    return image_area (image);
  switch (image->meta.orientation) {
  case 3:
  case 4:
    return (ImageArea){ 0, h - rows, w, rows };
  case 5:
  case 8:
    return (ImageArea){ 0, 0, rows, h };
  case 6:
  case 7:
    return (ImageArea){ w - rows, 0, rows, h };
  default:
    return (ImageArea){ 0, 0, w, rows };
  }
}
