/* lowrankpolar.c - the polar factor of the identity plus few columns
 *
 * N = rho I + C X' has the polar factor N (N'N)^-1/2, near enough
 *
 *     m N (I + sum_j a_j (N'N + c_j I)^-1)                (zolotarev.h)
 *
 * for N divided by its norm.  With U = [C X] and J = [0, rho I; rho I, G],
 * N'N = rho^2 I + U J U', so that Woodbury's identity gives
 *
 *     (N'N + c I)^-1 = (I - U A^-1 U') / s,      s = rho^2 + c,
 *     A = s J^-1 + U'U = [-c/rho^2 G, E + s/rho I;  E' + s/rho I, F].
 *
 * Let b = rho^2 / c, t = s / rho, Y = G^-1 E + t G^-1 and
 *
 *     S = F + b (E' G^-1 E + t (G^-1 E + E' G^-1) + t^2 G^-1):
 *
 *     A^-1 = [-b G^-1 + b^2 Y S^-1 Y',  b Y S^-1;  b S^-1 Y',  S^-1].
 *
 * For each j only S is inverted: the sums over j are taken of multiples of
 * S^-1, before the products with G^-1 E and G^-1.  At last N U = U L with
 * L = [rho I + E', F; 0, rho I].
 */
#include "base/lowrankpolar.h"

#include "base/parallelgemm.h"
#include "base/zolotarev.h"

#include <lapacke.h>
#include <math.h>

/* Of the approximation: the dictionary is float. */
#define ERROR 3e-8

/* The share of a column of C that is not in the span of those before it, below
 * which the inverse of G is not accurate. */
#define DEPENDENT 1e-3

/* Weighted sums of S^-1: with weight w, P_k has w b t^k, R_k w b^2 t^k. */
enum { PLAIN_SUM, P0, P1, R0, R1, R2, SUMS };

typedef struct {
  int w;
  Mat E, F;       /* of N divided by its norm */
  Mat inverse;    /* of G */
  Mat Y;          /* G^-1 E */
  Mat EY;         /* E' G^-1 E */
  Mat S;
  Mat sums[SUMS];
  double rho, tau, b; /* sums of weights: m (1 + sum a / s), sum w b */
} LowRank;

static void
low_rank_init (LowRank *self, int w, double rho)
{
  Mat *all[] = { &self->E, &self->F, &self->inverse,
                 &self->Y, &self->EY, &self->S };

  self->w = w;
  self->rho = rho;
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    *all[i] = mat_new (w, w);
  for (int i = 0; i < SUMS; i++)
    self->sums[i] = mat_new (w, w);
}

