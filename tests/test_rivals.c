/* test_rivals.c - MOD, the gradient method and l4 maximisation: each step is
 * its formula, objectives fall, synthetic dictionaries are found */
#include "base/parallel.h"
#include "base/polar.h"
#include "base/random.h"
#include "dictlearn/codingstage.h"
#include "dictlearn/synthetic.h"
#include "dictlearn/recovery.h"
#include "tests/learning.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

#define GAMMA 0.3 /* least magnitude of a synthetic code */

static SyntheticData *
make_data (int n, double condition, guint64 seed)
{
  SyntheticOptions options = SYNTHETIC_DEFAULTS;

  options.n = n;
  options.condition = condition;
  options.seed = seed;
  return synthetic_new (&options);
}

/* An observer for objectives that must not rise. */
static void
check_falls (const Learner *learner, gpointer data)
{
  double *last = data;
  double objective = learner_status (learner)->objective;

  g_assert_cmpfloat (objective, <=, *last + 1e-12 * fabs (*last));
  *last = objective;
}

/* ---- MOD ---- */

static Mat
dense_codes (const SparseMat *X)
{
  Mat dense = mat_new (X->rows, X->cols);

  for (int p = 0; p < X->cols; p++)
    for (int s = 0; s < X->count[p]; s++)
      *mat_at (&dense, sparse_index (X, p)[s], p) = sparse_value (X, p)[s];
  return dense;
}

/* D = Y X' (X X')^-1, columns scaled to length one. */
static void
best_dictionary (const Mat *Y, const Mat *X, Mat *D)
{
  g_auto (Mat) G = mat_new (X->rows, X->rows);
  g_auto (Mat) B = mat_new (Y->rows, X->rows);

  mat_multiply (1, X, PLAIN, X, TRANSPOSED, 0, &G);
  mat_multiply (1, Y, PLAIN, X, TRANSPOSED, 0, &B);
  g_assert_true (mat_invert (&G));
  mat_multiply (1, &B, PLAIN, &G, PLAIN, 0, D);
  mat_normalise_columns (D);
}

static void
test_mod_step_is_least_squares (void)
{
  enum { N = 16, K = 24 };
  g_auto (Mat) Y = random_mat (N, 800, 1);
  g_auto (Mat) expected = mat_new (N, K);
  g_auto (Mat) D = mat_new (N, K);
  g_auto (Mat) X = { 0 };
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) before = NULL, after = NULL;

  options.atoms = K;
  options.init = INIT_DATA;
  options.atoms_per_sample = 3;
  options.iterations = 0;
  before = learn_from ("mod", &Y, &options);
  X = dense_codes (&((CodingStage *) before)->X);
  best_dictionary (&Y, &X, &expected);
  options.iterations = 1;
  after = learn_from ("mod", &Y, &options);
  learner_dictionary (after, &D);
  assert_at_most (largest_difference (&D, &expected), 1e-5);
  g_assert_cmpfloat (learner_status (after)->objective, <,
                     learner_status (before)->objective);
}

/* 3-sparse samples of random dictionaries, 20 x 40. */
static double
share_that_mod_finds (guint64 seed)
{
  enum { N = 20, K = 40, COUNT = 1500, ATOMS = 3 };
  g_auto (Mat) truth = random_mat (N, K, seed);
  g_auto (Mat) Y = mat_new (N, COUNT);
  g_auto (Mat) X = mat_new (K, COUNT);
  g_auto (Mat) A = mat_new (N, K);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;
  int atom[K], found = 0;
  double sign[K];

  mat_normalise_columns (&truth);
  for (int p = 0; p < COUNT; p++) {
    gsize order[K];

    random_permutation (seed, (guint64) p, K, order);
    for (int s = 0; s < ATOMS; s++)
      *mat_at (&X, (int) order[s], p) =
        (random_bits (seed, 1, (guint64) (p * ATOMS + s)) % 2 == 0 ? 1 : -1)
        * (0.5 + random_uniform (seed, 2, (guint64) (p * ATOMS + s)));
  }
  mat_multiply (1, &truth, PLAIN, &X, PLAIN, 0, &Y);
  options.atoms = K;
  options.init = INIT_DATA;
  options.atoms_per_sample = ATOMS;
  options.iterations = 40;
  learner = learn_from ("mod", &Y, &options);
  learner_dictionary (learner, &A);
  recovery_match (&A, &truth, atom, sign);
  for (int j = 0; j < K; j++) {
    Mat a = mat_columns (&A, atom[j], 1), t = mat_columns (&truth, j, 1);

    assert_at_most (fabs (mat_dot (&a, &a) - 1), 1e-6);
    found += sign[j] * mat_dot (&a, &t) > 0.99;
  }
  return (double) found / K;
}

