/* cholesky.c - keep a Cholesky factor current while its matrix changes
 *
 * Updating.  [U v] is already a factor of U U' + v v', with one column too
 * many.  Rotating column k against v leaves the product as it is; the angle
 *     c = U_kk / r,   s = v_k / r,   r = sqrt (U_kk^2 + v_k^2)
 * makes v_k zero.  From the last column to the first only entries 0 .. k of
 * both are touched, so that U stays triangular; then v = 0 and U is the new
 * factor.
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
cholesky_solve (const Mat *L, int n, double *x)
{
  cblas_dtrsv (CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n,
               L->data, L->ld, x, 1);
  cblas_dtrsv (CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, L->data,
               L->ld, x, 1);
}

void
cholesky_solve_columns (const Mat *L, Mat *B)
{
  g_return_if_fail (L->rows == L->cols && L->rows == B->rows);

  LAPACKE_dpotrs (LAPACK_COL_MAJOR, 'L', B->rows, B->cols, L->data, L->ld,
                  B->data, B->ld);
}
