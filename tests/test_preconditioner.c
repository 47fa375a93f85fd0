/* test_preconditioner.c - the updated factor equals the refactored one */
#include "base/random.h"
#include "dictlearn/preconditioner.h"
#include "imaging/patchsource.h"
#include "tests/support.h"

#include <math.h>

/* Samples whose second moment has the condition number of photographs. */
static Mat
ill_conditioned (int n, int count, guint64 seed)
{
  Mat Y = random_mat (n, count, seed);

  for (int j = 0; j < count; j++)
    for (int i = 0; i < n; i++) {
      double shared = i > 0 ? *mat_at (&Y, i - 1, j) : 0;

      /* Neighbours alike, and each entry fainter than the one before. */
      *mat_at (&Y, i, j) =
        0.9 * shared + *mat_at (&Y, i, j) * pow (10, -2.5 * i / n);
    }
  return Y;
}

/* P P' Z = c I is checked as: the whitened samples have second moment I. */
static void
test_whitens (void)
{
  enum { N = 30, P = 500 };
  g_auto (Mat) Y = ill_conditioned (N, P, 1);
  g_autoptr (Preconditioner) pre = preconditioner_new (&Y, 0);
  g_auto (Mat) moment = mat_new (N, N);

  preconditioner_whiten (pre, &Y);
  mat_multiply (1. / P, &Y, PLAIN, &Y, TRANSPOSED, 0, &moment);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      assert_at_most (fabs (*mat_at (&moment, i, j) - (i == j)), 1e-6);
}

/* The paper's text has P = L' with L L' = c Z^-1; its boxes have P = L, with
 * which nothing is whitened.  L' is upper triangular: so must our P be. */
static void
test_is_the_papers (void)
{
  enum { N = 8 };
  g_auto (Mat) Y = random_mat (N, 50, 2);
  g_autoptr (Preconditioner) pre = preconditioner_new (&Y, 0);
  g_auto (Mat) P = mat_new (N, N);

  for (int i = 0; i < N; i++)
    *mat_at (&P, i, i) = 1;
  preconditioner_whiten (pre, &P);
  for (int j = 0; j < N; j++) {
    g_assert_cmpfloat (*mat_at (&P, j, j), >, 0);
    for (int i = j + 1; i < N; i++)
      g_assert_cmpfloat (*mat_at (&P, i, j), ==, 0);
  }
}

static void
test_many_updates_equal_refactoring (void)
{
  enum { N = 100, FIRST = 150, ALL = 20150 };
  g_auto (Mat) Y = ill_conditioned (N, ALL, 3);
  Mat first = mat_columns (&Y, 0, FIRST);
  g_autoptr (Preconditioner) updated = preconditioner_new (&first, 0);
  g_autoptr (Preconditioner) refactored = preconditioner_new (&Y, 0);
  g_auto (Mat) a = mat_new (N, N);
  g_auto (Mat) b = mat_new (N, N);

  for (int j = FIRST; j < ALL; j++)
    preconditioner_add (updated, mat_at (&Y, 0, j), NULL);
  for (int i = 0; i < N; i++)
    *mat_at (&a, i, i) = *mat_at (&b, i, i) = 1;
  preconditioner_unwhiten (updated, &a);
  preconditioner_unwhiten (refactored, &b);
  for (int j = 0; j < N; j++)
    for (int i = 0; i <= j; i++)
      assert_at_most (fabs (*mat_at (&a, i, j) - *mat_at (&b, i, j)),
                      1e-8 * *mat_at (&b, j, j));
}

static Image *
load_path (const char *path, gpointer data, GError **error)
{
  (void) data;
  (void) error;
  return load_image (path);
}

/* The same on patches of a photograph, with no floor and with that of "learn".
 * The number of updates is a multiple of N: only then is the floor even. */
static void
test_updates_on_real_patches (void)
{
  enum { SIDE = 6, N = 3 * SIDE * SIDE, FIRST = 500, ALL = FIRST + 186 * N };
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_autoptr (PatchSource) source = NULL;
  PatchSourceOptions options = { .patch = SIDE,
                                 .channels = 3,
                                 .step = 1,
                                 .max_patches = ALL,
                                 .load = load_path };
  g_auto (Mat) Y = mat_new (N, ALL);
  Mat first = mat_columns (&Y, 0, FIRST);

  g_ptr_array_add (paths, (gpointer) "data/photos/forest3.png");
  source = patch_source_new (paths, &options, NULL);
  g_assert_cmpint (patch_source_read (source, &Y), ==, ALL);
  for (int floor = 0; floor <= 3; floor += 3) {
    g_autoptr (Preconditioner) updated = preconditioner_new (&first, floor);
    g_autoptr (Preconditioner) refactored = preconditioner_new (&Y, floor);
    g_auto (Mat) a = random_mat (N, N, 9);
    g_auto (Mat) b = random_mat (N, N, 9);

    for (int j = FIRST; j < ALL; j++)
      preconditioner_add (updated, mat_at (&Y, 0, j), NULL);
    preconditioner_whiten (updated, &a);
    preconditioner_whiten (refactored, &b);
    g_test_message ("floor %d: relative difference %.1e", floor,
                    mat_distance (&a, &b) / sqrt (mat_dot (&b, &b)));
    assert_at_most (mat_distance (&a, &b) / sqrt (mat_dot (&b, &b)), 1e-8);
  }
}