static void
test_mod_recovery (void)
{
  double share = 0;

  for (guint64 seed = 0; seed < 4; seed++)
    share += share_that_mod_finds (seed) / 4;
  g_test_message ("%.3f found", share);
  g_assert_cmpfloat (share, >=, 0.8);
}

/* ---- gradient ---- */

/* D - eta grad of |Y - D X|_F^2 for X = HT_z (D' Y), entry by entry. */
static void
descend (const Mat *Y, double z, double eta, Mat *D)
{
  g_auto (Mat) X = mat_new (D->cols, Y->cols);
  g_auto (Mat) R = mat_new (Y->rows, Y->cols);

  mat_multiply (1, D, TRANSPOSED, Y, PLAIN, 0, &X);
  for (int i = 0; i < X.rows * X.cols; i++)
    X.data[i] = fabs (X.data[i]) < z ? 0 : X.data[i];
  mat_copy (Y, &R);
  mat_multiply (-1, D, PLAIN, &X, PLAIN, 1, &R);
  for (int i = 0; i < D->rows; i++)
    for (int j = 0; j < D->cols; j++)
      for (int p = 0; p < Y->cols; p++)
        *mat_at (D, i, j) += eta * 2 * *mat_at (&R, i, p) * *mat_at (&X, j, p);
  mat_normalise_columns (D);
}

static void
test_gradient_step_is_its_formula (void)
{
  enum { N = 12 };
  const double eta = 1e-3, z = 0.8;
  g_auto (Mat) Y = random_mat (N, 60, 2);
  g_auto (Mat) start = random_mat (N, N, 3);
  g_auto (Mat) D = mat_new (N, N);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;

  g_assert_true (polar_svd (&start, NULL, 0, &start));
  options.init = INIT_GIVEN;
  options.start = &start;
  options.threshold = z;
  options.rate = eta;
  options.iterations = 2;
  learner = learn_from ("gradient", &Y, &options);
  learner_dictionary (learner, &D);
  descend (&Y, z, eta, &start);
  descend (&Y, z, eta, &start);
  assert_at_most (largest_difference (&D, &start), 1e-12);
}

/* From near the truth, where the codes have the right support. */
static void
test_gradient_descends (void)
{
  enum { N = 20 };
  g_autoptr (SyntheticData) synthetic = make_data (N, 1, 4);
  g_auto (Mat) Y = samples_of (synthetic, 100 * N);
  g_auto (Mat) start = random_mat (N, N, 5);
  LearnOptions options = LEARN_DEFAULTS;
  double last = INFINITY, first;

  for (int i = 0; i < N * N; i++)
    start.data[i] = synthetic->A.data[i] + 0.01 * start.data[i];
  options.init = INIT_GIVEN;
  options.start = &start;
  options.threshold = GAMMA / 2;
  options.rate = 1e-5;
  options.observer = check_falls;
  options.observer_data = &last;
  options.iterations = 1;
  learner_free (learn_from ("gradient", &Y, &options));
  first = last;
  options.iterations = 100;
  last = INFINITY;
  learner_free (learn_from ("gradient", &Y, &options));
  g_assert_cmpfloat (last, <, first / 2);
}

/* A step of half of 1 / |X X'| needs no more iterations than Polar. */
static void
test_gradient_recovery (void)
{
  enum { N = 20 };

  for (guint64 seed = 0; seed < 3; seed++) {
    g_autoptr (SyntheticData) synthetic = make_data (N, 1, seed);
    g_auto (Mat) Y = samples_of (synthetic, 100 * N);
    g_auto (Mat) D = mat_new (N, N);
    double deviation = synthetic_deviation (&synthetic->options);
    LearnOptions options = LEARN_DEFAULTS;
    g_autoptr (Learner) learner = NULL;

    options.init = INIT_IDENTITY;
    options.threshold = GAMMA / 2;
    options.shrink = 0.99;
    options.rate = 0.5 / (100 * N * deviation * deviation);
    options.iterations = 1000;
    options.tolerance = 1e-12;
    learner = learn_from ("gradient", &Y, &options);
    learner_dictionary (learner, &D);
    assert_at_most (recovery_measure (&D, &synthetic->A).distance, 1e-10);
    g_assert_cmpint (learner_status (learner)->iteration, <, 1000);
    assert_at_most (fabs (learner_status (learner)->density - 0.3), 0.01);
  }
}

/* Without a threshold, one is chosen that keeps the density asked for. */
static void
test_gradient_density (void)
{
  g_auto (Mat) Y = random_mat (15, 400, 6);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;

  options.init = INIT_IDENTITY;
  options.density = 0.2;
  options.iterations = 1;
  learner = learn_from ("gradient", &Y, &options);
  assert_at_most (fabs (learner_status (learner)->density - 0.2), 1e-3);
  g_assert_cmpfloat (learner_status (learner)->threshold, >, 0);
}

