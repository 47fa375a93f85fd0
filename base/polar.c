/* polar.c - the orthonormal factor of a matrix
 *
 * polar_fast() is the dynamically weighted Halley iteration of Nakatsukasa,
 * Bai and Gygi ("Optimizing Halley's iteration for computing the matrix polar
 * decomposition", 2010) in its Cholesky form.  X has the singular vectors of M
 * and singular values in [l, 1]; one round
 *
 *     Z = I + c X'X = L L'
 *     X <- b/c X + (a - b/c) X Z^-1
 *
 * maps each singular value s to s (a + b s^2) / (1 + c s^2).  a, b and c are
 * the weights for which l rises fastest.  Once E = I - X'X is small, products
 * alone are cheaper,
 *
 *     X <- X (I + E/2 + 3/8 E^2),
 *
 * which leaves 5/16 E^3.
 *
 * Rows of X are independent in solves and products, and columns of X'X, so
 * threads share them in fixed blocks.
 */
#include "base/polar.h"

#include "base/lapackstatus.h"
#include "base/parallel.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Rows or columns that one thread takes at a time: products of fewer are slow,
 * and matrices smaller than this are not worth starting a thread. */
#define BLOCK 150

/* |E|_F below which X is orthonormal to float accuracy; below which the
 * products leave less than that; and below which they are worthwhile. */
#define ORTHONORMAL(n) (2e-6 * sqrt (n))
#define NEARLY 0.02
#define VERY_NEARLY 3e-3 /* the term E^2 is not needed either */
#define SMALL 0.7

#define MOST_ROUNDS 9

/* Steps of the power iteration that estimates a norm. */
#define POWER_STEPS 5

/* Smaller singular values are below what float can tell. */
#define LEAST_L 1e-4

/* Completes Q, which so far is U1 V1' for the @rank leading singular vectors,
 * by U2 W V2' with W = Polar (U2' old V2). */
static gboolean
complete (const Mat *U, const Mat *Vt, int rank, const Mat *old, Mat *Q)
{
  int n = U->rows, rest = n - rank;
  Mat U2 = mat_columns (U, rank, rest);
  Mat V2t = { mat_at (Vt, rank, 0), rest, n, Vt->ld };
  g_auto (Mat) W = mat_new (rest, rest);
  g_auto (Mat) product = mat_new (rest, n);

  if (old != NULL) {
    mat_multiply (1, &U2, TRANSPOSED, old, PLAIN, 0, &product);
    mat_multiply (1, &product, PLAIN, &V2t, TRANSPOSED, 0, &W);
    if (!polar_svd (&W, NULL, 0, &W))
      return FALSE;
  } else
    for (int i = 0; i < rest; i++)
      *mat_at (&W, i, i) = 1;
  mat_multiply (1, &W, PLAIN, &V2t, PLAIN, 0, &product);
  mat_multiply (1, &U2, PLAIN, &product, PLAIN, 1, Q);
  return TRUE;
}

gboolean
polar_svd (const Mat *M, const Mat *old, double tolerance, Mat *Q)
{
  int n = M->rows, rank = 0;
  g_auto (Mat) work = mat_new (n, n);
  g_auto (Mat) U = mat_new (n, n);
  g_auto (Mat) Vt = mat_new (n, n);
  g_auto (Mat) result = mat_new (n, n);
  g_autofree double *s = g_new0 (double, MAX (1, n));
  Mat U1, V1t;

  g_return_val_if_fail (M->cols == n && Q->rows == n && Q->cols == n, FALSE);

  mat_copy (M, &work);
  if (!lapack_succeeded (LAPACKE_dgesdd (LAPACK_COL_MAJOR, 'A', n, n,
                                         work.data, work.ld, s, U.data, U.ld,
                                         Vt.data, Vt.ld)))
    return FALSE;
  while (rank < n && s[rank] > tolerance * s[0])
    rank++;
  U1 = mat_columns (&U, 0, rank);
  V1t = (Mat){ Vt.data, rank, n, Vt.ld };
  mat_multiply (1, &U1, PLAIN, &V1t, PLAIN, 0, &result);
  if (rank < n && !complete (&U, &Vt, rank, old, &result))
    return FALSE;
  mat_copy (&result, Q);
  return TRUE;
}

/* ---- by products ---- */

struct PolarWorkspace {
  int n, blocks;
  MatF X, product, work; /* n x n */
  MatF G;                /* X'X, then E or Z, then T or L */
  double a, b, c;        /* weights of the round */
  gboolean squares;      /* whether E^2 counts in it */
  int fallbacks;
};

