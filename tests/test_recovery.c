/* test_recovery.c - the best signed permutation, against trying them all */
#include "base/random.h"
#include "dictlearn/synthetic.h"
#include "dictlearn/recovery.h"
#include "tests/support.h"

#include <math.h>

/* Least |A S - T|^2 over all ways to give columns j, j + 1, ... of @truth a
 * column of @A that is not taken. */
static double
least_by_trying (const Mat *A, const Mat *truth, int j, gboolean *taken)
{
  double least = INFINITY;

  if (j == truth->cols)
    return 0;
  for (int i = 0; i < A->cols; i++) {
    double plus = 0, minus = 0;

    if (taken[i])
      continue;
    for (int row = 0; row < A->rows; row++) {
      double a = *mat_at (A, row, i), t = *mat_at (truth, row, j);

      plus += (a - t) * (a - t);
      minus += (a + t) * (a + t);
    }
    taken[i] = TRUE;
    least = fmin (least, fmin (plus, minus)
                           + least_by_trying (A, truth, j + 1, taken));
    taken[i] = FALSE;
  }
  return least;
}

static void
assert_least (const Mat *A, const Mat *truth)
{
  g_autofree gboolean *taken = g_new0 (gboolean, A->cols);
  double least = sqrt (least_by_trying (A, truth, 0, taken));

  assert_at_most (fabs (recovery_measure (A, truth).distance - least),
                  1e-12 * (1 + least));
}

static void
test_against_trying (void)
{
  g_test_summary ("The distance is the least of all signed permutations");

  for (int n = 1; n <= 6; n++)
    for (guint64 seed = 0; seed < 200; seed++) {
      g_auto (Mat) A = random_mat (n, n, 2 * seed);
      g_auto (Mat) truth = random_mat (n, n, 2 * seed + 1);

      assert_least (&A, &truth);
    }
}

static void
test_with_atoms_left_over (void)
{
  for (guint64 seed = 0; seed < 100; seed++) {
    g_auto (Mat) A = random_mat (4, 7, 2 * seed);
    g_auto (Mat) truth = random_mat (4, 4, 2 * seed + 1);

    assert_least (&A, &truth);
  }
}

static void
test_ties (void)
{
  g_test_summary ("Equal, zero and small whole entries: many best answers");

  for (int n = 1; n <= 6; n++)
    for (guint64 seed = 0; seed < 100; seed++) {
      guint64 different = 1 + seed % 3; /* 1 makes all entries zero */
      g_auto (Mat) A = mat_new (n, n);
      g_auto (Mat) truth = mat_new (n, n);

      for (int i = 0; i < n * n; i++) {
        A.data[i] = (double) random_below (seed, 1, (guint64) i, different);
        truth.data[i] =
          (double) random_below (seed, 2, (guint64) i, different);
      }
      assert_least (&A, &truth);
    }
}

/* The columns of @truth shuffled, with random signs and @noise added. */
static Mat
disguise (const Mat *truth, double noise, gsize *order)
{
  int n = truth->rows;
  Mat A = mat_new (n, truth->cols);

  random_permutation (5, 0, (gsize) truth->cols, order);
  for (int j = 0; j < truth->cols; j++) {
    double sign = random_uniform (5, 1, (guint64) j) < 0.5 ? -1 : 1;

    for (int i = 0; i < n; i++)
      *mat_at (&A, i, (int) order[j]) =
        sign * *mat_at (truth, i, j)
        + noise * random_normal (5, 2, (guint64) (j * n + i));
  }
  return A;
}

static void
test_known_permutation (void)
{
  g_test_summary ("A disguised dictionary is seen through, to full precision");

  for (int n = 3; n <= 300; n *= 10) {
    g_auto (Mat) truth = random_mat (n, n, 3);
    g_autofree gsize *order = g_new (gsize, n);
    g_autofree int *atom = g_new (int, n);
    g_autofree double *sign = g_new (double, n);

    for (double noise = 0.1; noise > 1e-14; noise *= 1e-3) {
      g_auto (Mat) A = disguise (&truth, noise, order);
      Recovery error = recovery_measure (&A, &truth);

      recovery_match (&A, &truth, atom, sign);
      for (int j = 0; j < n; j++)
        g_assert_cmpint (atom[j], ==, (int) order[j]);
      /* |noise|_F of an n x n matrix is near noise n. */
      assert_at_most (fabs (error.distance / (noise * n) - 1), 0.6);
      assert_at_most (fabs (error.relative / noise - 1), 0.6);
    }
  }
}

