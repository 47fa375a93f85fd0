/* mark.h - undo a mark, pixel by pixel
 *
 * Of a mark with the colour b, each pixel has two estimates of its cover a: one
 * by the shape of the mark, and one that makes
 *
 *     x = (y - a b) / (1 - a)
 *
 * the fill.  They are combined by their variances.  What is undone in this way
 * counts as much as it is certain, the fill as much as it is, and a result that
 * the fill rules out does not count.
 */
#pragma once

#include "imaging/veil/piece.h"

/* What a mark looks like. */
typedef struct {
  double cover, spread; /* A and its standard deviation */
  double colour[3];
} Mark;

/* By how much the covers of some pixels differ from the shape beyond what
 * errors of the fill explain, as a variance. */
double mark_misfit (const Mark *mark, const VeilScene *scene,
                    const PiecePixel *pixels, guint count);

/* The picture below @mark at @pixel of @piece, whose shape has that @misfit;
 * sets @out to levels of 8 bits. */
void mark_undo (const Mark *mark, const VeilScene *scene, const Piece *piece,
                const PiecePixel *pixel, double misfit, double out[3]);
