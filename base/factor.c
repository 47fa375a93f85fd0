#include "base/factor.h"

#include "base/lapackstatus.h"

gboolean
factor_leading_eigenvector (Mat *A, double *vector)
{
  int n = A->rows, found = 0;
  g_autofree double *values = g_new (double, n);
  lapack_int support[2];

  g_return_val_if_fail (A->rows == A->cols && n > 0, FALSE);

  /* Eigenvalues come in ascending order, so only the n-th is requested; a
   * tolerance of 0 means full accuracy. */
  return lapack_succeeded (LAPACKE_dsyevr (LAPACK_COL_MAJOR, 'V', 'I', 'L', n,
                                           A->data, A->ld, 0, 0, n, n, 0,
                                           &found, values, vector, n, support))
         && found == 1;
}
