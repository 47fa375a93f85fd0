/* canvasprivate.h - what a Canvas holds, for the files that it is made of */
#pragma once

#include "base/error.h"
#include "imaging/inpaint/canvas.h"

#include <string.h>

/* Rows that are loaded alike. */
#define STRIP 8

struct Canvas {
  const Image *image;
  const Mask *asked; /* what is written back */
  Mask *missing;     /* that, and what is hidden near it */
  int channels;
  int reach;
  int block; /* rows per block, at least the reach */
  int block_count;
  GArray **spans;    /* of each block, Span */
  GArray **strips;   /* of each STRIP rows, Span */
  gsize *counts;     /* missing pixels of each block */
  gsize *unfilled;   /* those of them that have no value yet */
  gsize *row_starts; /* packed number of the first missing pixel of each row,
                        and of the end */
  float *values;     /* channels of each missing pixel; NaN until filled */
};

static inline const guint8 *
mask_row (const Mask *mask, int y)
{
  return mask->missing + (gsize) y * (gsize) mask->width;
}

static inline int
colour_of_channel (const Canvas *canvas, int channel)
{
  return channel % image_colours (canvas->image);
}

/* "Not enough memory to work on this picture"; returns FALSE. */
static inline gboolean
canvas_lacks_memory (const Image *image, GError **error)
{
  return tessera_fail (error, TESSERA_ERROR_MEMORY,
                       "not enough memory to work on %d x %d pixels",
                       image->width, image->height);
}

/* How many of the first @count pixels of a row are missing. */
static inline gsize
count_missing_in (const guint8 *row, int count)
{
  gsize sum = 0;

  for (int i = 0; i < count; i++)
    sum += row[i] != 0;
  return sum;
}

/* The first column from @x on that is missing, or @right. */
static inline int
next_missing (const guint8 *missing, int x, int right)
{
  guint64 eight = 0;

  for (; x + 8 <= right; x += 8) {
    memcpy (&eight, missing + x, 8);
    if (eight != 0)
      break;
  }
  while (x < right && !missing[x])
    x++;
  return x;
}

/* The packed samples of the first missing pixel of row @y at or right of
 * column @x. */
static inline float *
packed_from (const Canvas *canvas, int x, int y)
{
  gsize number = canvas->row_starts[y]
                 + count_missing_in (mask_row (canvas->missing, y), x);

  return canvas->values + number * (gsize) canvas->channels;
}
