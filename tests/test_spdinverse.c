/* Inverses of symmetric positive definite matrices. */
#include "base/spdinverse.h"
#include "tests/support.h"

#include <math.h>

/* B B' / cols + ridge I, of size n. */
static Mat
covariance (int n, int cols, double ridge)
{
  g_auto (Mat) B = random_mat (n, cols, 1);
  Mat A = mat_new (n, n);

  mat_multiply (1. / cols, &B, PLAIN, &B, TRANSPOSED, 0, &A);
  for (int i = 0; i < n; i++)
    *mat_at (&A, i, i) += ridge;
  return A;
}

/* A A^-1 = I, also when A is nearly singular: 48 samples from 20 patches. */
static void
test_inverse (void)
{
  const int sizes[] = { 1, 2, 3, 25, 48, 75 };
  const double ridges[] = { 1, 1e-2, 1e-6 };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (gsize r = 0; r < G_N_ELEMENTS (ridges); r++) {
      int n = sizes[s];
      g_auto (Mat) A = covariance (n, 20, ridges[r]);
      g_auto (Mat) inverse = covariance (n, 20, ridges[r]);
      g_auto (Mat) product = mat_new (n, n);
      g_auto (Mat) identity = mat_new (n, n);

      for (int i = 0; i < n; i++)
        *mat_at (&identity, i, i) = 1;
      g_assert_true (spd_invert (&inverse));
      mat_multiply (1, &A, PLAIN, &inverse, PLAIN, 0, &product);
      assert_at_most (largest_difference (&product, &identity),
                      1e-13 / ridges[r]);
    }
}

/* Views with a gap between columns, as a part of a larger matrix. */
static void
test_view (void)
{
  g_auto (Mat) room = covariance (9, 20, 0.1);
  g_auto (Mat) before = covariance (9, 20, 0.1);
  g_auto (Mat) small = mat_new (5, 5);
  Mat view = { mat_at (&room, 2, 2), 5, 5, 9 };

  mat_copy (&view, &small);
  g_assert_true (spd_invert (&view));
  g_assert_true (spd_invert (&small));
  assert_at_most (largest_difference (&view, &small), 0);
  for (int j = 0; j < 9; j++)
    for (int i = 0; i < 9; i++)
      if (i < 2 || i >= 7 || j < 2 || j >= 7)
        g_assert_cmpfloat (*mat_at (&room, i, j), ==, *mat_at (&before, i, j));
}

/* Matrices that have no such inverse. */
static void
test_refusal (void)
{
  const double matrices[][4] = { { 0, 0, 0, 0 },        { 1, 2, 2, 1 },
                                 { -1, 0, 0, 1 },       { 1, 0, 0, NAN },
                                 { INFINITY, 0, 0, 1 }, { 1, 1, 1, 1 },
                                 { 1e-320, 0, 0, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (matrices); i++) {
    double data[4];
    Mat A = { data, 2, 2, 2 };

    for (int k = 0; k < 4; k++)
      data[k] = matrices[i][k];
    g_assert_false (spd_invert (&A));
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/spdinverse/inverse", test_inverse);
  g_test_add_func ("/spdinverse/view", test_view);
  g_test_add_func ("/spdinverse/refusal", test_refusal);
  return g_test_run ();
}
