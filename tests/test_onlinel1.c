/* test_onlinel1.c - codes with an l1 penalty, and learning with them */
#include "base/random.h"
#include "dictlearn/learner.h"
#include "omp/lasso.h"
#include "tests/support.h"

#include <math.h>

static void
test_conditions (void)
{
  g_test_summary ("At the solution the conditions of the minimum hold");

  for (int k = 1; k <= 60; k = 2 * k + 1) {
    g_auto (Mat) D = random_mat (20, k, 1);
    g_auto (Mat) y = random_mat (20, 1, 2);
    g_auto (Mat) G = mat_new (k, k);
    g_auto (Mat) q = mat_new (k, 1);
    g_autofree double *x = g_new0 (double, k);
    LassoOptions options = { 0.3, 1e-10, 10000 };
    int used = 0;

    mat_normalise_columns (&D);
    mat_multiply (1, &D, TRANSPOSED, &D, PLAIN, 0, &G);
    mat_multiply (1, &D, TRANSPOSED, &y, PLAIN, 0, &q);
    lasso_solve (&G, &options, q.data, x);
    /* The gradient from scratch. */
    for (int i = 0; i < 20; i++)
      for (int j = 0; j < k; j++)
        *mat_at (&y, i, 0) -= *mat_at (&D, i, j) * x[j];
    for (int j = 0; j < k; j++) {
      double g = 0;

      for (int i = 0; i < 20; i++)
        g += *mat_at (&D, i, j) * *mat_at (&y, i, 0);
      if (x[j] != 0)
        assert_at_most (fabs (g - copysign (0.3, x[j])), 1e-8);
      else
        assert_at_most (fabs (g), 0.3 + 1e-8);
      used += x[j] != 0;
    }
    g_assert_cmpint (used, >=, 1);
  }
}

/* Samples of three atoms each of a random dictionary of 12 x 12. */
static Mat
planted (Mat *D, int count)
{
  Mat Y = mat_new (12, count);

  mat_normalise_columns (D);
  for (int p = 0; p < count; p++)
    for (int s = 0; s < 3; s++) {
      guint64 index = (guint64) (3 * p + s);
      int j = (int) random_below (5, 1, index, (guint64) D->cols);
      double x = random_normal (5, 2, index);

      for (int i = 0; i < 12; i++)
        *mat_at (&Y, i, p) += (x + copysign (1, x)) * *mat_at (D, i, j);
    }
  return Y;
}

static double
objective_after (const Mat *Y, int iterations, Mat *A)
{
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (GError) error = NULL;
  g_autoptr (Learner) learner = NULL;

  options.init = INIT_DATA;
  options.atoms = 12;
  options.iterations = iterations;
  options.atoms_per_sample = 3;
  options.threshold = 0.1;
  learner = learner_new ("online-l1", 12, &options, &error);
  g_assert_no_error (error);
  learner_feed (learner, Y, NULL, &error);
  g_assert_no_error (error);
  learner_finish (learner, NULL, &error);
  g_assert_no_error (error);
  if (A != NULL)
    learner_dictionary (learner, A);
  return learner_status (learner)->objective;
}

static void
test_objective_falls (void)
{
  g_test_summary ("The objective falls, no atom is longer than one, and a "
                  "second run gives the same");

  g_auto (Mat) D = random_mat (12, 12, 3);
  g_auto (Mat) Y = planted (&D, 2048);
  g_auto (Mat) A = mat_new (12, 12);
  double first = objective_after (&Y, 1, NULL);
  double last = objective_after (&Y, 200, &A);

  g_assert_cmpfloat (last, <, 0.7 * first);
  for (int j = 0; j < 12; j++) {
    double norm = 0;

    for (int i = 0; i < 12; i++)
      norm += pow (*mat_at (&A, i, j), 2);
    assert_at_most (sqrt (norm), 1 + 1e-12);
  }
  g_assert_cmpfloat (objective_after (&Y, 200, NULL), ==, last);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/lasso/conditions", test_conditions);
  g_test_add_func ("/online-l1/objective", test_objective_falls);
  return g_test_run ();
}
