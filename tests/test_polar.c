/* test_polar.c - the fast polar factor equals the SVD's */
#include "base/lowrankpolar.h"
#include "base/parallel.h"
#include "base/polar.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

static Mat
random_orthonormal (int n, guint64 seed)
{
  Mat Q = random_mat (n, n, seed);

  g_assert_true (polar_svd (&Q, NULL, 0, &Q));
  return Q;
}

/* Q S R' with singular values falling from 1 to 1 / condition. */
static Mat
conditioned (int n, double condition, guint64 seed)
{
  g_auto (Mat) Q = random_orthonormal (n, seed);
  g_auto (Mat) R = random_orthonormal (n, seed + 1);
  Mat M = mat_new (n, n);

  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      *mat_at (&Q, i, j) *= pow (condition, n > 1 ? -(double) j / (n - 1) : 0);
  mat_multiply (1, &Q, PLAIN, &R, TRANSPOSED, 0, &M);
  return M;
}

static double
not_orthonormal (const Mat *Q)
{
  g_auto (Mat) gram = mat_new (Q->cols, Q->cols);
  double worst = 0;

  mat_multiply (1, Q, TRANSPOSED, Q, PLAIN, 0, &gram);
  for (int j = 0; j < gram.cols; j++)
    for (int i = 0; i < gram.rows; i++)
      worst = fmax (worst, fabs (*mat_at (&gram, i, j) - (i == j)));
  return worst;
}

static void
test_svd (void)
{
  for (int n = 1; n <= 60; n += 13) {
    g_auto (Mat) M = conditioned (n, 100, (guint64) n);
    g_auto (Mat) Q = mat_new (n, n);
    g_auto (Mat) H = mat_new (n, n);

    g_assert_true (polar_svd (&M, NULL, 0, &Q));
    assert_at_most (not_orthonormal (&Q), 1e-13 * (n + 10));
    /* Q' M is symmetric with positive diagonal: then Q is the polar factor. */
    mat_multiply (1, &Q, TRANSPOSED, &M, PLAIN, 0, &H);
    for (int j = 0; j < n; j++) {
      g_assert_cmpfloat (*mat_at (&H, j, j), >, 0);
      for (int i = 0; i < j; i++)
        assert_at_most (fabs (*mat_at (&H, i, j) - *mat_at (&H, j, i)), 1e-13);
    }
  }
}

/* Where M says nothing, the old factor is kept. */
static void
test_singular_keeps_old (void)
{
  enum { N = 12 };
  g_auto (Mat) old = random_orthonormal (N, 5);
  g_auto (Mat) M = mat_new (N, N);
  g_auto (Mat) Q = mat_new (N, N);

  /* Five of the old columns, any lengths: the old factor fits exactly. */
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < N; i++)
      *mat_at (&M, i, j) = (1 + j) * *mat_at (&old, i, j);
  g_assert_true (polar_svd (&M, &old, 1e-10, &Q));
  assert_at_most (largest_difference (&Q, &old), 1e-12);
}

static void
test_fast_equals_svd (void)
{
  const double conditions[] = { 1, 3, 50, 200 };

  for (int n = 1; n <= 301; n += 75)
    for (gsize c = 0; c < G_N_ELEMENTS (conditions); c++)
      for (int threads = 1; threads <= 4; threads += 3) {
        g_auto (Mat) M = conditioned (n, conditions[c], (guint64) n);
        g_auto (MatF) narrow = matf_new (n, n);
        g_auto (MatF) fast = matf_new (n, n);
        g_auto (Mat) expected = mat_new (n, n);
        g_auto (Mat) got = mat_new (n, n);
        g_autoptr (PolarWorkspace) workspace = polar_workspace_new (n);

        parallel_init (threads);
        mat_to_float (&M, &narrow);
        mat_from_float (&narrow, &M);
        g_assert_true (polar_svd (&M, NULL, 0, &expected));
        g_assert_true (polar_fast (workspace, &narrow, 0.005, &fast));
        mat_from_float (&fast, &got);
        assert_at_most (largest_difference (&got, &expected), 1e-5);
        assert_at_most (not_orthonormal (&got), 1e-5);
        g_assert_cmpint (polar_fallbacks (workspace), ==, 0);
      }
}

/* A wrong guess of the smallest singular value costs time alone. */
static void
test_wrong_guess (void)
{
  enum { N = 80 };
  const double guesses[] = { 1e-9, 0.01, 0.3, 2, 1e9 };
  g_auto (Mat) M = conditioned (N, 10, 3);
  g_auto (Mat) expected = mat_new (N, N);
  g_auto (Mat) got = mat_new (N, N);
  g_auto (MatF) narrow = matf_new (N, N);
  g_auto (MatF) fast = matf_new (N, N);
  g_autoptr (PolarWorkspace) workspace = polar_workspace_new (N);

  g_assert_true (polar_svd (&M, NULL, 0, &expected));
  mat_to_float (&M, &narrow);
  for (gsize i = 0; i < G_N_ELEMENTS (guesses); i++) {
    g_assert_true (polar_fast (workspace, &narrow, guesses[i], &fast));
    mat_from_float (&fast, &got);
    assert_at_most (largest_difference (&got, &expected), 1e-5);
  }
  g_assert_cmpint (polar_fallbacks (workspace), ==, 0);
}