PolarWorkspace *
polar_workspace_new (int n)
{
  PolarWorkspace *self = g_new0 (PolarWorkspace, 1);

  self->n = n;
  self->blocks = MAX (1, n / BLOCK);
  self->X = matf_new (n, n);
  self->product = matf_new (n, n);
  self->work = matf_new (n, n);
  self->G = matf_new (n, n);
  return self;
}

void
polar_workspace_free (PolarWorkspace *self)
{
  if (self == NULL)
    return;
  matf_clear (&self->X);
  matf_clear (&self->product);
  matf_clear (&self->work);
  matf_clear (&self->G);
  g_free (self);
}

int
polar_fallbacks (const PolarWorkspace *self)
{
  return self->fallbacks;
}

/* An estimate of the largest singular value of @M: never too large, and for
 * all but contrived matrices not below four fifths of it. */
static double
estimate_norm (const MatF *M)
{
  int n = M->cols;
  g_autofree float *v = g_new (float, MAX (1, n));
  g_autofree float *u = g_new (float, MAX (1, M->rows));
  double norm = 0;

  for (int i = 0; i < n; i++)
    v[i] = 1 + (float) (i % 7) / 7; /* anything but an eigenvector */
  for (int step = 0; step < POWER_STEPS; step++) {
    float length = cblas_snrm2 (n, v, 1);

    if (!(length > 0))
      return 0;
    cblas_sscal (n, 1 / length, v, 1);
    cblas_sgemv (CblasColMajor, CblasNoTrans, M->rows, n, 1, M->data, M->ld, v,
                 1, 0, u, 1);
    norm = cblas_snrm2 (M->rows, u, 1);
    cblas_sgemv (CblasColMajor, CblasTrans, M->rows, n, 1, M->data, M->ld, u,
                 1, 0, v, 1);
  }
  return norm;
}

/* The weights for singular values in [l, 1]; returns the next l. */
static double
choose_weights (PolarWorkspace *self, double l)
{
  double l2 = l * l;
  double d = cbrt (4 * (1 - l2) / (l2 * l2));
  double root = sqrt (1 + d);
  double inner = 8 - 4 * d + 8 * (2 - l2) / (l2 * root);

  self->a = root + sqrt (fmax (0, inner)) / 2;
  self->b = (self->a - 1) * (self->a - 1) / 4;
  self->c = self->a + self->b - 1;
  return fmin (1, l * (self->a + self->b * l2) / (1 + self->c * l2));
}

static int
block_start (const PolarWorkspace *self, int block)
{
  return self->n * block / self->blocks;
}

/* Columns of a block of X'X, from the diagonal block down. */
static void
multiply_block (int block, int worker, gpointer data)
{
  PolarWorkspace *self = data;
  int first = block_start (self, block);
  int count = block_start (self, block + 1) - first;

  (void) worker;
  if (count > 0)
    cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, self->n - first,
                 count, self->n, 1, matf_at (&self->X, 0, first), self->X.ld,
                 matf_at (&self->X, 0, first), self->X.ld, 0,
                 matf_at (&self->G, first, first), self->G.ld);
}

/* Rows of a block of X: the two solves of a round. */
static void
solve_block (int block, int worker, gpointer data)
{
  PolarWorkspace *self = data;
  int first = block_start (self, block);
  int count = block_start (self, block + 1) - first;
  float keep = (float) (self->b / self->c);
  float take = (float) (self->a - self->b / self->c);

  (void) worker;
  if (count == 0)
    return;
  for (int j = 0; j < self->n; j++)
    memcpy (matf_at (&self->product, first, j), matf_at (&self->X, first, j),
            (gsize) count * sizeof (float));
  for (int side = 0; side < 2; side++)
    cblas_strsm (CblasColMajor, CblasRight, CblasLower,
                 side == 0 ? CblasTrans : CblasNoTrans, CblasNonUnit, count,
                 self->n, 1, self->G.data, self->G.ld,
                 matf_at (&self->product, first, 0), self->product.ld);
  for (int j = 0; j < self->n; j++) {
    float *x = matf_at (&self->X, first, j);
    const float *solved = matf_at (&self->product, first, j);

    for (int i = 0; i < count; i++)
      x[i] = keep * x[i] + take * solved[i];
  }
}

