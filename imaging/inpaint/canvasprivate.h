/* canvasprivate.h - what a Canvas holds, for the files that it is made of */
#pragma once

#include "base/error.h"
#include "imaging/inpaint/canvas.h"

struct Canvas {
  const Image *image;
  const Mask *asked; /* what is written back */
  Mask *missing;     /* that, and what is hidden near it */
  int channels;
  int reach;
  int block; /* rows per block, at least the reach */
  int block_count;
  GArray **spans;    /* of each block, Span */
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

/* The packed samples of the first missing pixel of row @y at or right of
 * column @x. */
static inline float *
packed_from (const Canvas *canvas, int x, int y)
{
  gsize number = canvas->row_starts[y]
                 + count_missing_in (mask_row (canvas->missing, y), x);

  return canvas->values + number * (gsize) canvas->channels;
}
