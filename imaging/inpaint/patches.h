/* patches.h - patches out of the window of a canvas, and back with weights
 *
 * A place is the upper left corner of a patch.  A patch may extend beyond the
 * right and lower edge of a picture that is smaller than it; its samples there
 * have no weight.
 */
#pragma once

#include "imaging/inpaint/canvas.h"

typedef struct {
  int x, y;
} Place;

typedef struct {
  int patch; /* side of a patch */
  int step;  /* from one place to the next */
} PlaceGrid;

/* The places of a grid, with upper edge in rows @top .. @bottom - 1, whose
 * patches hold a wanted pixel, row after row, as an array of Place.  The grid
 * reaches all edges of the picture. */
GArray *patch_places (const RowWindow *window, const PlaceGrid *grid, int top,
                      int bottom);

/* The same with all places but those at the edges moved up and to the left by
 * @shift pixels, 0 .. step - 1. */
GArray *patch_places_shifted (const RowWindow *window, const PlaceGrid *grid,
                              int shift, int top, int bottom);

/* Copies the patch at @place of channels @first .. @first + @count - 1 into
 * @y, plane after plane, and the trust in its samples into @w.  Samples that
 * are not trusted, or beyond the edge, become zero. */
void patch_get (const RowWindow *window, Place place, int patch, int first,
                int count, float *y, float *w);

/* Copies all channels of the patch at @place, which lies within the picture,
 * plane after plane. */
void patch_copy (const RowWindow *window, Place place, int patch, float *y);

/* Adds @weight times the @channel-th plane @y of a patch, and @weight itself,
 * to the sums of the window, at least those of wanted pixels. */
void patch_add (RowWindow *window, Place place, int patch, int channel,
                const float *y, float weight);

/* Patches of all channels. */
typedef struct {
  RowWindow *window;
  int patch; /* side */
  int count;
  const Place *places;
  const float *samples; /* of each patch in turn, plane after plane */
  const float *weights;
} PatchBatch;

/* Adds those whose weight is above 0, as patch_add() would one after the
 * other, by several threads. */
void patches_add (PatchBatch *batch);
