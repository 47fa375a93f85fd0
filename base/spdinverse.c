/* spdinverse.c - Gauss-Jordan elimination without pivoting
 *
 * Exchanging the k-th variable with the k-th result, for all k in turn, turns
 * y = A x into x = A^-1 y.  One exchange, with p = a_kk:
 *     a_ij -= a_ik a_kj / p,    a_kj /= -p,    a_ik /= p,    a_kk = 1 / p.
 * All pivots, which are those of Gaussian elimination, are positive if and
 * only if the matrix is positive definite; then no element grows.  2 n^3
 * operations, all of them on whole columns, which stay where they are.
 */
#include "base/spdinverse.h"

#include "base/cpudispatch.h"

#include <math.h>

/* a -= factor b, for columns of length @n. */
static inline void
subtract (int n, double factor, const double *restrict b, double *restrict a)
{
  for (int i = 0; i < n; i++)
    a[i] -= factor * b[i];
}

static void
scale (int n, double factor, double *a)
{
  for (int i = 0; i < n; i++)
    a[i] *= factor;
}

/* Exchanges the @k-th variable; FALSE when its pivot is not positive. */
CPU_DISPATCH static gboolean
exchange (Mat *A, int k)
{
  int n = A->rows;
  double *pivots = mat_at (A, 0, k);
  double inverse = 1 / pivots[k];

  if (!(pivots[k] > 0 && pivots[k] < INFINITY && inverse < INFINITY))
    return FALSE;
  for (int j = 0; j < n; j++) {
    double *a = mat_at (A, 0, j);
    double factor = a[k] * inverse;

    if (j == k)
      continue;
    subtract (n, factor, pivots, a);
    a[k] = -factor;
  }
  scale (n, inverse, pivots);
  pivots[k] = inverse;
  return TRUE;
}

gboolean
spd_invert (Mat *A)
{
  g_return_val_if_fail (A->rows == A->cols, FALSE);

  for (int k = 0; k < A->rows; k++)
    if (!exchange (A, k))
      return FALSE;
  return TRUE;
}
