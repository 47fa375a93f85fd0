/* pngrows.h - the order in which a PNG stores its pixels
 *
 * A plain PNG has all rows from top to bottom.  An interlaced one has seven
 * passes, each of which is a small picture made of every n-th pixel.
 */
#pragma once

#include "imaging/image.h"

/* One row of a pass: every @step-th pixel of row @y, from column @x on. */
typedef struct {
  int x, y, step, columns;
} PngRow;

typedef void (*PngRowFunc) (const PngRow *row, gpointer user_data);

/* Calls @func for every row that a PNG of @image has, in the order of the
 * file. */
void pngrows_visit (const Image *image, PngRowFunc func, gpointer user_data);

/* The number, in @image, of the pixel in @column (0 .. columns - 1). */
static inline gsize
pngrow_pixel (const PngRow *row, const Image *image, int column)
{
  return (gsize) row->y * (gsize) image->width
         + (gsize) (row->x + column * row->step);
}
