/* model.h - an orthonormal transform and the numbers that restore with it
 *
 * The picture is improved in a fixed number of rounds.  In each, all patches
 * of a grid, which overlap, are transformed, small codes are made smaller, and
 * the patches are put back and averaged:
 *
 *     x_k = u_k,  where samples are known:  u_k + return_k (y - u_k)  if noisy
 *                                           y                         if not
 *     c = D' x_k                                for each patch of x_k
 *     s_j = c_j q / (1 + q),   q = (c_j / t_j)^4
 *     w = (1 + a)^-sparse_k exp (-holes_k m),   a = sum of s_j / c_j
 *     V = the average of all D s, with the weights w
 *     u_k+1 = x_k + step_k (V - x_k)
 *
 * where y is the damaged picture, m the share of the samples of the patch that
 * are missing, and u_0 a blur of what is known (dictlearn/blurfill.h).  s is a
 * smooth form of keeping codes above t and dropping the others, which is what
 * the thresholding of the paper does; smooth, so that the gradient over t is
 * useful.  Atom j has in round k, for a patch with noise of deviation n,
 *
 *     t_j = exp (u_kj) + n exp (v_kj) + m exp (w_kj).
 *
 * So a round needs 3 numbers for each atom and 4 more, and D is orthonormal.
 */
#pragma once

#include "base/matrix.h"

#define TRANSFORM_MOST_SIDE 16
#define TRANSFORM_MOST_ROUNDS 32

/* The largest numbers of a model: of thresholds u, v and w, whose exponentials
 * are finite in float, and of what a round has beside them. */
#define TRANSFORM_MOST_LOGARITHM 80.f
#define TRANSFORM_MOST_NUMBER 100.f

typedef struct {
  int side;     /* of a patch, in pixels */
  int channels; /* 1 or 3 */
  int spacing;  /* from one patch to the next, 1 .. side */
  int rounds;
} TransformShape;

/* Thresholds of an atom in a round: u, v and w above. */
enum { LEVEL_ALWAYS, LEVEL_NOISE, LEVEL_MISSING, LEVEL_COUNT };

/* The other numbers of a round: step, return, sparse and holes above. */
enum { PACE_STEP, PACE_RETURN, PACE_SPARSE, PACE_HOLES, PACE_COUNT };

typedef struct TransformModel {
  TransformShape shape;
  MatF atoms;    /* D, n x n */
  float *levels; /* round after round, each LEVEL_COUNT times n */
  float *paces;  /* round after round, each PACE_COUNT */

  /* Where it comes from; NULL or 0 where that is not known. */
  char *options;
  guint64 seed;
  guint64 samples; /* pixels seen while learning */
} TransformModel;

static inline int
transform_length (const TransformShape *shape)
{
  return shape->side * shape->side * shape->channels;
}

/* How many levels and paces there are in all. */
static inline int
transform_level_count (const TransformShape *shape)
{
  return shape->rounds * LEVEL_COUNT * transform_length (shape);
}

static inline int
transform_pace_count (const TransformShape *shape)
{
  return shape->rounds * PACE_COUNT;
}

/* A model whose atoms are zero, with levels and paces to start from; the
 * caller owns it.  NULL with @error set: MEMORY. */
TransformModel *transform_model_new (const TransformShape *shape,
                                     GError **error);

/* The same with cosines. */
TransformModel *transform_model_cosines (const TransformShape *shape,
                                         GError **error);

/* @model may be NULL. */
void transform_model_free (TransformModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TransformModel, transform_model_free)

/* Level @which of round @round: one number for each atom. */
static inline float *
transform_level (const TransformShape *shape, float *levels, int round,
                 int which)
{
  return levels
         + (gsize) (round * LEVEL_COUNT + which)
             * (gsize) transform_length (shape);
}

/* Whether all numbers are within the bounds above. */
gboolean transform_model_is_bounded (const TransformModel *model);
