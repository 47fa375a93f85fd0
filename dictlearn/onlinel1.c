/* onlinel1.c - online dictionary learning with an l1 penalty
 *
 *     D   n x k atoms, |d_j| <= 1        x   code of a sample y
 *
 * Each step codes a batch of b samples,
 *     x = argmin 1/2 |y - D x|^2 + lambda |x|_1        (omp/lasso.h),
 * adds them to what the past has left,
 *     A <- beta A + sum x x' / b,    B <- beta B + sum y x' / b,
 * and moves the atoms one after the other to the minimum of
 * 1/2 tr (D'D A) - tr (D'B):
 *     u = d_j + (b_j - D a_j) / A_jj,    d_j <- u / max (|u|, 1).
 * The past counts less and less, beta = 1 - 1 / t, for step t.
 * J. Mairal, F. Bach, J. Ponce, G. Sapiro, "Online learning for matrix
 * factorization and sparse coding", 2010, Algorithms 1 and 2.
 *
 * lambda is options.threshold.  If that is 0, it is chosen such that the start
 * codes the first batch with atoms_per_sample non-zeros on average, as K-SVD
 * codes.  The objective is the mean of what x minimises, over the batch, before
 * the atoms move.  Atoms that no sample uses become samples of the batch.
 */
#include "base/parallel.h"
#include "base/random.h"
#include "dictlearn/learner.h"
#include "omp/lasso.h"

#include <math.h>
#include <string.h>

/* Samples per batch, as in the paper's experiments. */
#define BATCH 256

/* Samples per chunk of work. */
#define CHUNK 16

/* lambda is looked for from above, by this factor per step: sparse codes are
 * found quickly, dense ones slowly. */
#define LAMBDA_FACTOR 0.9
#define LAMBDA_STEPS 110 /* five decades */

/* Passes over the atoms per step: the paper has one, and says that few more
 * help at the beginning. */
#define PASSES 2

/* An atom with less than this share of the mean of A_jj is not used. */
#define UNUSED 1e-8

/* Stream of random numbers. */
#define STREAM_REPLACE 0x6f6e6c31

typedef struct {
  Learner base;
  Mat D, old;   /* n x k */
  Mat A, B;     /* k x k, n x k */
  Mat G, X, Q;  /* k x k; k x b: codes, and D'y */
  double *cost; /* per sample of the batch */
  double lambda;
  int next; /* sample */
  guint64 replaced;
} OnlineL1;

/* ---- coding ---- */

typedef struct {
  OnlineL1 *self;
  Mat Y; /* the batch */
} Coding;

static double
penalty (const double *x, int k)
{
  double sum = 0;

  for (int j = 0; j < k; j++)
    sum += fabs (x[j]);
  return sum;
}

/* 1/2 |y - D x|^2 = 1/2 (|y|^2 - q'x - g'x), since g = q - D'D x. */
static void
code_chunk (int chunk, int worker, gpointer data)
{
  Coding *coding = data;
  OnlineL1 *self = coding->self;
  LassoOptions options = LASSO_DEFAULTS;
  int k = self->D.cols, end = MIN (coding->Y.cols, (chunk + 1) * CHUNK);

  (void) worker;
  options.lambda = self->lambda;
  for (int p = chunk * CHUNK; p < end; p++) {
    const double *y = mat_at (&coding->Y, 0, p);
    double *q = mat_at (&self->Q, 0, p), *x = mat_at (&self->X, 0, p);
    g_autofree double *g = g_memdup2 (q, (gsize) k * sizeof (double));
    double sum = 0;

    memset (x, 0, (gsize) k * sizeof (double));
    lasso_solve (&self->G, &options, g, x);
    for (int i = 0; i < self->D.rows; i++)
      sum += y[i] * y[i];
    for (int j = 0; j < k; j++)
      sum -= (q[j] + g[j]) * x[j];
    self->cost[p] = sum / 2 + self->lambda * penalty (x, k);
  }
}

/* Codes the batch into X; the products must be there. */
static void
code (OnlineL1 *self, const Mat *Y)
{
  Coding coding = { self, *Y };

  parallel_for ((Y->cols + CHUNK - 1) / CHUNK, code_chunk, &coding, NULL,
                NULL);
}

static void
multiply (OnlineL1 *self, const Mat *Y)
{
  Mat Q = mat_columns (&self->Q, 0, Y->cols);

  mat_multiply (1, &self->D, TRANSPOSED, &self->D, PLAIN, 0, &self->G);
  mat_multiply (1, &self->D, TRANSPOSED, Y, PLAIN, 0, &Q);
}

static double
mean_non_zeros (const OnlineL1 *self, int samples)
{
  gsize count = 0;

  for (int p = 0; p < samples; p++)
    for (int j = 0; j < self->X.rows; j++)
      count += *mat_at (&self->X, j, p) != 0;
  return (double) count / samples;
}

/* ---- lambda ---- */

/* Codes have fewer non-zeros the larger lambda is; beyond the largest |q_j|
 * they have none.  Takes the last lambda before there are too many. */
static void
choose_lambda (OnlineL1 *self, const Mat *Y)
{
  double most = 1e-300;

  for (int p = 0; p < Y->cols; p++)
    for (int j = 0; j < self->Q.rows; j++)
      most = MAX (most, fabs (*mat_at (&self->Q, j, p)));
  self->lambda = most;
  for (int i = 0; i < LAMBDA_STEPS; i++) {
    self->lambda *= LAMBDA_FACTOR;
    code (self, Y);
    if (mean_non_zeros (self, Y->cols) > self->base.options.atoms_per_sample)
      break;
  }
  self->lambda /= LAMBDA_FACTOR;
}

