/* Inverses of symmetric positive definite matrices. */
#include "base/multiplyadd.h"
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

/* The same in float. */
static MatF
covariance_float (int n, int cols, double ridge)
{
  g_auto (Mat) A = covariance (n, cols, ridge);
  MatF F = matf_new (n, n);

  mat_to_float (&A, &F);
  return F;
}

static void
check_inverse (int n, double ridge)
{
  g_auto (MatF) A = covariance_float (n, 20, ridge);
  g_auto (MatF) inverse = covariance_float (n, 20, ridge);
  g_auto (MatF) product = matf_new (n, n);

  g_assert_true (spd_invert (&inverse));
  matf_multiply (1, &A, PLAIN, &inverse, PLAIN, 0, &product);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      assert_at_most (fabs ((double) *matf_at (&product, i, j) - (i == j)),
                      3e-6 / ridge);
}

/* A A^-1 = I, also when A is nearly singular: 48 samples from 20 patches. */
static void
test_inverse (void)
{
  const int sizes[] = { 1, 2, 3, 25, 32, 48, 75 };
  const double ridges[] = { 1, 1e-2, 1e-4 };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (gsize r = 0; r < G_N_ELEMENTS (ridges); r++)
      check_inverse (sizes[s], ridges[r]);
}

/* Every bit is the same with all sets of instructions that fuse, whatever the
 * width of their vectors; and nearly so with the others. */
static void
test_sets (void)
{
  const int sizes[] = { 5, 16, 31, 48 };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    int n = sizes[s];
    g_auto (MatF) first = covariance_float (n, 20, 0.1);
    gboolean found = FALSE;

    g_assert_true (spd_invert_with (0, &first, &found) && found);
    for (int set = 1; set < CPU_SETS; set++) {
      g_auto (MatF) other = covariance_float (n, 20, 0.1);

      if (!spd_invert_with (set, &other, &found))
        break;
      g_assert_true (found);
      if (cpu_set_fuses (cpu_set (set)) == cpu_set_fuses (cpu_set (0)))
        g_assert_cmpmem (first.data, (gsize) (n * n) * sizeof (float),
                         other.data, (gsize) (n * n) * sizeof (float));
      for (int i = 0; i < n * n; i++)
        assert_at_most (fabsf (first.data[i] - other.data[i]), 1e-4);
    }
  }
}

/* Views with a gap between columns, as a part of a larger matrix. */
static void
test_view (void)
{
  g_auto (MatF) room = covariance_float (9, 20, 0.1);
  g_auto (MatF) before = covariance_float (9, 20, 0.1);
  g_auto (MatF) small = matf_new (5, 5);
  MatF view = { matf_at (&room, 2, 2), 5, 5, 9 };

  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 5; i++)
      *matf_at (&small, i, j) = *matf_at (&view, i, j);
  g_assert_true (spd_invert (&view));
  g_assert_true (spd_invert (&small));
  for (int j = 0; j < 9; j++)
    for (int i = 0; i < 9; i++) {
      gboolean inside = i >= 2 && i < 7 && j >= 2 && j < 7;

      g_assert_cmpfloat (*matf_at (&room, i, j), ==,
                         inside ? *matf_at (&small, i - 2, j - 2)
                                : *matf_at (&before, i, j));
    }
}

/* Matrices that have no such inverse. */
static void
test_refusal (void)
{
  const float matrices[][4] = { { 0, 0, 0, 0 },        { 1, 2, 2, 1 },
                                { -1, 0, 0, 1 },       { 1, 0, 0, NAN },
                                { INFINITY, 0, 0, 1 }, { 1, 1, 1, 1 },
                                { 1e-40f, 0, 0, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (matrices); i++) {
    float data[4];
    MatF A = { data, 2, 2, 2 };

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
  g_test_add_func ("/spdinverse/sets", test_sets);
  g_test_add_func ("/spdinverse/view", test_view);
  g_test_add_func ("/spdinverse/refusal", test_refusal);
  return g_test_run ();
}