/* P^-1 P W = W, and samples whitened in float are those whitened in double. */
static void
test_inverse (void)
{
  enum { N = 25, COLS = 230 };
  g_auto (Mat) Y = ill_conditioned (N, 80, 4);
  g_autoptr (Preconditioner) pre = preconditioner_new (&Y, 0.01);
  g_auto (Mat) W = random_mat (N, COLS, 5);
  g_auto (MatF) narrow = matf_new (N, COLS);
  g_auto (MatF) white = matf_new (N, COLS);
  g_auto (Mat) before = mat_new (N, COLS);
  g_auto (Mat) wide = mat_new (N, COLS);

  mat_to_float (&W, &narrow);
  mat_from_float (&narrow, &W);
  mat_copy (&W, &before);
  preconditioner_whiten_samples (pre, &narrow, &white);
  mat_from_float (&white, &wide);
  preconditioner_whiten (pre, &W);
  assert_at_most (mat_distance (&W, &wide), 1e-6 * sqrt (mat_dot (&W, &W)));
  preconditioner_unwhiten (pre, &W);
  assert_at_most (largest_difference (&W, &before), 1e-9);
}

/* Whitened samples follow P, with and without a floor. */
static void
test_follow (void)
{
  enum { N = 45, COLS = 37, MORE = 60 };
  g_auto (Mat) Y = ill_conditioned (N, 80, 4);
  g_auto (Mat) more = ill_conditioned (N, MORE, 8);
  g_auto (Mat) some = ill_conditioned (N, COLS, 8);

  for (int floor = 0; floor <= 1; floor++) {
    g_autoptr (Preconditioner) pre = preconditioner_new (&Y, 0.1 * floor);
    g_auto (MatF) narrow = matf_new (N, COLS);
    g_auto (MatF) W = matf_new (N, COLS);
    g_auto (Mat) expected = mat_new (N, COLS);
    g_auto (Mat) got = mat_new (N, COLS);

    mat_to_float (&some, &narrow);
    mat_from_float (&narrow, &expected);
    preconditioner_whiten_samples (pre, &narrow, &W);
    for (int j = 0; j < MORE; j++)
      preconditioner_add (pre, mat_at (&more, 0, j), &W);
    preconditioner_whiten (pre, &expected);
    mat_from_float (&W, &got);
    assert_at_most (mat_distance (&got, &expected),
                    2e-6 * sqrt (mat_dot (&expected, &expected)));
  }
}

/* With a floor s, Z / c + s^2 I is whitened.  Updates add it entry by entry,
 * so that it is whole again after every n samples. */
static void
test_floor (void)
{
  enum { N = 30, FIRST = 150, ALL = FIRST + 20 * N };
  const double s = 0.3;
  g_auto (Mat) Y = ill_conditioned (N, ALL, 6);
  Mat first = mat_columns (&Y, 0, FIRST);
  g_autoptr (Preconditioner) updated = preconditioner_new (&first, s);
  g_autoptr (Preconditioner) refactored = preconditioner_new (&Y, s);
  g_auto (Mat) W = mat_new (N, N);
  g_auto (Mat) other = mat_new (N, N);

  for (int j = FIRST; j < ALL; j++)
    preconditioner_add (updated, mat_at (&Y, 0, j), NULL);
  mat_multiply (1. / ALL, &Y, PLAIN, &Y, TRANSPOSED, 0, &W);
  for (int i = 0; i < N; i++)
    *mat_at (&W, i, i) += s * s;
  mat_copy (&W, &other);
  preconditioner_whiten (refactored, &W);
  preconditioner_whiten (updated, &other);
  assert_at_most (largest_difference (&W, &other), 1e-9);
  /* P (Z / c + s^2 I) = U' is lower triangular. */
  for (int j = 1; j < N; j++)
    for (int i = 0; i < j; i++)
      assert_at_most (fabs (*mat_at (&W, i, j)), 1e-9);
}

/* Fewer samples than entries, and constant ones. */
static void
test_too_few_samples (void)
{
  g_auto (Mat) Y = random_mat (20, 5, 7);
  g_auto (Mat) zero = mat_new (20, 5);
  g_auto (Mat) W = random_mat (20, 5, 7);
  g_autoptr (Preconditioner) pre = preconditioner_new (&Y, 0);

  g_assert_nonnull (pre);
  preconditioner_whiten (pre, &W);
  for (int i = 0; i < 100; i++)
    g_assert_true (isfinite (W.data[i]));
  g_assert_null (preconditioner_new (&zero, 0));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/preconditioner/whitens", test_whitens);
  g_test_add_func ("/preconditioner/paper", test_is_the_papers);
  g_test_add_func ("/preconditioner/updates",
                   test_many_updates_equal_refactoring);
  g_test_add_func ("/preconditioner/real", test_updates_on_real_patches);
  g_test_add_func ("/preconditioner/inverse", test_inverse);
  g_test_add_func ("/preconditioner/follow", test_follow);
  g_test_add_func ("/preconditioner/floor", test_floor);
  g_test_add_func ("/preconditioner/few", test_too_few_samples);
  return g_test_run ();
}
