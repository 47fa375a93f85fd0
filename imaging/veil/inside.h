/* inside.h - undo the inside of a speck
 *
 * Below its soft edge a speck has one cover A and one colour, so that the
 * damaged picture there is the true one, paler and moved:  y = (1 - A) x + A b.
 * Where the fill has the mean m0 and the damaged picture m,
 *
 *     x = m0 + t (y - m),    t = 1 / (1 - A),
 *
 * with what opacity.h says of t.  The means are of the same pixels, those near
 * what is known count most.  The edge of a speck is not known exactly, and a
 * pixel of it that is taken for one of the inside would be far off: pixels that
 * differ from the fill much more than others do are left out.
 */
#pragma once

#include "imaging/veil/mark.h"
#include "imaging/veil/opacity.h"

typedef struct {
  const PiecePixel *pixel;
  double damaged[3], filled[3]; /* y, x0, levels of 8 bits */
} InsidePixel;

typedef struct {
  int count;
  InsidePixel pixels[SHAPE_PIXELS];
  double damaged_mean[3], filled_mean[3];
  MarkEvidence evidence;
  Opacity opacity;
} Inside;

/* Looks at @piece, of which @pixels are the pixels.  FALSE if it has no inside,
 * or is not one speck. */
gboolean inside_init (Inside *inside, const VeilScene *scene,
                      const Piece *piece, const PiecePixel *pixels);

/* What the speck looks like, once the opacity is settled. */
Mark inside_mark (const Inside *inside, int colours);

/* The picture below pixel @i, once the opacity is settled. */
void inside_undo (const Inside *inside, int colours, int i, double out[3]);
