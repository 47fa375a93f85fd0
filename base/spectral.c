#include "base/spectral.h"

#include <cblas.h>
#include <math.h>

/* A step that adds less than this is the last one. */
#define GROWTH 1e-4
#define MAX_STEPS 30

/* |E|_2, from |E v| for unit vectors v, the next one being along E'E v. */
static double
iterate (const Mat *E)
{
  g_auto (Mat) v = mat_new (E->cols, 1);
  g_auto (Mat) u = mat_new (E->rows, 1);
  double norm = 0;

  for (int i = 0; i < E->cols; i++)
    v.data[i] = 1 + (i % 7) / 7.; /* anything but a singular vector */
  for (int step = 0; step < MAX_STEPS; step++) {
    double length = sqrt (cblas_ddot (E->cols, v.data, 1, v.data, 1)), next;

    if (!(length > 0) || !isfinite (length))
      return norm;
    cblas_dscal (E->cols, 1 / length, v.data, 1);
    mat_multiply (1, E, PLAIN, &v, PLAIN, 0, &u);
    next = sqrt (cblas_ddot (E->rows, u.data, 1, u.data, 1));
    if (!isfinite (next) || next <= norm * (1 + GROWTH))
      return fmax (next, norm);
    norm = next;
    mat_multiply (1, E, TRANSPOSED, &u, PLAIN, 0, &v);
  }
  return norm;
}

double
spectral_distance (const Mat *A, const Mat *B)
{
  g_auto (Mat) E = mat_new (A->rows, A->cols);

  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < A->rows; i++)
      *mat_at (&E, i, j) = *mat_at (A, i, j) - *mat_at (B, i, j);
  return iterate (&E);
}

double
spectral_distance_float (const MatF *A, const MatF *B)
{
  g_auto (Mat) E = mat_new (A->rows, A->cols);

  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < A->rows; i++)
      *mat_at (&E, i, j) =
        (double) *matf_at (A, i, j) - (double) *matf_at (B, i, j);
  return iterate (&E);
}
