/* gradient.c - the gradient method that the paper compares itself to
 *
 *     Y   n x p samples        D   n x n atoms of length one
 *     X   n x p codes          z   threshold
 *     R   Y - D X              eta options.rate
 *
 * Algorithm 1 with a gradient step in place of the Polar step (after Arora,
 * Ge, Ma, Moitra, "Simple, efficient, and neural algorithms for sparse
 * coding", 2015):
 *     X = HT_z (D' Y),   D <- D - eta grad,   grad = -2 R X',
 * the gradient of |Y - D X|_F^2, a sum over all samples.  Then the atoms are
 * scaled back to length one.  The objective that is reported is |R|_F^2 / p.
 *
 * The codes D'Y suit an orthonormal D, so the start is made orthonormal; the
 * steps keep D only near to that.  Samples are taken as they are.
 *
 * Steps converge for eta below 1 / |X X'|_2, and half of that is fastest.  The
 * norm is about p times the mean square of a code: the more samples, the
 * shorter the step must be.
 *
 * With options.shrink the threshold falls as in orthogonal.c.
 * A step costs 6 n^2 p operations.
 */
#include "dictlearn/learner.h"

#include "base/parallelgemm.h"
#include "base/spectral.h"
#include "dictlearn/thresholding.h"

#include <math.h>

typedef struct {
  Learner base;
  Mat D, old; /* n x n */
  Mat X, R;   /* n x p */
  Threshold threshold;
} Gradient;

static gboolean
gradient_start (Learner *base, GError **error)
{
  Gradient *self = (Gradient *) base;
  int n = base->n, p = base->Y.cols;

  self->D = mat_new (n, n);
  self->old = mat_new (n, n);
  if (!mat_try_new (&self->X, n, p, error)
      || !mat_try_new (&self->R, n, p, error))
    return FALSE;
  return threshold_start_orthonormal (&self->threshold, base, &self->D,
                                      &self->X, error);
}

/* X = HT_z (D' Y), R = Y - D X. */
static void
code (Gradient *self)
{
  LearnStatus *status = &self->base.status;
  const Mat *Y = &self->base.Y;
  gsize kept;

  parallel_gemm (1, &self->D, TRANSPOSED, Y, PLAIN, 0, &self->X);
  kept = threshold_apply (&self->X, self->threshold.z, &self->X);
  mat_copy (Y, &self->R);
  parallel_gemm (-1, &self->D, PLAIN, &self->X, PLAIN, 1, &self->R);
  status->objective = mat_dot (&self->R, &self->R) / Y->cols;
  status->density = (double) kept / Y->rows / Y->cols;
  status->threshold = self->threshold.z;
}

/* A step that cannot overshoot: the objective is quadratic in D with curvature
 * 2 X X', whose largest eigenvalue is at most the largest sum of a row. */
static double
safe_rate (const Gradient *self)
{
  int n = self->base.n;
  g_auto (Mat) XX = mat_new (n, n);
  double most = 0;

  parallel_gemm (1, &self->X, PLAIN, &self->X, TRANSPOSED, 0, &XX);
  for (int j = 0; j < n; j++) {
    double sum = 0;

    for (int i = 0; i < n; i++)
      sum += fabs (*mat_at (&XX, i, j));
    most = fmax (most, sum);
  }
  return most > 0 ? 0.5 / most : 0;
}

static gboolean
gradient_step (Learner *base, GError **error)
{
  Gradient *self = (Gradient *) base;
  LearnStatus *status = &base->status;
  double rate;

  code (self);
  rate = base->options.rate > 0 ? base->options.rate : safe_rate (self);
  mat_copy (&self->D, &self->old);
  parallel_gemm (2 * rate, &self->R, PLAIN, &self->X, TRANSPOSED, 1, &self->D);
  mat_normalise_columns (&self->D);
  status->change = spectral_distance (&self->D, &self->old);
  if (!isfinite (status->change))
    return learner_failed (error);
  threshold_fall (&self->threshold, base->options.shrink, status);
  return TRUE;
}

static void
gradient_dictionary (const Learner *base, Mat *A)
{
  mat_copy (&((const Gradient *) base)->D, A);
}

static void
gradient_clear (Learner *base)
{
  Gradient *self = (Gradient *) base;

  mat_clear (&self->D);
  mat_clear (&self->old);
  mat_clear (&self->X);
  mat_clear (&self->R);
}

const LearnerClass learner_gradient = {
  .name = "gradient",
  .summary = "gradient steps instead of Polar (Arora et al. 2015)",
  .size = sizeof (Gradient),
  .complete = TRUE,
  .init = INIT_DCT,
  .iterations = 100,
  .start = gradient_start,
  .step = gradient_step,
  .dictionary = gradient_dictionary,
  .clear = gradient_clear,
};
