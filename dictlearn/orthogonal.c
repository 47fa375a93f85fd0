/* orthogonal.c - orthonormal dictionary learning (the paper's Algorithm 1)
 *
 *     Y   n x p samples        D   n x n, orthonormal
 *     X   n x p codes          z   threshold
 *
 * Repeat   X = HT_z (D' Y),   D = Polar (Y X').
 * Both steps minimise
 *     |Y - D X|_F^2 + z^2 |X|_0
 * exactly, the first over X and the second over D, so that it never rises
 * while z stays.  The objective that is reported is this, per sample.
 *
 * With options.shrink the threshold falls from above every code (Algorithm 4);
 * while it falls, D stays as it is where no code is left.
 *
 * A step costs 4 n^2 p operations for the products and an SVD.
 */
#include "dictlearn/learner.h"

#include "base/polar.h"
#include "base/parallelgemm.h"
#include "base/spectral.h"
#include "dictlearn/thresholding.h"

#include <math.h>

/* Singular values below this share of the largest are ignored. */
#define SINGULAR 1e-10

typedef struct {
  Learner base;
  Mat D, old;
  Mat X; /* n x p */
  Mat M; /* n x n */
  Threshold threshold;
} Orthogonal;

static gboolean
orthogonal_start (Learner *base, GError **error)
{
  Orthogonal *self = (Orthogonal *) base;
  int n = base->n;

  self->D = mat_new (n, n);
  self->old = mat_new (n, n);
  self->M = mat_new (n, n);
  if (!mat_try_new (&self->X, n, base->Y.cols, error))
    return FALSE;
  return threshold_start_orthonormal (&self->threshold, base, &self->D,
                                      &self->X, error);
}

/* |Y - D X|^2 + z^2 |X|_0 per sample.  For orthonormal D and X = HT_z (D' Y),
 * |Y - D X|^2 = |Y|^2 - |X|^2. */
static double
objective (const Orthogonal *self, gsize kept)
{
  double energy = mat_dot (&self->base.Y, &self->base.Y);
  double z = self->threshold.z;

  return (energy - mat_dot (&self->X, &self->X) + z * z * (double) kept)
         / self->base.Y.cols;
}

static gboolean
orthogonal_step (Learner *base, GError **error)
{
  Orthogonal *self = (Orthogonal *) base;
  const Mat *Y = &base->Y;
  gsize kept;

  mat_copy (&self->D, &self->old);
  parallel_gemm (1, &self->D, TRANSPOSED, Y, PLAIN, 0, &self->X);
  kept = threshold_apply (&self->X, self->threshold.z, &self->X);
  base->status.objective = objective (self, kept);
  base->status.density = (double) kept / base->n / Y->cols;
  base->status.threshold = self->threshold.z;
  if (kept > 0) {
    parallel_gemm (1, Y, PLAIN, &self->X, TRANSPOSED, 0, &self->M);
    if (!polar_svd (&self->M, &self->old, SINGULAR, &self->D))
      return learner_failed (error);
  }
  base->status.change = spectral_distance (&self->D, &self->old);
  threshold_fall (&self->threshold, base->options.shrink, &base->status);
  return TRUE;
}

static void
orthogonal_dictionary (const Learner *base, Mat *A)
{
  mat_copy (&((const Orthogonal *) base)->D, A);
}

static void
orthogonal_clear (Learner *base)
{
  Orthogonal *self = (Orthogonal *) base;

  mat_clear (&self->D);
  mat_clear (&self->old);
  mat_clear (&self->X);
  mat_clear (&self->M);
}

const LearnerClass learner_orthogonal = {
  .name = "orthogonal",
  .summary = "orthonormal dictionary, all samples at once (Algorithm 1)",
  .size = sizeof (Orthogonal),
  .complete = TRUE,
  .init = INIT_DCT,
  .iterations = 30,
  .start = orthogonal_start,
  .step = orthogonal_step,
  .dictionary = orthogonal_dictionary,
  .clear = orthogonal_clear,
};