/* ---- learning ---- */

static Mat
next_batch (OnlineL1 *self)
{
  const Mat *Y = &self->base.Y;
  int count = MIN (BATCH, Y->cols);
  Mat batch;

  if (self->next + count > Y->cols)
    self->next = 0;
  batch = mat_columns (Y, self->next, count);
  self->next += count;
  return batch;
}

static gboolean
start (Learner *base, GError **error)
{
  OnlineL1 *self = (OnlineL1 *) base;
  int n = base->n, k = base->k, b = MIN (BATCH, base->Y.cols);
  Mat batch;

  self->D = mat_new (n, k);
  self->old = mat_new (n, k);
  self->A = mat_new (k, k);
  self->B = mat_new (n, k);
  self->G = mat_new (k, k);
  self->X = mat_new (k, b);
  self->Q = mat_new (k, b);
  self->cost = g_new0 (double, b);
  if (!learner_initial_dictionary (base, &base->Y, &self->D, error))
    return FALSE;
  mat_copy (&self->D, &self->old);
  self->lambda = base->options.threshold;
  if (self->lambda > 0)
    return TRUE;
  batch = mat_columns (&base->Y, 0, b);
  multiply (self, &batch);
  choose_lambda (self, &batch);
  return TRUE;
}

static void
take_in (OnlineL1 *self, const Mat *Y)
{
  double beta = 1 - 1. / (self->base.status.iteration + 1);
  Mat X = mat_columns (&self->X, 0, Y->cols);

  mat_multiply (1. / Y->cols, &X, PLAIN, &X, TRANSPOSED, beta, &self->A);
  mat_multiply (1. / Y->cols, Y, PLAIN, &X, TRANSPOSED, beta, &self->B);
}

/* An unused atom becomes a sample of the batch, of length one. */
static void
replace (OnlineL1 *self, int j, const Mat *Y)
{
  int p = (int) random_below (self->base.options.seed, STREAM_REPLACE,
                              self->replaced++, (guint64) Y->cols);
  const double *y = mat_at (Y, 0, p);
  double norm = 0, *d = mat_at (&self->D, 0, j);

  for (int i = 0; i < self->D.rows; i++)
    norm += y[i] * y[i];
  norm = sqrt (norm);
  for (int i = 0; norm > 0 && i < self->D.rows; i++)
    d[i] = y[i] / norm;
}

/* d_j <- u / max (|u|, 1). */
static void
move_atom (OnlineL1 *self, int j)
{
  int n = self->D.rows, k = self->D.cols;
  double *d = mat_at (&self->D, 0, j), norm = 0;
  g_autofree double *u = g_memdup2 (mat_at (&self->B, 0, j),
                                    (gsize) n * sizeof (double));

  for (int l = 0; l < k; l++) {
    double a = *mat_at (&self->A, l, j);
    const double *other = mat_at (&self->D, 0, l);

    for (int i = 0; a != 0 && i < n; i++)
      u[i] -= a * other[i];
  }
  for (int i = 0; i < n; i++) {
    u[i] = d[i] + u[i] / *mat_at (&self->A, j, j);
    norm += u[i] * u[i];
  }
  norm = MAX (1, sqrt (norm));
  for (int i = 0; i < n; i++)
    d[i] = u[i] / norm;
}

static void
move_atoms (OnlineL1 *self, const Mat *Y)
{
  int k = self->D.cols;
  double trace = 0;

  for (int j = 0; j < k; j++)
    trace += *mat_at (&self->A, j, j);
  for (int pass = 0; pass < PASSES; pass++)
    for (int j = 0; j < k; j++)
      if (*mat_at (&self->A, j, j) > UNUSED * trace / k)
        move_atom (self, j);
      else if (pass == 0)
        replace (self, j, Y);
}

static double
measure_change (OnlineL1 *self)
{
  double sum = 0;

  for (int j = 0; j < self->D.cols; j++)
    for (int i = 0; i < self->D.rows; i++)
      sum += pow (*mat_at (&self->D, i, j) - *mat_at (&self->old, i, j), 2);
  mat_copy (&self->D, &self->old);
  return sqrt (sum);
}

static gboolean
step (Learner *base, GError **error)
{
  OnlineL1 *self = (OnlineL1 *) base;
  LearnStatus *status = &base->status;
  Mat Y = next_batch (self);
  double sum = 0;

  (void) error;
  multiply (self, &Y);
  code (self, &Y);
  for (int p = 0; p < Y.cols; p++)
    sum += self->cost[p];
  take_in (self, &Y);
  move_atoms (self, &Y);
  status->objective = sum / Y.cols;
  status->density = mean_non_zeros (self, Y.cols) / base->k;
  status->threshold = self->lambda;
  status->change = measure_change (self);
  return TRUE;
}

static void
dictionary (const Learner *base, Mat *A)
{
  mat_copy (&((const OnlineL1 *) base)->D, A);
}

static void
clear (Learner *base)
{
  OnlineL1 *self = (OnlineL1 *) base;
  Mat *matrices[] = { &self->D, &self->old, &self->A, &self->B,
                      &self->G, &self->X,   &self->Q };

  for (gsize i = 0; i < G_N_ELEMENTS (matrices); i++)
    mat_clear (matrices[i]);
  g_clear_pointer (&self->cost, g_free);
}

const LearnerClass learner_online_l1 = {
  .name = "online-l1",
  .summary = "online with an l1 penalty (Mairal and others)",
  .size = sizeof (OnlineL1),
  .init = INIT_DATA,
  .iterations = 200,
  .start = start,
  .step = step,
  .dictionary = dictionary,
  .clear = clear,
};
