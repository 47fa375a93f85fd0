/* cholesky.c - keep a Cholesky factor current while its matrix changes
 *
 * Appending.  With A's new row [a' d] the factor grows by [l' r], where
 *     L l = a,   r^2 = d - l'l.
 * r^2 is the squared distance of the new basis vector from the span of the
 * old ones; relative to d it tells how much of the vector is new.
 *
 * Updating.  [L v] is already a factor of L L' + v v', with one column too
 * many.  Rotating column k against v leaves the product as it is; the angle
 *     c = L_kk / r,   s = v_k / r,   r = sqrt (L_kk^2 + v_k^2)
 * makes v_k zero.  After all n rotations v = 0 and L is the new factor.  For
 * an upper factor the same is done from the last column to the first, where
 * only entries 0 .. k are touched.
 *
 * Upper factors.  With J the matrix that reverses the order, J A J = L L'
 * gives A = (J L J)(J L J)', and J L J is upper triangular.
 */
#include "base/cholesky.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

gboolean
cholesky_factor (Mat *A)
{
  g_return_val_if_fail (A->rows == A->cols, FALSE);

  return LAPACKE_dpotrf (LAPACK_COL_MAJOR, 'L', A->rows, A->data, A->ld) == 0;
}

gboolean
cholesky_append (Mat *L, int n, const double *row, double tolerance)
{
  double *l = mat_at (L, n, 0);
  double rest = row[n];

  g_return_val_if_fail (n < L->rows && n < L->cols, FALSE);

  /* l = L^-1 a, written straight into row n of L. */
  for (int i = 0; i < n; i++) {
    double sum = row[i];

    for (int j = 0; j < i; j++)
      sum -= *mat_at (L, i, j) * l[(gsize) j * (gsize) L->ld];
    sum /= *mat_at (L, i, i);
    l[(gsize) i * (gsize) L->ld] = sum;
    rest -= sum * sum;
  }
  if (!(rest > tolerance * row[n]))
    return FALSE;
  *mat_at (L, n, n) = sqrt (rest);
  return TRUE;
}

/* Rotates column @k of @L against @v so that v_k becomes zero. */
static void
rotate_out (Mat *L, double *v, int k)
{
  double *l = mat_at (L, k, k);
  double r = hypot (l[0], v[k]);

  cblas_drot (L->rows - k, l, 1, v + k, 1, l[0] / r, v[k] / r);
}

void
cholesky_update (Mat *L, double *v)
{
  g_return_if_fail (L->rows == L->cols);

  for (int k = 0; k < L->rows; k++)
    rotate_out (L, v, k);
}

/* A = J A J. */
static void
reverse (Mat *A)
{
  for (gsize i = 0, last = (gsize) A->rows * (gsize) A->cols - 1; i < last - i;
       i++) {
    double *low =
      mat_at (A, (int) (i % (gsize) A->rows), (int) (i / (gsize) A->rows));
    double *high = mat_at (A, (int) ((last - i) % (gsize) A->rows),
                           (int) ((last - i) / (gsize) A->rows));
    double swap = *low;

    *low = *high;
    *high = swap;
  }
}

gboolean
cholesky_factor_upper (Mat *A)
{
  reverse (A);
  if (!cholesky_factor (A))
    return FALSE;
  for (int j = 1; j < A->cols; j++)
    memset (mat_at (A, 0, j), 0, (gsize) j * sizeof (double));
  reverse (A);
  return TRUE;
}

void
cholesky_update_upper (Mat *U, double *v, int m)
{
  for (int k = m - 1; k >= 0; k--) {
    double *u = mat_at (U, 0, k);
    double r = hypot (u[k], v[k]);

    cblas_drot (k + 1, u, 1, v, 1, u[k] / r, v[k] / r);
  }
}

void
cholesky_solve_lower (const Mat *L, int n, double *x)
{
  cblas_dtrsv (CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n,
               L->data, L->ld, x, 1);
}

void
cholesky_solve_upper (const Mat *L, int n, double *x)
{
  cblas_dtrsv (CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, L->data,
               L->ld, x, 1);
}

void
cholesky_solve (const Mat *L, int n, double *x)
{
  cholesky_solve_lower (L, n, x);
  cholesky_solve_upper (L, n, x);
}
