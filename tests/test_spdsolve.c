/* test_spdsolve.c - small systems, by what they solve */
#include "base/random.h"
#include "base/spdsolve.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

#define N 7
#define LD 9

static void
test_solution (void)
{
  double G[N][N], A[N][LD] = { { 0 } }, L[N][LD], b[N], x[N];

  g_test_summary ("A x = b for the x that is found");
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      G[i][j] = random_uniform (1, (guint64) i, (guint64) j) - 0.5;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = i == j ? 0.1 : 0;
      for (int k = 0; k < N; k++)
        A[i][j] += G[i][k] * G[j][k];
    }
  memcpy (L, A, sizeof L);
  for (int i = 0; i < N; i++)
    x[i] = b[i] = i - 2.5;
  spd_factor (L[0], N, LD);
  spd_solve_lower (L[0], N, LD, x);
  spd_solve_upper (L[0], N, LD, x);
  for (int i = 0; i < N; i++) {
    double sum = 0;

    for (int j = 0; j < N; j++)
      sum += A[i][j] * x[j];
    assert_at_most (fabs (sum - b[i]), 1e-11);
  }
}

static void
test_singular (void)
{
  double L[2][2] = { { 1, 0 }, { 1, 1 } }, b[2] = { 1, 1 };

  g_test_summary ("A singular system has a finite solution");
  spd_factor (L[0], 2, 2);
  spd_solve_lower (L[0], 2, 2, b);
  spd_solve_upper (L[0], 2, 2, b);
  g_assert_true (isfinite (b[0]) && isfinite (b[1]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spdsolve/solution", test_solution);
  g_test_add_func ("/spdsolve/singular", test_singular);
  return g_test_run ();
}
