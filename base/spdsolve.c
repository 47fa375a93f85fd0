#include "base/spdsolve.h"

#include <math.h>

#define MIN_PIVOT 1e-12

void
spd_factor (double *A, int n, int ld)
{
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = A[i * ld + j];

      for (int k = 0; k < j; k++)
        sum -= A[i * ld + k] * A[j * ld + k];
      A[i * ld + j] =
        i == j ? sqrt (fmax (sum, MIN_PIVOT)) : sum / A[j * ld + j];
    }
}

void
spd_solve_lower (const double *L, int n, int ld, double *b)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      b[i] -= L[i * ld + k] * b[k];
    b[i] /= L[i * ld + i];
  }
}

void
spd_solve_upper (const double *L, int n, int ld, double *b)
{
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      b[i] -= L[k * ld + i] * b[k];
    b[i] /= L[i * ld + i];
  }
}
