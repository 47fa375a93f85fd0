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
 * the weights for which l rises fastest.
 *
 * Products are faster than solves, and enough where l is not small: a round
 *
 *     X <- X p (X'X),     p (x) near 1 / sqrt (x),
 *
 * maps s to s p (s^2).  p has degree four and interpolates at the Chebyshev
 * nodes of [l^2, 1]; being above 1 / sqrt (x) to the right of them and falling
 * on the left, it is positive wherever a wrong l or norm may lead.  Near the
 * end p is the series of 1 / sqrt (1 - e) at E = I - X'X.  A quartic of a
 * symmetric Y is two squares, each half of a product:
 *
 *     c4 B^2 + (c2 - c4 a^2) Y^2 + c1 Y + c0 I,   B = Y^2 + a Y, a = c3 / 2 c4.
 *
 * Rows of X are independent in solves and products, and blocks of squares, so
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

/* |E|_F below which X is orthonormal to float accuracy; below which the series
 * to E and to E^2 leaves less than that; and below which there is a series. */
#define ORTHONORMAL(n) (2e-6 * sqrt (n))
#define VERY_NEARLY 1.5e-3
#define NEARLY 0.012
#define SMALL 0.7

/* An estimate of |E|_2 below which the series to E^4 leaves less than 1e-6. */
#define SMALL_NORM 0.07

/* l from which on interpolation is faster than Halley. */
#define EASY 0.08

#define MOST_ROUNDS 9

/* Steps of the power iteration that estimates a norm, and what is added to the
 * estimate. */
#define POWER_STEPS 6
#define MARGIN 1.04

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
  MatF G;                /* X'X, then Y or Z, then L */
  double a, b, c;        /* weights of the round */
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

/* An estimate of |d I - G|_2: never too large, and for all but contrived
 * matrices not below two thirds of it. */
static double
estimate_norm (const PolarWorkspace *self, float d)
{
  int n = self->n;
  g_autofree float *v = g_new (float, MAX (1, n));
  g_autofree float *u = g_new (float, MAX (1, n));
  double norm = 0;

  for (int i = 0; i < n; i++)
    u[i] = 1 + (float) (i % 7) / 7; /* anything but an eigenvector */
  for (int step = 0; step <= POWER_STEPS; step++) {
    float length = cblas_snrm2 (n, u, 1);

    norm = length;
    if (!(length > 0) || step == POWER_STEPS)
      break;
    for (int i = 0; i < n; i++)
      u[i] = v[i] = u[i] / length;
    cblas_ssymv (CblasColMajor, CblasLower, n, -1, self->G.data, self->G.ld, v,
                 1, d, u, 1);
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

/* to <- alpha from'from + beta to, lower triangle. */
typedef struct {
  const PolarWorkspace *self;
  float alpha, beta;
  const MatF *from;
  MatF *to;
} Square;

static void
square_block (int pair, int worker, gpointer data)
{
  const Square *square = data;
  const MatF *A = square->from;
  MatF *C = square->to;
  int row = 0, i, j, rows, cols;

  (void) worker;
  while ((row + 1) * (row + 2) / 2 <= pair)
    row++;
  i = block_start (square->self, row);
  rows = block_start (square->self, row + 1) - i;
  j = block_start (square->self, pair - row * (row + 1) / 2);
  cols = block_start (square->self, pair - row * (row + 1) / 2 + 1) - j;
  if (i == j)
    cblas_ssyrk (CblasColMajor, CblasLower, CblasTrans, rows, A->rows,
                 square->alpha, matf_at (A, 0, i), A->ld, square->beta,
                 matf_at (C, i, i), C->ld);
  else
    cblas_sgemm (CblasColMajor, CblasTrans, CblasNoTrans, rows, cols, A->rows,
                 square->alpha, matf_at (A, 0, i), A->ld, matf_at (A, 0, j),
                 A->ld, square->beta, matf_at (C, i, j), C->ld);
}

static void
add_square (PolarWorkspace *self, float alpha, const MatF *from, float beta,
            MatF *to)
{
  Square square = { self, alpha, beta, from, to };

  parallel_for (self->blocks * (self->blocks + 1) / 2, square_block, &square,
                NULL, NULL);
}

/* Fills in the upper triangle, in tiles that stay in the cache. */
static void
mirror (MatF *A)
{
  enum { TILE = 32 };

  for (int right = 0; right < A->cols; right += TILE)
    for (int top = 0; top <= right; top += TILE)
      for (int j = right; j < MIN (right + TILE, A->cols); j++)
        for (int i = top; i < MIN (top + TILE, j); i++)
          *matf_at (A, i, j) = *matf_at (A, j, i);
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

/* Columns of a block of product = X work. */
static void
product_block (int block, int worker, gpointer data)
{
  PolarWorkspace *self = data;
  int first = block_start (self, block);
  int count = block_start (self, block + 1) - first;
  MatF T = matf_columns (&self->work, first, count);
  MatF out = matf_columns (&self->product, first, count);

  (void) worker;
  if (count > 0)
    matf_multiply (1, &self->X, PLAIN, &T, PLAIN, 0, &out);
}

/* |A - d I|_F of the symmetric A, which is given by its lower triangle. */
static double
distance (const MatF *A, float d)
{
  double sum = 0;

  for (int j = 0; j < A->cols; j++) {
    const float *a = matf_at (A, 0, j);

    sum += (double) (a[j] - d) * (a[j] - d)
           + 2. * cblas_sdot (A->cols - j - 1, a + j + 1, 1, a + j + 1, 1);
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

/* X <- X (c0 I + c1 Y + ... + c4 Y^4), of degree 1, 2 or 4, with
 * Y = scale G + shift I. */
static void
polynomial_round (PolarWorkspace *self, double scale, double shift,
                  const double *c, int degree)
{
  int n = self->n;
  float a = (float) (degree == 4 ? c[3] / (2 * c[4]) : 0);
  float c2 = (float) (degree == 4 ? c[2] - c[4] * a * a : c[2]);
  MatF swap;

  for (int j = 0; j < n; j++) {
    cblas_sscal (n - j, (float) scale, matf_at (&self->G, j, j), 1);
    *matf_at (&self->G, j, j) += (float) shift;
  }
  if (degree > 1) {
    mirror (&self->G);
    add_square (self, 1, &self->G, 0, &self->work);
  }
  for (int j = 0; j < n; j++) {
    float *y = matf_at (&self->G, 0, j), *t = matf_at (&self->work, 0, j);
    float *b = matf_at (&self->product, 0, j);

    for (int i = j; i < n && degree == 4; i++)
      b[i] = t[i] + a * y[i];
    for (int i = j; i < n; i++)
      t[i] = (degree > 1 ? c2 * t[i] : 0) + (float) c[1] * y[i];
    t[j] += (float) c[0];
  }
  if (degree == 4) {
    mirror (&self->product);
    add_square (self, (float) c[4], &self->product, 1, &self->work);
  }
  mirror (&self->work);
  parallel_for (self->blocks, product_block, self, NULL, NULL);
  swap = self->X;
  self->X = self->product;
  self->product = swap;
}

/* The polynomial of degree 4 that interpolates 1 / sqrt (x) at the Chebyshev
 * nodes of [l^2, 1], in powers of y = (2 x - 1 - l^2) / (1 - l^2). */
static void
interpolate (double l, double *c)
{
  enum { NODES = 5 };
  double t[NODES] = { 0 };

  for (int k = 0; k < NODES; k++) {
    double angle = G_PI * (k + 0.5) / NODES;
    double x = (1 + l * l + (1 - l * l) * cos (angle)) / 2;

    for (int j = 0; j < NODES; j++)
      t[j] += (j == 0 ? 1. : 2.) / NODES * cos (j * angle) / sqrt (x);
  }
  c[0] = t[0] - t[2] + t[4];
  c[1] = t[1] - 3 * t[3];
  c[2] = 2 * t[2] - 8 * t[4];
  c[3] = 4 * t[3];
  c[4] = 8 * t[4];
}

/* A round of interpolation for singular values in [l, 1]; returns the next l.
 * The next values are around one if they are close, or else at most one. */
static double
interpolation_round (PolarWorkspace *self, double l)
{
  enum { GRID = 200 };
  double c[5], low = G_MAXDOUBLE, high = 0, scale;

  interpolate (l, c);
  for (int k = 0; k <= GRID; k++) {
    double s = l + (1 - l) * k / GRID;
    double y = (2 * s * s - 1 - l * l) / (1 - l * l);
    double next = s * (c[0] + y * (c[1] + y * (c[2] + y * (c[3] + y * c[4]))));

    low = fmin (low, next);
    high = fmax (high, next);
  }
  scale = low > 0.9 * high ? (low + high) / 2 : high;
  for (int j = 0; j < 5; j++)
    c[j] /= scale;
  polynomial_round (self, 2 / (1 - l * l), -(1 + l * l) / (1 - l * l), c, 4);
  return low / high;
}

/* A round of the series for E = I - G, |E|_F = @e < SMALL.  Whether that was
 * enough. */
static gboolean
series_round (PolarWorkspace *self, double e)
{
  const double c[] = { 1, 1. / 2, 3. / 8, 5. / 16, 35. / 128 };
  int degree = e < VERY_NEARLY ? 1 : e < NEARLY ? 2 : 4;
  gboolean enough = degree < 4 || estimate_norm (self, 1) < SMALL_NORM;

  polynomial_round (self, -1, 1, c, degree);
  return enough;
}

/* Makes self->X orthonormal; FALSE if it does not get there. */
static gboolean
converge (PolarWorkspace *self, double l)
{
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double e;

    if (round > 0)
      add_square (self, 1, &self->X, 0, &self->G);
    e = distance (&self->G, 1);
    if (e < ORTHONORMAL (self->n))
      return TRUE;
    if (!isfinite (e))
      return FALSE;
    if (e < SMALL) {
      if (series_round (self, e))
        return TRUE;
    } else if (l > EASY)
      l = interpolation_round (self, fmin (l, 0.9));
    else {
      l = choose_weights (self, l);
      if (!halley_round (self))
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

/* X = M and G = X'X, both scaled so that the singular values of X are about
 * one and less; returns by what M was divided, or zero. */
static double
start_from (PolarWorkspace *self, const MatF *M)
{
  int n = self->n;
  double sum = 0, first, norm;

  for (int j = 0; j < n; j++)
    sum += pow (cblas_snrm2 (n, matf_at (M, 0, j), 1), 2);
  first = sqrt (sum / n); /* so that no square overflows */
  if (!(first > 0) || !isfinite (first))
    return 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      *matf_at (&self->X, i, j) = *matf_at (M, i, j) / (float) first;
  add_square (self, 1, &self->X, 0, &self->G);
  norm = sqrt (estimate_norm (self, 0)) * MARGIN;
  if (!(norm > 0) || !isfinite (norm))
    return 0;
  for (int j = 0; j < n; j++) {
    cblas_sscal (n, (float) (1 / norm), matf_at (&self->X, 0, j), 1);
    cblas_sscal (n - j, (float) (1 / norm / norm), matf_at (&self->G, j, j),
                 1);
  }
  return first * norm;
}

gboolean
polar_fast (PolarWorkspace *self, const MatF *M, double least, MatF *Q)
{
  double norm;

  g_return_val_if_fail (M->rows == self->n && M->cols == self->n, FALSE);

  /* A norm a little too small does no harm; with one far too small the rounds
   * do not converge. */
  norm = start_from (self, M);
  if (!(norm > 0))
    return FALSE;
  if (!converge (self, CLAMP (least / norm, LEAST_L, 0.999)))
    return fall_back (self, M, Q);
  for (int j = 0; j < self->n; j++)
    memcpy (matf_at (Q, 0, j), matf_at (&self->X, 0, j),
            (gsize) self->n * sizeof (float));
  return TRUE;
}