/* ---- l4 ---- */

static void
test_l4_never_rises (void)
{
  for (guint64 seed = 0; seed < 5; seed++) {
    g_auto (Mat) Y = random_mat (20, 300, seed);
    LearnOptions options = LEARN_DEFAULTS;
    double last = INFINITY;

    options.init = INIT_RANDOM;
    options.seed = seed;
    options.observer = check_falls;
    options.observer_data = &last;
    learner_free (learn_from ("l4", &Y, &options));
    g_assert_true (isfinite (last));
  }
}

static double
l4_error (double condition, int count, guint64 seed)
{
  enum { N = 10 };
  g_autoptr (SyntheticData) synthetic = make_data (N, condition, seed);
  g_auto (Mat) Y = samples_of (synthetic, count);
  g_auto (Mat) A = mat_new (N, N);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;

  options.init = INIT_IDENTITY;
  options.tolerance = 1e-9;
  options.iterations = 500;
  learner = learn_from ("l4", &Y, &options);
  g_assert_cmpint (learner_status (learner)->iteration, <, 500);
  learner_dictionary (learner, &A);
  return recovery_measure (&A, &synthetic->A).direction;
}

/* The error falls like one over the root of the number of samples: 16 times
 * as many make it a quarter.  Whitening takes the condition number out. */
static void
test_l4_recovery (void)
{
  const double conditions[] = { 1, 10, 1000 };

  for (gsize c = 0; c < G_N_ELEMENTS (conditions); c++) {
    double few = 0, many = 0;

    for (guint64 seed = 0; seed < 3; seed++) {
      few += l4_error (conditions[c], 2000, seed) / 3;
      many += l4_error (conditions[c], 32000, seed) / 3;
    }
    g_test_message ("condition %g: %.3f, %.3f", conditions[c], few, many);
    assert_at_most (many, 0.04);
    g_assert_cmpfloat (many, <, few / 3);
  }
}

/* The whitened dictionary is orthonormal: A A' is the second moment of Y. */
static void
test_l4_keeps_second_moment (void)
{
  enum { N = 10, COUNT = 500 };
  g_autoptr (SyntheticData) synthetic = make_data (N, 10, 7);
  g_auto (Mat) Y = samples_of (synthetic, COUNT);
  g_auto (Mat) A = mat_new (N, N);
  g_auto (Mat) expected = mat_new (N, N);
  g_auto (Mat) AA = mat_new (N, N);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;

  options.init = INIT_PCA;
  options.iterations = 3;
  learner = learn_from ("l4", &Y, &options);
  learner_dictionary (learner, &A);
  mat_multiply (1, &A, PLAIN, &A, TRANSPOSED, 0, &AA);
  mat_multiply (1.0 / COUNT, &Y, PLAIN, &Y, TRANSPOSED, 0, &expected);
  assert_at_most (largest_difference (&AA, &expected), 1e-10);
}

/* ---- all ---- */

static void
test_threads_give_the_same (gconstpointer data)
{
  enum { N = 40 };
  g_auto (Mat) Y = random_mat (N, 700, 9);
  g_auto (Mat) one = mat_new (N, N);
  LearnOptions options = LEARN_DEFAULTS;

  options.init = INIT_PCA;
  options.iterations = 5;
  for (int threads = 1; threads <= 4; threads *= 2) {
    g_auto (Mat) D = mat_new (N, N);
    g_autoptr (Learner) learner = NULL;

    parallel_init (threads);
    learner = learn_from (data, &Y, &options);
    learner_dictionary (learner, &D);
    if (threads == 1)
      mat_copy (&D, &one);
    g_assert_cmpmem (one.data, N * N * sizeof (double), D.data,
                     N * N * sizeof (double));
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/mod/step", test_mod_step_is_least_squares);
  g_test_add_func ("/mod/recovery", test_mod_recovery);
  g_test_add_data_func ("/mod/threads", "mod", test_threads_give_the_same);
  g_test_add_func ("/gradient/step", test_gradient_step_is_its_formula);
  g_test_add_func ("/gradient/descends", test_gradient_descends);
  g_test_add_func ("/gradient/recovery", test_gradient_recovery);
  g_test_add_func ("/gradient/density", test_gradient_density);
  g_test_add_data_func ("/gradient/threads", "gradient",
                        test_threads_give_the_same);
  g_test_add_func ("/l4/never-rises", test_l4_never_rises);
  g_test_add_func ("/l4/recovery", test_l4_recovery);
  g_test_add_func ("/l4/moment", test_l4_keeps_second_moment);
  g_test_add_data_func ("/l4/threads", "l4", test_threads_give_the_same);
  return g_test_run ();
}
