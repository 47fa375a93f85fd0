/* test_cholesky.c - a factor kept current equals one made from scratch */
#include "base/cholesky.h"
#include "tests/support.h"

#include <math.h>

/* I + B B'. */
static Mat
gram (const Mat *B)
{
  Mat A = mat_new (B->rows, B->rows);

  for (int i = 0; i < A.rows; i++)
    *mat_at (&A, i, i) = 1;
  mat_multiply (1, B, PLAIN, B, TRANSPOSED, 1, &A);
  return A;
}

/* The lower factor of I + B B', from scratch by LAPACK, zero above. */
static Mat
factor_of_gram (const Mat *B)
{
  Mat L = gram (B);

  g_assert_true (cholesky_factor (&L));
  for (int j = 0; j < L.cols; j++)
    for (int i = 0; i < j; i++)
      *mat_at (&L, i, j) = 0;
  return L;
}

static void
test_update_equals_refactoring (void)
{
  g_test_summary (
    "Adding v v' to a factor gives what factoring A + v v' does");

  for (int n = 1; n <= 64; n *= 4) {
    g_auto (Mat) B = random_mat (n, 5, 1);
    Mat first_four = mat_columns (&B, 0, 4);
    g_auto (Mat) U = gram (&first_four);
    g_auto (Mat) expected = gram (&B);

    g_assert_true (cholesky_factor_upper (&U));
    g_assert_true (cholesky_factor_upper (&expected));
    cholesky_update_upper (&U, mat_at (&B, 0, 4), n);
    assert_at_most (largest_difference (&U, &expected), 1e-12 * n);
  }
}

/* U is upper triangular, and U U' is what was factored. */
static void
test_upper_factor (void)
{
  enum { N = 33 };
  g_auto (Mat) B = random_mat (N, 7, 5);
  g_auto (Mat) A = gram (&B);
  g_auto (Mat) U = gram (&B);
  g_auto (Mat) product = mat_new (N, N);

  g_assert_true (cholesky_factor_upper (&U));
  for (int j = 0; j < N; j++)
    for (int i = j + 1; i < N; i++)
      g_assert_cmpfloat (*mat_at (&U, i, j), ==, 0);
  mat_multiply (1, &U, PLAIN, &U, TRANSPOSED, 0, &product);
  assert_at_most (largest_difference (&A, &product), 1e-12 * N);
}

static void
test_solve (void)
{
  enum { N = 30 };
  g_auto (Mat) B = random_mat (N, 9, 3);
  g_auto (Mat) A = gram (&B);
  g_auto (Mat) L = factor_of_gram (&B);
  g_auto (Mat) x = random_mat (N, 1, 4);
  g_auto (Mat) y = mat_new (N, 1);

  mat_multiply (1, &A, PLAIN, &x, PLAIN, 0, &y);
  cholesky_solve (&L, N, y.data);
  assert_at_most (largest_difference (&x, &y), 1e-11);
}

static void
test_solve_columns (void)
{
  enum { N = 30, COLS = 7 };
  g_auto (Mat) B = random_mat (N, 9, 5);
  g_auto (Mat) L = factor_of_gram (&B);
  g_auto (Mat) X = random_mat (N, COLS, 6);
  g_auto (Mat) expected = mat_new (N, COLS);

  mat_copy (&X, &expected);
  for (int j = 0; j < COLS; j++)
    cholesky_solve (&L, N, mat_at (&expected, 0, j));
  cholesky_solve_columns (&L, &X);
  assert_at_most (largest_difference (&X, &expected), 1e-12);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/cholesky/upper", test_upper_factor);
  g_test_add_func ("/cholesky/update", test_update_equals_refactoring);
  g_test_add_func ("/cholesky/solve", test_solve);
  g_test_add_func ("/cholesky/columns", test_solve_columns);
  return g_test_run ();
}