/* Polar (rho I + C X') from products of the columns; @zeros of them are zero,
 * and the last of C is @nearly that before it. */
static gboolean
low_rank_error (double rho, int zeros, double nearly, double *error)
{
  enum { N = 70, W = 20 };
  g_auto (Mat) U = random_mat (N, 2 * W, 4);
  Mat C = mat_columns (&U, 0, W), X = mat_columns (&U, W, W);
  g_auto (Mat) gram = mat_new (2 * W, 2 * W);
  g_auto (Mat) K = mat_new (2 * W, 2 * W);
  g_auto (Mat) left = mat_new (N, 2 * W);
  g_auto (Mat) M = mat_new (N, N);
  g_auto (Mat) Q = mat_new (N, N);
  g_autofree double *s = g_new (double, N);
  Mat E, F;

  for (int j = 0; j < zeros; j++)
    for (int i = 0; i < N; i++)
      *mat_at (&C, i, j) = *mat_at (&X, i, j) = 0;
  for (int i = 0; i < N; i++)
    *mat_at (&C, i, W - 1) = nearly * *mat_at (&C, i, W - 2)
                             + (1 - nearly) * *mat_at (&C, i, W - 1);
  for (int i = 0; i < N; i++)
    *mat_at (&M, i, i) = rho;
  mat_multiply (1, &C, PLAIN, &X, TRANSPOSED, 1, &M);
  mat_multiply (1, &U, TRANSPOSED, &U, PLAIN, 0, &gram);
  E = (Mat){ mat_at (&gram, 0, W), W, W, gram.ld };
  F = (Mat){ mat_at (&gram, W, W), W, W, gram.ld };
  gram.rows = gram.cols = W; /* G is the first quarter */
  mat_multiply (1, &M, TRANSPOSED, &M, PLAIN, 0, &Q);
  g_assert_true (mat_eigen (&Q, s));
  if (!low_rank_polar (&gram, &E, &F, rho, 1.01 * sqrt (s[N - 1]),
                       0.9 * sqrt (s[0]), &K))
    return FALSE;
  mat_multiply (1, &U, PLAIN, &K, PLAIN, 0, &left);
  g_assert_true (polar_svd (&M, NULL, 0, &Q));
  for (int i = 0; i < N; i++)
    *mat_at (&Q, i, i) -= 1;
  mat_multiply (-1, &left, PLAIN, &U, TRANSPOSED, 1, &Q);
  *error = sqrt (mat_dot (&Q, &Q));
  return TRUE;
}

static void
test_low_rank (void)
{
  double error = 1;

  for (double rho = 30; rho < 2000; rho *= 4) {
    g_assert_true (low_rank_error (rho, 0, 0, &error));
    assert_at_most (error, 1e-6);
    g_assert_true (low_rank_error (rho, 3, 0, &error));
    assert_at_most (error, 1e-6);
  }
  g_assert_false (low_rank_error (100, 0, 0.99999, &error));
}

static void
test_fast_falls_back (void)
{
  enum { N = 40 };
  g_auto (Mat) M = conditioned (N, 1e9, 8);
  g_auto (MatF) narrow = matf_new (N, N);
  g_auto (MatF) fast = matf_new (N, N);
  g_auto (Mat) got = mat_new (N, N);
  g_autoptr (PolarWorkspace) workspace = polar_workspace_new (N);

  mat_to_float (&M, &narrow);
  g_assert_true (polar_fast (workspace, &narrow, 0.005, &fast));
  g_assert_cmpint (polar_fallbacks (workspace), ==, 1);
  mat_from_float (&fast, &got);
  assert_at_most (not_orthonormal (&got), 1e-5);
}

static void
test_threads_give_the_same (void)
{
  enum { N = 610 }; /* several blocks */
  g_auto (MatF) M = random_matf (N, N, 9);
  g_auto (MatF) one = matf_new (N, N);
  g_auto (MatF) four = matf_new (N, N);
  g_autoptr (PolarWorkspace) workspace = polar_workspace_new (N);

  for (int i = 0; i < N; i++)
    *matf_at (&M, i, i) += 60;
  parallel_init (1);
  g_assert_true (polar_fast (workspace, &M, 0.02, &one));
  parallel_init (4);
  g_assert_true (polar_fast (workspace, &M, 0.02, &four));
  g_assert_cmpint (polar_fallbacks (workspace), ==, 0);
  g_assert_cmpmem (one.data, N * N * 4, four.data, N * N * 4);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/polar/svd", test_svd);
  g_test_add_func ("/polar/singular", test_singular_keeps_old);
  g_test_add_func ("/polar/fast", test_fast_equals_svd);
  g_test_add_func ("/polar/guess", test_wrong_guess);
  g_test_add_func ("/polar/low-rank", test_low_rank);
  g_test_add_func ("/polar/fallback", test_fast_falls_back);
  g_test_add_func ("/polar/threads", test_threads_give_the_same);
  return g_test_run ();
}
