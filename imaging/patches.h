/* patches.h - patches out of a picture, and back with weights
 *
 * A place is the upper left corner of a patch.  A patch may stand out over the
 * edge of the picture; its samples there weigh nothing.
 */
#pragma once

#include "imaging/planes.h"

typedef struct {
  int x, y;
} Place;

typedef struct {
  int patch;  /* side of a patch */
  int step;   /* from one place to the next */
  int margin; /* how far patches stand out over the edge, 0 .. patch - 1 */
} PlaceGrid;

/* The places of a grid whose patches hold a pixel that is nonzero in @touch
 * (one byte a pixel), row after row, as an array of Place.  The grid always
 * reaches both edges. */
GArray *patch_places (const guint8 *touch, int width, int height,
                      const PlaceGrid *grid);

/* Copies the patch at @place of channels @first .. @first + @count - 1 into
 * @y, plane after plane, and the trust in its samples into @w.  Samples that
 * are not trusted, or beyond the edge, become zero. */
void patch_get (const Planes *planes, const Planes *trust, Place place,
                int patch, int first, int count, float *y, float *w);

/* Adds @weight times the patch @y to @sum at @place, and @weight itself to
 * @weights. */
void patch_add (Planes *sum, Planes *weights, Place place, int patch,
                int first, int count, const float *y, float weight);