/* Columns of a block of product = X (I + E/2 + 3/8 E^2), with E in G. */
static void
correct_block (int block, int worker, gpointer data)
{
  PolarWorkspace *self = data;
  int n = self->n, first = block_start (self, block);
  int count = block_start (self, block + 1) - first;
  MatF T = matf_columns (&self->work, first, count);
  MatF E = matf_columns (&self->G, first, count);
  MatF out = matf_columns (&self->product, first, count);

  (void) worker;
  if (count == 0)
    return;
  for (int j = 0; j < count; j++)
    for (int i = 0; i < n; i++)
      *matf_at (&T, i, j) =
        0.5f * *matf_at (&E, i, j) + (i == first + j ? 1 : 0);
  if (self->squares)
    matf_multiply (0.375f, &self->G, PLAIN, &E, PLAIN, 1, &T);
  matf_multiply (1, &self->X, PLAIN, &T, PLAIN, 0, &out);
}

/* Makes G = X'X, lower part; returns |I - G|_F. */
static double
make_gram (PolarWorkspace *self)
{
  double sum = 0;

  parallel_for (self->blocks, multiply_block, self, NULL, NULL);
  for (int j = 0; j < self->n; j++) {
    const float *g = matf_at (&self->G, 0, j);
    double column = (double) (g[j] - 1) * (g[j] - 1);
    float below = 0;

    for (int i = j + 1; i < self->n; i++)
      below += g[i] * g[i];
    sum += column + 2 * below;
  }
  return sqrt (sum);
}

/* A round of Halley; FALSE when the numbers break down. */
static gboolean
halley_round (PolarWorkspace *self)
{
  for (int j = 0; j < self->n; j++) {
    float *g = matf_at (&self->G, 0, j);

    for (int i = j; i < self->n; i++)
      g[i] = (float) self->c * g[i] + (i == j ? 1 : 0);
  }
  if (LAPACKE_spotrf_work (LAPACK_COL_MAJOR, 'L', self->n, self->G.data,
                           self->G.ld)
      != 0)
    return FALSE;
  parallel_for (self->blocks, solve_block, self, NULL, NULL);
  return TRUE;
}

/* A round of products. */
static void
product_round (PolarWorkspace *self)
{
  MatF swap;

  for (int j = 0; j < self->n; j++)
    for (int i = j; i < self->n; i++) {
      float e = (i == j ? 1 : 0) - *matf_at (&self->G, i, j);

      *matf_at (&self->G, i, j) = *matf_at (&self->G, j, i) = e;
    }
  parallel_for (self->blocks, correct_block, self, NULL, NULL);
  swap = self->X;
  self->X = self->product;
  self->product = swap;
}

/* Makes self->X orthonormal; FALSE if it does not get there. */
static gboolean
converge (PolarWorkspace *self, double l)
{
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double e = make_gram (self);

    if (e < ORTHONORMAL (self->n))
      return TRUE;
    if (e < SMALL) {
      self->squares = e > VERY_NEARLY;
      product_round (self);
      if (e < NEARLY)
        return TRUE;
    } else {
      l = choose_weights (self, l);
      if (!isfinite (e) || !halley_round (self))
        return FALSE;
    }
  }
  return FALSE;
}

static gboolean
fall_back (PolarWorkspace *self, const MatF *M, MatF *Q)
{
  g_auto (Mat) wide = mat_new (self->n, self->n);

  self->fallbacks++;
  mat_from_float (M, &wide);
  if (!polar_svd (&wide, NULL, 0, &wide))
    return FALSE;
  mat_to_float (&wide, Q);
  return TRUE;
}

gboolean
polar_fast (PolarWorkspace *self, const MatF *M, double least, MatF *Q)
{
  /* A norm a little too small does no harm; with one far too small the rounds
   * do not converge. */
  double norm = estimate_norm (M), l = CLAMP (least / norm, LEAST_L, 0.999);

  g_return_val_if_fail (M->rows == self->n && M->cols == self->n, FALSE);

  if (!(norm > 0) || !isfinite (norm))
    return FALSE;
  for (int j = 0; j < self->n; j++)
    for (int i = 0; i < self->n; i++)
      *matf_at (&self->X, i, j) = *matf_at (M, i, j) / (float) norm;
  if (!converge (self, l))
    return fall_back (self, M, Q);
  for (int j = 0; j < self->n; j++)
    memcpy (matf_at (Q, 0, j), matf_at (&self->X, 0, j),
            (gsize) self->n * sizeof (float));
  return TRUE;
}