static void
low_rank_clear (LowRank *self)
{
  Mat *all[] = { &self->E, &self->F, &self->inverse,
                 &self->Y, &self->EY, &self->S };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    mat_clear (all[i]);
  for (int i = 0; i < SUMS; i++)
    mat_clear (&self->sums[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LowRank, low_rank_clear)

/* A = A^-1, both triangles, of a positive definite A; FALSE if it is not, or
 * if what is left of a column is less than @least of it. */
static gboolean
invert (Mat *A, double least)
{
  g_autofree double *before = g_new (double, MAX (1, A->rows));

  for (int i = 0; i < A->rows; i++)
    before[i] = *mat_at (A, i, i);
  if (LAPACKE_dpotrf_work (LAPACK_COL_MAJOR, 'L', A->rows, A->data, A->ld)
      != 0)
    return FALSE;
  for (int i = 0; i < A->rows; i++)
    if (!(pow (*mat_at (A, i, i), 2) > least * before[i]))
      return FALSE;
  if (LAPACKE_dpotri_work (LAPACK_COL_MAJOR, 'L', A->rows, A->data, A->ld)
      != 0)
    return FALSE;
  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < j; i++)
      *mat_at (A, i, j) = *mat_at (A, j, i);
  return TRUE;
}

static gboolean
prepare (LowRank *self, const Mat *G, const Mat *E, const Mat *F, double norm)
{
  int w = self->w;

  mat_copy (G, &self->inverse);
  for (int j = 0; j < w; j++) {
    if (*mat_at (G, j, j) == 0)
      *mat_at (&self->inverse, j, j) = 1; /* a sample of zeros */
    for (int i = 0; i < w; i++) {
      *mat_at (&self->E, i, j) = *mat_at (E, i, j) / norm;
      *mat_at (&self->F, i, j) = *mat_at (F, i, j) / (norm * norm);
    }
  }
  if (!invert (&self->inverse, DEPENDENT))
    return FALSE;
  parallel_gemm (1, &self->inverse, PLAIN, &self->E, PLAIN, 0, &self->Y);
  parallel_gemm (1, &self->E, TRANSPOSED, &self->Y, PLAIN, 0, &self->EY);
  return TRUE;
}

/* Adds term @j to all sums. */
static gboolean
add_term (LowRank *self, const Zolotarev *z, int j)
{
  double s = self->rho * self->rho + z->c[j], t = s / self->rho;
  double b = self->rho * self->rho / z->c[j], weight = z->m * z->a[j] / s;
  const double factors[SUMS] = { weight,
                                 weight * b,
                                 weight * b * t,
                                 weight * b * b,
                                 weight * b * b * t,
                                 weight * b * b * t * t };

  for (int col = 0; col < self->w; col++)
    for (int row = 0; row < self->w; row++)
      *mat_at (&self->S, row, col) =
        *mat_at (&self->F, row, col)
        + b
            * (*mat_at (&self->EY, row, col)
               + t * (*mat_at (&self->Y, row, col)
                      + *mat_at (&self->Y, col, row))
               + t * t * *mat_at (&self->inverse, row, col));
  if (!invert (&self->S, 0))
    return FALSE;
  for (int i = 0; i < SUMS; i++)
    vector_axpy (self->w * self->w, factors[i], self->S.data,
                 self->sums[i].data);
  self->tau += weight;
  self->b += weight * b;
  return TRUE;
}

/* to = A Y' + B G^-1. */
static void
join (const LowRank *self, int a, int b, Mat *to)
{
  parallel_gemm (1, &self->sums[a], PLAIN, &self->Y, TRANSPOSED, 0, to);
  parallel_gemm (1, &self->sums[b], PLAIN, &self->inverse, PLAIN, 1, to);
}

/* The weighted sum of A^-1: top left, bottom left; bottom right is in sums. */
static void
sum_inverses (LowRank *self, Mat *K11, Mat *K21)
{
  g_auto (Mat) left = mat_new (self->w, self->w);

  join (self, P0, P1, K21);
  mat_copy (&self->inverse, K11);
  join (self, R0, R1, &left);
  parallel_gemm (1, &self->Y, PLAIN, &left, PLAIN, -self->b, K11);
  join (self, R1, R2, &left);
  parallel_gemm (1, &self->inverse, PLAIN, &left, PLAIN, 1, K11);
}

static Mat
quarter (const Mat *K, int row, int col)
{
  int w = K->rows / 2;

  return (Mat){ mat_at (K, row * w, col * w), w, w, K->ld };
}

/* K = [0, tau I; 0, 0] - L A, with A the sum of inverses. */
static void
finish (LowRank *self, double norm, Mat *K)
{
  int w = self->w;
  g_auto (Mat) K11 = mat_new (w, w);
  g_auto (Mat) K21 = mat_new (w, w);
  Mat *K22 = &self->sums[PLAIN_SUM];
  Mat top_left = quarter (K, 0, 0), top_right = quarter (K, 0, 1);

  sum_inverses (self, &K11, &K21);
  for (int j = 0; j < w; j++)
    for (int i = 0; i < w; i++) {
      *mat_at (&top_left, i, j) = self->rho * *mat_at (&K11, i, j);
      *mat_at (&top_right, i, j) =
        self->rho * *mat_at (&K21, j, i) - (i == j ? self->tau : 0);
      *mat_at (K, w + i, j) = -self->rho * *mat_at (&K21, i, j) / norm;
      *mat_at (K, w + i, w + j) =
        -self->rho * *mat_at (K22, i, j) / (norm * norm);
    }
  parallel_gemm (-1, &self->E, TRANSPOSED, &K11, PLAIN, -1, &top_left);
  parallel_gemm (-1, &self->F, PLAIN, &K21, PLAIN, 1, &top_left);
  parallel_gemm (-1 / norm, &self->E, TRANSPOSED, &K21, TRANSPOSED, -1 / norm,
                 &top_right);
  parallel_gemm (-1 / norm, &self->F, PLAIN, K22, PLAIN, 1, &top_right);
}

gboolean
low_rank_polar (const Mat *G, const Mat *E, const Mat *F, double rho,
                double norm, double least, Mat *K)
{
  Zolotarev z;
  g_auto (LowRank) self = { 0 };

  g_return_val_if_fail (K->rows == 2 * G->rows && K->cols == K->rows, FALSE);

  if (!(least > 0) || !isfinite (norm)
      || !zolotarev_make (&z, fmin (0.99, least / norm), ERROR))
    return FALSE;
  low_rank_init (&self, G->rows, rho / norm);
  if (!prepare (&self, G, E, F, norm))
    return FALSE;
  self.tau = z.m;
  for (int j = 0; j < z.terms; j++)
    if (!add_term (&self, &z, j))
      return FALSE;
  finish (&self, norm, K);
  return TRUE;
}
