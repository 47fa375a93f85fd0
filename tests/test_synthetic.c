/* test_synthetic.c - synthetic samples follow the model they promise */
#include "base/parallel.h"
#include "dictlearn/synthetic.h"
#include "tests/support.h"

#include <math.h>

static SyntheticData *
make_data (int n, double condition, double noise)
{
  SyntheticOptions options = SYNTHETIC_DEFAULTS;
  SyntheticData *synthetic;

  options.n = n;
  options.condition = condition;
  options.noise = noise;
  options.seed = 7;
  synthetic = synthetic_new (&options);
  g_assert_nonnull (synthetic);
  return synthetic;
}

static void
test_orthonormal (void)
{
  g_test_summary ("A dictionary of condition number one has A'A = I");

  for (int n = 1; n <= 81; n *= 9) {
    g_autoptr (SyntheticData) synthetic = make_data (n, 1, 0);
    g_auto (Mat) gram = mat_new (n, n);

    for (int i = 0; i < n; i++)
      *mat_at (&gram, i, i) = -1;
    mat_multiply (1, &synthetic->A, TRANSPOSED, &synthetic->A, PLAIN, 1,
                  &gram);
    assert_at_most (sqrt (mat_dot (&gram, &gram)), 1e-13 * n);
  }
}

static void
test_singular_values (void)
{
  enum { N = 12 };
  double condition = 1000, values[N];
  g_autoptr (SyntheticData) synthetic = make_data (N, condition, 0);
  g_auto (Mat) gram = mat_new (N, N);

  g_test_summary ("Singular values go geometrically from 1 to 1 / condition");

  mat_multiply (1, &synthetic->A, TRANSPOSED, &synthetic->A, PLAIN, 0, &gram);
  g_assert_true (mat_eigen (&gram, values));
  for (int i = 0; i < N; i++) {
    double expected = pow (condition, -(double) (N - 1 - i) / (N - 1));

    assert_at_most (fabs (sqrt (values[i]) - expected), 1e-9 * expected);
  }
}

static void
test_samples_are_products (void)
{
  enum { N = 30, P = 700 };
  g_autoptr (SyntheticData) synthetic = make_data (N, 50, 0);
  g_auto (Mat) X = mat_new (N, P);
  g_auto (Mat) Y = mat_new (N, P);

  g_test_summary ("Without noise, Y = A X");

  synthetic_samples (synthetic, 3, &Y, &X);
  mat_multiply (-1, &synthetic->A, PLAIN, &X, PLAIN, 1, &Y);
  assert_at_most (mat_dot (&Y, &Y), 1e-24 * N * P);
}

static void
test_samples_depend_on_their_number_only (void)
{
  enum { N = 17, P = 600, FROM = 123, SOME = 301 };
  g_autoptr (SyntheticData) synthetic = make_data (N, 10, 0.1);
  g_auto (Mat) all = mat_new (N, P);
  g_auto (Mat) codes = mat_new (N, P);
  g_auto (Mat) some = mat_new (N, SOME);
  g_auto (Mat) alone = mat_new (N, P);
  int column = (int) (N * sizeof (double));

  g_test_summary ("A sample is the same bytes however it is made");

  synthetic_samples (synthetic, 0, &all, &codes);
  synthetic_samples (synthetic, FROM, &some, NULL);
  g_assert_cmpmem (some.data, SOME * column, mat_at (&all, 0, FROM),
                   SOME * column);
  parallel_init (1);
  synthetic_samples (synthetic, 0, &alone, NULL);
  parallel_init (2);
  g_assert_cmpmem (alone.data, P * column, all.data, P * column);
}

static void
test_distribution_of_codes (void)
{
  enum { N = 20, P = 50000 };
  g_autoptr (SyntheticData) synthetic = make_data (N, 1, 0);
  const SyntheticOptions *o = &synthetic->options;
  g_auto (Mat) X = mat_new (N, P);
  g_auto (Mat) Y = mat_new (N, P);
  int count = 0, raised = 0, negative = 0;
  double square;

  g_test_summary ("Density, least magnitude, signs and second moment fit");

  synthetic_samples (synthetic, 0, &Y, &X);
  for (int i = 0; i < N * P; i++) {
    double x = X.data[i];

    g_assert_true (x == 0 || fabs (x) >= o->smallest);
    count += x != 0;
    raised += fabs (x) == o->smallest;
    negative += x < 0;
  }
  square = mat_dot (&X, &X) / (N * P);
  /* All within about five standard deviations. */
  assert_at_most (fabs ((double) count / (N * P) - o->density), 2.3e-3);
  assert_at_most (fabs ((double) negative / count - 0.5), 4.6e-3);
  assert_at_most (fabs ((double) raised / count - erf (0.3 * M_SQRT1_2)),
                  4e-3);
  assert_at_most (fabs (square - pow (synthetic_deviation (o), 2)), 5e-3);
}

static void
test_deviation_without_least_magnitude (void)
{
  SyntheticOptions options = SYNTHETIC_DEFAULTS;

  options.smallest = 0;
  assert_at_most (fabs (synthetic_deviation (&options) - sqrt (0.3)), 1e-15);
  options.smallest = 40;
  assert_at_most (fabs (synthetic_deviation (&options) - 40 * sqrt (0.3)),
                  1e-12);
}

static void
test_noise (void)
{
  enum { N = 25, P = 4000 };
  double noise = 0.25, variance;
  g_autoptr (SyntheticData) clean = make_data (N, 5, 0);
  g_autoptr (SyntheticData) noisy = make_data (N, 5, noise);
  g_auto (Mat) Y = mat_new (N, P);
  g_auto (Mat) E = mat_new (N, P);

  g_test_summary ("Noise is added to the same samples, and is that strong");

  synthetic_samples (clean, 0, &Y, NULL);
  synthetic_samples (noisy, 0, &E, NULL);
  for (int i = 0; i < N * P; i++)
    E.data[i] -= Y.data[i];
  variance = mat_dot (&E, &E) / (N * P);
  assert_at_most (fabs (variance / (noise * noise) - 1), 0.025);
}

static void
test_seeds_differ (void)
{
  SyntheticOptions options = SYNTHETIC_DEFAULTS;
  g_autoptr (SyntheticData) first = NULL;
  g_autoptr (SyntheticData) second = NULL;

  options.n = 8;
  first = synthetic_new (&options);
  options.seed = 1;
  second = synthetic_new (&options);
  g_assert_cmpfloat (mat_distance (&first->A, &second->A), >, 1);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/synthetic/orthonormal", test_orthonormal);
  g_test_add_func ("/synthetic/singular-values", test_singular_values);
  g_test_add_func ("/synthetic/products", test_samples_are_products);
  g_test_add_func ("/synthetic/by-number",
                   test_samples_depend_on_their_number_only);
  g_test_add_func ("/synthetic/codes", test_distribution_of_codes);
  g_test_add_func ("/synthetic/deviation",
                   test_deviation_without_least_magnitude);
  g_test_add_func ("/synthetic/noise", test_noise);
  g_test_add_func ("/synthetic/seeds", test_seeds_differ);
  return g_test_run ();
}