static void
test_exact_is_zero (void)
{
  g_auto (Mat) truth = random_mat (40, 40, 1);
  gsize order[40];
  g_auto (Mat) A = disguise (&truth, 0, order);
  Recovery error = recovery_measure (&A, &truth);

  g_assert_cmpfloat (error.distance, ==, 0);
  g_assert_cmpfloat (error.relative, ==, 0);
  g_assert_cmpfloat (error.direction, ==, 0);
  g_assert_cmpfloat (error.worst_direction, ==, 0);
}

static void
test_direction_ignores_scale (void)
{
  enum { N = 25 };
  g_auto (Mat) truth = random_mat (N, N, 2);
  gsize order[N];
  g_auto (Mat) A = disguise (&truth, 0.01, order);
  Recovery before = recovery_measure (&A, &truth), after;

  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      *mat_at (&A, i, j) *= j + 1;
  after = recovery_measure (&A, &truth);
  assert_at_most (fabs (after.direction - before.direction), 1e-15);
  assert_at_most (fabs (after.worst_direction - before.worst_direction),
                  1e-15);
  assert_at_most (after.direction, after.worst_direction);
  g_assert_cmpfloat (after.distance, >, 10 * before.distance);
}

static void
test_one_turned_atom (void)
{
  enum { N = 9 };
  double angle = 0.02, chord = 2 * sin (angle / 2);
  g_auto (Mat) truth = mat_new (N, N);
  g_auto (Mat) A = mat_new (N, N);
  Recovery error;

  g_test_summary ("Errors have the values that the formulas give");

  for (int i = 0; i < N; i++)
    *mat_at (&truth, i, i) = *mat_at (&A, i, i) = 2;
  *mat_at (&A, 0, 0) = -2 * cos (angle);
  *mat_at (&A, 4, 0) = -2 * sin (angle);
  error = recovery_measure (&A, &truth);
  assert_at_most (fabs (error.distance - 2 * chord), 1e-15);
  assert_at_most (fabs (error.relative - chord / sqrt (N)), 1e-15);
  assert_at_most (fabs (error.direction - chord / sqrt (N)), 1e-15);
  assert_at_most (fabs (error.worst_direction - chord), 1e-15);
}

static void
test_not_finite (void)
{
  g_auto (Mat) truth = random_mat (5, 5, 1);
  g_auto (Mat) A = random_mat (5, 5, 2);
  int atom[5];
  double sign[5];
  gboolean used[5] = { FALSE };

  g_test_summary ("NaN and infinity in a dictionary do no harm");

  A.data[3] = NAN;
  A.data[7] = INFINITY;
  recovery_match (&A, &truth, atom, sign);
  for (int j = 0; j < 5; j++) {
    g_assert_false (used[atom[j]]);
    used[atom[j]] = TRUE;
  }
  g_assert_false (isfinite (recovery_measure (&A, &truth).distance));
}

static void
test_large (void)
{
  enum { N = 800 };
  g_auto (Mat) A = random_mat (N, N, 1);
  g_auto (Mat) truth = random_mat (N, N, 2);
  Recovery error;

  g_test_summary ("800 atoms that have nothing to do with each other");

  g_test_timer_start ();
  error = recovery_measure (&A, &truth);
  g_test_message ("%.2f s for %d atoms", g_test_timer_elapsed (), N);
  /* Independent columns have |a - t|^2 near 2 N; the best of many are a little
   * nearer. */
  g_assert_cmpfloat (error.distance, <, sqrt (2.) * N);
  g_assert_cmpfloat (error.distance, >, 1.2 * N);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/recovery/trying", test_against_trying);
  g_test_add_func ("/recovery/left-over", test_with_atoms_left_over);
  g_test_add_func ("/recovery/ties", test_ties);
  g_test_add_func ("/recovery/permutation", test_known_permutation);
  g_test_add_func ("/recovery/exact", test_exact_is_zero);
  g_test_add_func ("/recovery/scale", test_direction_ignores_scale);
  g_test_add_func ("/recovery/one-atom", test_one_turned_atom);
  g_test_add_func ("/recovery/not-finite", test_not_finite);
  g_test_add_func ("/recovery/large", test_large);
  return g_test_run ();
}
