/* covershape.h - the shape of a mark, from what each of its pixels says
 *
 * A mark covers the picture fully inside and in part along its soft edge:
 *
 *     cover = A s,    s = clamp (depth / EDGE + 1/2, 0, 1),
 *
 * with the depth of a pixel below the outline.  Along a scratch the outline is
 * a band around a parabola; that of a speck is a star, r = R (angle), R being
 * a sum of cosines up to the third.  Its few numbers are fitted by damped
 * least squares to the covers that were measured pixel by pixel, so s is much
 * more exact than any of these.
 */
#pragma once

#include <glib.h>

/* The most pixels of a shape. */
#define SHAPE_PIXELS 320

typedef struct {
  double x, y;
  double cover;  /* as measured, in any unit */
  double weight; /* 1 / variance of that */
} CoverPoint;

typedef struct {
  gboolean is_line;
  double dx, dy; /* of a line: its direction, of length 1 */
  double share[SHAPE_PIXELS];    /* s of each point, 0 .. 1 */
  double depth[SHAPE_PIXELS];    /* of each point, in pixels below the outline */
  double variance[SHAPE_PIXELS]; /* of A s, in the unit of the covers */
} CoverShape;

/* Fits a shape to @count points, 1 .. SHAPE_PIXELS. */
void cover_shape_fit (const CoverPoint *points, int count, CoverShape *shape);
