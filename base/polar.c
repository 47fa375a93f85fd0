/* polar.c - the orthonormal factor of a matrix */
#include "base/polar.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

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
  if (LAPACKE_dgesdd (LAPACK_COL_MAJOR, 'A', n, n, work.data, work.ld, s,
                      U.data, U.ld, Vt.data, Vt.ld)
      != 0)
    return FALSE;
  while (rank < n && s[rank] > tolerance * s[0])
    rank++;
  U1 = mat_columns (&U, 0, rank);
  V1t = (Mat) { Vt.data, rank, n, Vt.ld };
  mat_multiply (1, &U1, PLAIN, &V1t, PLAIN, 0, &result);
  if (rank < n && !complete (&U, &Vt, rank, old, &result))
    return FALSE;
  mat_copy (&result, Q);
  return TRUE;
}
