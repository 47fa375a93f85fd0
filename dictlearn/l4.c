/* l4.c - complete dictionaries by maximising the l4 norm of the codes
 *
 *     W   n x p whitened samples, W = P Y
 *     D   n x n, orthonormal
 *     C   n x p codes, C = D' W
 *
 * Of all rotations of white data, the one with the largest fourth moments is
 * the sparsest (Zhai, Yang, Liao, Wright, Ma, "Complete dictionary learning
 * via l4-norm maximization over the orthogonal group", 2020).  Their
 * "matching, stretching and projection" repeats
 *     D <- Polar (W (C o C o C)'),
 * where the matrix is a quarter of the gradient of |D' W|_4^4.  That function
 * is convex, so maximising its linear part over the orthonormal matrices never
 * lowers it.  The objective that is reported, and falls, is -|C|_4^4 / p.
 *
 * No code is set to zero, so status.density is 1, and the maximum is at the
 * true dictionary only in the limit of infinite p: its error falls like 1 /
 * sqrt (p).
 *
 * The result is A = P^-1 D.  A step costs 4 n^2 p operations and an SVD.
 */
#include "dictlearn/learner.h"

#include "base/polar.h"
#include "base/parallelgemm.h"
#include "base/spectral.h"
#include "dictlearn/preconditioner.h"

/* Singular values below this share of the largest are ignored. */
#define SINGULAR 1e-10

typedef struct {
  Learner base;
  Preconditioner *P;
  Mat D, old, M; /* n x n */
  Mat W, C;      /* n x p */
} L4;

/* D = Polar (P A) for the start A, or the identity in the whitened space. */
static gboolean
make_start (L4 *self, GError **error)
{
  Learner *base = &self->base;

  if (!learner_initial_dictionary (base, &base->Y, &self->D, error))
    return FALSE;
  if (base->options.init != INIT_IDENTITY) {
    preconditioner_whiten (self->P, &self->D);
    mat_normalise_columns (&self->D);
  }
  return polar_svd (&self->D, NULL, SINGULAR, &self->D)
         || learner_failed (error);
}

static gboolean
l4_start (Learner *base, GError **error)
{
  L4 *self = (L4 *) base;
  int n = base->n, p = base->Y.cols;

  self->D = mat_new (n, n);
  self->old = mat_new (n, n);
  self->M = mat_new (n, n);
  if (!mat_try_new (&self->W, n, p, error)
      || !mat_try_new (&self->C, n, p, error))
    return FALSE;
  self->P = preconditioner_new (&base->Y, base->options.noise_floor);
  if (self->P == NULL)
    return learner_failed (error);
  mat_copy (&base->Y, &self->W);
  preconditioner_whiten (self->P, &self->W);
  return make_start (self, error);
}

/* Cubes the entries of @C and returns the sum of their fourth powers. */
static double
stretch (Mat *C)
{
  double sum = 0;

  for (int j = 0; j < C->cols; j++)
    for (int i = 0; i < C->rows; i++) {
      double *c = mat_at (C, i, j);
      double square = *c * *c;

      sum += square * square;
      *c *= square;
    }
  return sum;
}

static gboolean
l4_step (Learner *base, GError **error)
{
  L4 *self = (L4 *) base;
  LearnStatus *status = &base->status;

  mat_copy (&self->D, &self->old);
  parallel_gemm (1, &self->D, TRANSPOSED, &self->W, PLAIN, 0, &self->C);
  status->objective = -stretch (&self->C) / self->C.cols;
  status->density = 1;
  parallel_gemm (1, &self->W, PLAIN, &self->C, TRANSPOSED, 0, &self->M);
  if (!polar_svd (&self->M, &self->old, SINGULAR, &self->D))
    return learner_failed (error);
  status->change = spectral_distance (&self->D, &self->old);
  return TRUE;
}

static void
l4_dictionary (const Learner *base, Mat *A)
{
  const L4 *self = (const L4 *) base;

  mat_copy (&self->D, A);
  preconditioner_unwhiten (self->P, A);
}

static void
l4_clear (Learner *base)
{
  L4 *self = (L4 *) base;

  preconditioner_free (self->P);
  mat_clear (&self->D);
  mat_clear (&self->old);
  mat_clear (&self->M);
  mat_clear (&self->W);
  mat_clear (&self->C);
}

const LearnerClass learner_l4 = {
  .name = "l4",
  .summary = "largest fourth moments of whitened codes (Zhai et al. 2020)",
  .size = sizeof (L4),
  .complete = TRUE,
  .init = INIT_DCT,
  .iterations = 50,
  .start = l4_start,
  .step = l4_step,
  .dictionary = l4_dictionary,
  .clear = l4_clear,
};
