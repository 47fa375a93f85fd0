/* canvas.h - a picture while it is restored
 *
 * Known samples stay in the image; only the missing ones are kept here, packed
 * row after row, so that memory follows the hole.
 *
 * A pass over the picture goes from top to bottom through a window of rows.
 * Patches read the samples as they were before the pass and add their
 * predictions to sums; a row becomes sum / weight when no patch can reach it
 * any more.  So the order of the work has no influence, and no more than the
 * window is ever held as floats.  Rows are taken in blocks, and of each block
 * only the columns near something missing.
 */
#pragma once

#include "base/progress.h"
#include "imaging/mask.h"
#include "imaging/planes.h"

typedef struct Canvas Canvas;

/* The rows a pass is at.  Row y is row y % rows of each plane. */
typedef struct {
  const Canvas *canvas;
  int width, height; /* of the picture */
  int channels;
  int rows;
  float *values;  /* black is 0, white is 1 */
  float *trust;   /* 1 known, 0 not known, in between filled */
  float *totals;  /* of each pixel, of meaning where it is wanted: for each
                     channel the sum of the predictions of patches, times
                     their weights, and then of these weights */
  guint8 *wanted; /* a byte per pixel: one bit per channel that is to be set */
  guint64 *marks; /* a bit per pixel: whether something of it is wanted */
  int words;      /* of marks per row, one of them behind its end */
} RowWindow;

/* Which samples a pass sets. */
typedef enum { PASS_UNFILLED, PASS_MISSING } PassKind;

/* Called for a block of rows; codes the patches whose upper edge lies in rows
 * @top .. @bottom - 1 and touches a wanted pixel.  These may read and add to
 * rows as far as the canvas's reach away. */
typedef gboolean (*PassFunc) (RowWindow *window, int top, int bottom,
                              const Progress *progress, gpointer data,
                              GError **error);

/* A canvas for @image, whose pixels in @missing are to be filled; both must
 * outlive it.  It shows @channels planes, a multiple of the colours of
 * @image, which are repeated.  Patches and the paths between those that work
 * together span at most @reach pixels.
 *
 * Invisible pixels count as unknown.  Near something missing they are filled
 * too, but never written back.  Returns NULL with @error set (MEMORY) when
 * there is not enough memory. */
Canvas *canvas_new (const Image *image, const Mask *missing, int channels,
                    int reach, GError **error);

/* @canvas may be NULL. */
void canvas_free (Canvas *canvas);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Canvas, canvas_free)

int canvas_channels (const Canvas *canvas);

/* Number of missing pixels, with the hidden ones near them, and of those that
 * have no value yet. */
gsize canvas_missing (const Canvas *canvas);
gsize canvas_unfilled (const Canvas *canvas);

/* One pass.  FALSE, with @error set, when @func failed or for lack of memory;
 * the canvas is then unusable. */
gboolean canvas_pass (Canvas *canvas, PassKind kind, PassFunc func,
                      gpointer data, const Progress *progress, GError **error);

/* Gives what has no value yet the mean of what is known.  FALSE when nothing
 * is. */
gboolean canvas_fill_rest (Canvas *canvas);

/* Columns left .. right - 1. */
typedef struct {
  int left, right;
} Span;

/* The columns near something missing in the block that holds row @y, as an
 * array of Span from left to right. */
const GArray *canvas_spans (const Canvas *canvas, int y);

/* The columns that are loaded of row @y: those within reach of something
 * missing that is within reach of a few rows around it. */
const GArray *canvas_row_spans (const Canvas *canvas, int y);

/* Copies the picture, as it is now, from column @left and row @top on to
 * @values, and to @known 1 for each sample that is known and 0 for each that
 * is missing or invisible.  Both lie within the picture and have the channels
 * of the canvas; unfilled samples are 0. */
void canvas_read (const Canvas *canvas, int left, int top, Planes *values,
                  Planes *known);

/* How far missing samples move: those of pixels that are missing altogether,
 * and those of pixels of which some channel is known.  If @doubt is above 0,
 * the first ones move by less where they would change by more than that, by
 * the square of the ratio. */
typedef struct {
  float whole, partial;
  float doubt;
} MixShares;

/* Moves the missing samples there towards @values by a share.  All must have a
 * value. */
void canvas_mix (Canvas *canvas, int left, int top, const Planes *values,
                 MixShares shares);

/* Writes what was filled into @image, the one the canvas was made for. */
void canvas_write_back (const Canvas *canvas, Image *image);

/* ---- rows of a window ---- */

static inline gsize
row_window_offset (const RowWindow *window, int channel, int x, int y)
{
  return ((gsize) channel * (gsize) window->rows + (gsize) (y % window->rows))
           * (gsize) window->width
         + (gsize) x;
}

/* The number of a pixel in the window. */
static inline gsize
row_window_pixel (const RowWindow *window, int x, int y)
{
  return (gsize) (y % window->rows) * (gsize) window->width + (gsize) x;
}

/* The totals of that pixel: a sum for each channel, then their weights. */
static inline float *
row_window_totals (const RowWindow *window, gsize pixel)
{
  return window->totals + pixel * 2 * (gsize) window->channels;
}

static inline const guint8 *
row_window_wanted (const RowWindow *window, int x, int y)
{
  return window->wanted + (gsize) (y % window->rows) * (gsize) window->width
         + x;
}

/* Columns @x .. @x + 63 of row @y, as far as the picture goes: bit i is set if
 * something of pixel @x + i is wanted. */
static inline guint64
row_window_marks (const RowWindow *window, int x, int y)
{
  const guint64 *marks = window->marks
                         + (gsize) (y % window->rows) * (gsize) window->words
                         + x / 64;
  int shift = x % 64;

  return shift > 0 ? marks[0] >> shift | marks[1] << (64 - shift) : marks[0];
}
