/* test_learners.c - the paper's three algorithms find the dictionary that made
 * the data */
#include "base/error.h"
#include "base/parallel.h"
#include "base/polar.h"
#include "base/spectral.h"
#include "dictlearn/learner.h"
#include "dictlearn/synthetic.h"
#include "dictlearn/polish.h"
#include "dictlearn/preconditioner.h"
#include "dictlearn/recovery.h"
#include "dictlearn/polarstep.h"
#include "dictlearn/thresholding.h"
#include "tests/learning.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

#define GAMMA 0.3

static void
test_orthogonal_recovery (void)
{
  const struct {
    int n, trials;
  } cases[] = { { 50, 5 }, { 100, 1 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    for (int trial = 0; trial < cases[c].trials; trial++) {
      SyntheticOptions setup = SYNTHETIC_DEFAULTS;
      LearnOptions options = LEARN_DEFAULTS;
      g_autoptr (SyntheticData) synthetic = NULL;
      g_autoptr (Learner) learner = NULL;
      g_auto (Mat) Y = { 0 };
      g_auto (Mat) D = mat_new (cases[c].n, cases[c].n);

      setup.n = cases[c].n;
      setup.seed = (guint64) trial;
      synthetic = synthetic_new (&setup);
      Y = samples_of (synthetic, 100 * setup.n);
      options.init = INIT_IDENTITY;
      options.threshold = GAMMA / 2;
      options.shrink = 0.99;
      options.iterations = 1000;
      options.tolerance = 1e-12;
      learner = learn_from ("orthogonal", &Y, &options);
      learner_dictionary (learner, &D);
      assert_at_most (recovery_measure (&D, &synthetic->A).distance, 1e-10);
    }
}

/* The objective of Algorithm 1 at a fixed threshold, from any start. */
static void
check_falls (const Learner *learner, gpointer data)
{
  double *last = data;
  double objective = learner_status (learner)->objective;

  g_assert_cmpfloat (objective, <=, *last * (1 + 1e-12));
  *last = objective;
}

static void
test_orthogonal_never_rises (void)
{
  for (guint64 seed = 0; seed < 5; seed++) {
    g_auto (Mat) Y = random_mat (20, 300, seed);
    double last = INFINITY;
    LearnOptions options = LEARN_DEFAULTS;
    g_autoptr (Learner) learner = NULL;

    options.init = INIT_RANDOM;
    options.seed = seed;
    options.threshold = 0.5 * (double) (seed + 1);
    options.observer = check_falls;
    options.observer_data = &last;
    learner = learn_from ("orthogonal", &Y, &options);
    g_assert_cmpint (learner_status (learner)->iteration, ==, 100);
  }
}

static Recovery
recover (const char *name, double condition, int count, int passes)
{
  SyntheticOptions setup = SYNTHETIC_DEFAULTS;
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (SyntheticData) synthetic = NULL;
  g_autoptr (Learner) learner = NULL;
  g_autoptr (Polish) polish = NULL;
  g_auto (Mat) Y = { 0 };
  g_auto (Mat) A = mat_new (10, 10);

  setup.n = 10;
  setup.condition = condition;
  setup.seed = 3;
  synthetic = synthetic_new (&setup);
  Y = samples_of (synthetic, count);
  options.init = INIT_IDENTITY;
  options.threshold = GAMMA / 2 / synthetic_deviation (&setup);
  options.shrink = 0.99;
  options.window = 500;
  options.stride = MAX (1, count / 1000);
  options.iterations = strcmp (name, "online") == 0 ? 0 : 1000;
  learner = learn_from (name, &Y, &options);
  learner_dictionary (learner, &A);
  polish = polish_new (&A, options.threshold);
  for (int pass = 0; pass < passes; pass++) {
    polish_feed (polish, &Y);
    g_assert_true (polish_end_pass (polish));
  }
  polish_dictionary (polish, &A);
  return recovery_measure (&A, &synthetic->A);
}

/* The error falls like one over the root of the number of samples, whatever
 * the condition number; polishing removes it. */
static void
test_complete_recovery (gconstpointer data)
{
  const char *name = data;
  const double conditions[] = { 1, 10, 100, 1000 };

  for (gsize c = 0; c < G_N_ELEMENTS (conditions); c++) {
    double few = recover (name, conditions[c], 2000, 0).direction;
    double many = recover (name, conditions[c], 64000, 0).direction;
    double polished = recover (name, conditions[c], 16000, 20).direction;

    g_test_message ("%s, condition %g: %.2e, %.2e, polished %.2e", name,
                    conditions[c], few, many, polished);
    assert_at_most (many, 0.03);
    g_assert_cmpfloat (many, <, few / 2);
    assert_at_most (polished, 1e-8);
  }
}

/* Samples that have only some of the entries leave the other atoms alone. */
static void
test_step_keeps_what_is_not_seen (void)
{
  enum { N = 30, SEEN = 10 };
  g_auto (Mat) white = mat_new (N, N);
  g_auto (MatF) Y = random_matf (N, 50, 4);
  g_auto (Mat) D = mat_new (N, N);
  g_autoptr (Preconditioner) P = NULL;
  g_autoptr (PolarStep) whitened = NULL;
  LearnStatus status;

  for (int i = 0; i < N; i++)
    *mat_at (&white, i, i) = sqrt (N); /* with these, P is the identity */
  for (int j = 0; j < Y.cols; j++)
    for (int i = SEEN; i < N; i++)
      *matf_at (&Y, i, j) = 0;
  P = preconditioner_new (&white, 0);
  whitened = polar_step_new (P, NULL, &LEARN_DEFAULTS);
  g_assert_true (polar_step_step (whitened, &Y, 0.7, &status));
  g_assert_cmpfloat (status.change, >, 1e-3);
  polar_step_dictionary (whitened, P, &D);
  for (int j = SEEN; j < N; j++)
    for (int i = 0; i < N; i++)
      assert_at_most (fabs (*mat_at (&D, i, j) - (i == j)), 1e-5);
}

/* A step is what polarstep.h says, by the SVD: for many samples and for few,
 * some of them zero, or equal. */
static void
test_step_is_polar (void)
{
  enum { N = 40, STEPS = 70 };
  const int windows[] = { 100, 12 };

  for (int test = 0; test < 4; test++) {
    int w = windows[test % 2];
    g_auto (Mat) A = random_mat (N, N, 3);
    g_auto (Mat) white = mat_new (N, N);
    g_auto (Mat) D = mat_new (N, N);
    g_auto (Mat) M = mat_new (N, N);
    g_auto (Mat) X = mat_new (N, w);
    g_auto (Mat) wide = mat_new (N, w);
    g_autoptr (Preconditioner) P = NULL;
    g_autoptr (PolarStep) whitened = NULL;
    LearnStatus status;

    for (int i = 0; i < N; i++)
      *mat_at (&white, i, i) = sqrt (N);
    P = preconditioner_new (&white, 0);
    whitened = polar_step_new (P, &A, &LEARN_DEFAULTS);
    for (int step = 0; step < STEPS; step++) {
      g_auto (MatF) W = random_matf (N, w, (guint64) (100 + step));

      memset (W.data, 0, N * sizeof (float));
      if (test >= 2) /* two samples are equal */
        memcpy (matf_at (&W, 0, 2), matf_at (&W, 0, 1), N * sizeof (float));
      polar_step_dictionary (whitened, P, &D);
      g_assert_true (polar_step_step (whitened, &W, 0.7, &status));
      mat_from_float (&W, &wide);
      mat_multiply (1, &D, TRANSPOSED, &wide, PLAIN, 0, &X);
      threshold_apply (&X, 0.7, &X);
      mat_copy (&D, &M);
      mat_multiply (1, &wide, PLAIN, &X, TRANSPOSED, mat_dot (&X, &X) / N, &M);
      g_assert_true (polar_svd (&M, NULL, 0, &M));
      polar_step_dictionary (whitened, P, &D);
      assert_at_most (largest_difference (&D, &M), 1e-5);
    }
  }
}

/* P = L' with L L' = c Z^-1, L lower: the preconditioner of the paper's
 * text. */
static void
papers_preconditioner (const Mat *Z, double c, Mat *P)
{
  int n = Z->rows;
  g_auto (Mat) inverse = mat_new (n, n);

  mat_copy (Z, &inverse);
  g_assert_true (mat_invert (&inverse));
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = c * *mat_at (&inverse, i, j);

      for (int k = 0; k < j; k++) /* L_ik is P_ki */
        sum -= *mat_at (P, k, i) * *mat_at (P, k, j);
      *mat_at (P, j, i) = i == j ? sqrt (sum) : sum / *mat_at (P, j, j);
    }
}

static void
add_moment (const Mat *y, Mat *Z)
{
  mat_multiply (1, y, PLAIN, y, TRANSPOSED, 1, Z);
}

/* Algorithm 3 as it is printed, from the identity: D after @steps new samples
 * of @Y, of which the first @p1 make P and the latest @p2 the window. */
static void
papers_algorithm (const Mat *Y, int p1, int p2, int steps, double z, Mat *A)
{
  int n = Y->rows, seen = MAX (p1, p2);
  g_auto (Mat) Z = mat_new (n, n);
  g_auto (Mat) P = mat_new (n, n);
  g_auto (Mat) D = mat_new (n, n);
  g_auto (Mat) M = mat_new (n, n);
  g_auto (Mat) W = mat_new (n, p2);
  g_auto (Mat) X = mat_new (n, p2);
  Mat first = mat_columns (Y, 0, p1);

  add_moment (&first, &Z);
  for (int i = 0; i < n; i++)
    *mat_at (&D, i, i) = 1;
  for (int t = 0; t < steps; t++) {
    Mat y = mat_columns (Y, seen + t, 1);
    Mat window = mat_columns (Y, seen + t + 1 - p2, p2);

    add_moment (&y, &Z);
    papers_preconditioner (&Z, p1 + t + 1, &P);
    mat_multiply (1, &P, PLAIN, &window, PLAIN, 0, &W);
    mat_multiply (1, &D, TRANSPOSED, &W, PLAIN, 0, &X);
    threshold_apply (&X, z, &X);
    mat_multiply (1, &W, PLAIN, &X, TRANSPOSED, 0, &M);
    g_assert_true (polar_svd (&M, &D, 0, &D));
  }
  g_assert_true (mat_invert (&P));
  mat_multiply (1, &P, PLAIN, &D, PLAIN, 0, A);
}

/* As published, online is Algorithm 3, whichever of p1 and p2 is larger. */
static void
test_online_is_the_papers (void)
{
  enum { N = 12, STEPS = 80 };
  const int sizes[][2] = { { 40, 25 }, { 25, 40 }, { 30, 30 } };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    int p1 = sizes[i][0], p2 = sizes[i][1];
    g_auto (Mat) Y = random_mat (N, MAX (p1, p2) + STEPS, 6);
    g_auto (Mat) expected = mat_new (N, N);
    g_auto (Mat) A = mat_new (N, N);
    LearnOptions options = LEARN_DEFAULTS;
    g_autoptr (Learner) learner = NULL;

    options.init = INIT_IDENTITY;
    options.textbook = TRUE;
    options.threshold = 0.9;
    options.first_samples = p1;
    options.window = p2;
    options.iterations = STEPS;
    learner = learn_from ("online", &Y, &options);
    learner_dictionary (learner, &A);
    papers_algorithm (&Y, p1, p2, STEPS, 0.9, &expected);
    assert_at_most (largest_difference (&A, &expected), 1e-4);
    g_assert_cmpint (learner_status (learner)->iteration, ==, STEPS);
  }
}

/* The norm that stops a learner is the largest singular value. */
static void
test_change_is_spectral (void)
{
  enum { N = 30 };
  g_auto (Mat) A = random_mat (N, N, 5);
  g_auto (Mat) B = random_mat (N, N, 6);
  g_auto (Mat) E = mat_new (N, N);
  g_auto (Mat) square = mat_new (N, N);
  double values[N];

  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      *mat_at (&E, i, j) = *mat_at (&A, i, j) - *mat_at (&B, i, j);
  mat_multiply (1, &E, TRANSPOSED, &E, PLAIN, 0, &square);
  g_assert_true (mat_eigen (&square, values));
  assert_at_most (fabs (spectral_distance (&A, &B) / sqrt (values[N - 1]) - 1),
                  0.02);
  g_assert_cmpfloat (spectral_distance (&A, &B), <, mat_distance (&A, &B));
  g_assert_cmpfloat (spectral_distance (&A, &A), ==, 0);
}

/* Without whitening, batches of all samples are Algorithm 1. */
static void
test_no_whitening (void)
{
  enum { N = 10, P = 300 };
  g_auto (Mat) Y = random_mat (N, P, 9);
  g_auto (Mat) A = mat_new (N, N);
  g_auto (Mat) B = mat_new (N, N);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) batches = NULL, all = NULL;

  options.init = INIT_IDENTITY;
  options.textbook = TRUE;
  options.threshold = 0.8;
  options.window = P;
  options.iterations = 20;
  options.noise_floor = INFINITY;
  batches = learn_from ("minibatch", &Y, &options);
  all = learn_from ("orthogonal", &Y, &options);
  learner_dictionary (batches, &A);
  learner_dictionary (all, &B);
  assert_at_most (largest_difference (&A, &B), 1e-5);
}

/* A window smaller than n is enough to go on. */
static void
test_small_window (void)
{
  enum { N = 30 };
  g_auto (Mat) Y = random_mat (N, 400, 8);
  g_auto (Mat) A = mat_new (N, N);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;

  options.init = INIT_PCA;
  options.window = 10;
  learner = learn_from ("online", &Y, &options);
  learner_dictionary (learner, &A);
  for (int i = 0; i < N * N; i++)
    g_assert_true (isfinite (A.data[i]));
}

/* The start from principal directions: with no step after it, each atom
 * explains less than the one before, and all explain everything. */
static void
test_pca_start (void)
{
  enum { N = 27, P = 400 };
  g_auto (Mat) Y = random_mat (N, P, 3);
  g_auto (Mat) D = mat_new (N, N);
  g_auto (Mat) C = mat_new (N, P);
  g_autoptr (Learner) learner = NULL;
  LearnOptions options = LEARN_DEFAULTS;
  double last = INFINITY;

  for (int j = 0; j < P; j++)
    for (int i = 0; i < N; i++)
      *mat_at (&Y, i, j) *= 1 + i;
  options.init = INIT_PCA;
  options.iterations = 0;
  learner = learn_from ("orthogonal", &Y, &options);
  learner_dictionary (learner, &D);
  mat_multiply (1, &D, TRANSPOSED, &Y, PLAIN, 0, &C);
  for (int a = 0; a < N; a++) {
    Mat row = { mat_at (&C, a, 0), 1, P, C.ld };
    double explained = mat_dot (&row, &row);

    g_assert_cmpfloat (explained, <=, last * (1 + 1e-6));
    last = explained;
  }
  assert_at_most (fabs (mat_dot (&C, &C) / mat_dot (&Y, &Y) - 1), 1e-10);
}

static void
test_threads_and_blocks_give_the_same (void)
{
  enum { N = 310 }; /* two blocks of atoms */
  const char *const names[] = { "online", "minibatch", "orthogonal" };
  g_auto (Mat) Y = random_mat (N, 600, 9);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    LearnOptions options = LEARN_DEFAULTS;
    g_auto (Mat) one = mat_new (N, N);
    g_autoptr (Learner) learner = NULL;

    options.init = INIT_PCA;
    options.iterations = 20;
    parallel_init (1);
    learner = learn_from (names[i], &Y, &options);
    learner_dictionary (learner, &one);
    for (int threads = 2; threads <= 4; threads += 2) {
      g_autoptr (Learner) other = learner_new (names[i], N, &options, NULL);
      g_auto (Mat) more = mat_new (N, N);

      parallel_init (threads);
      for (int first = 0; first < 600; first += 37) {
        Mat block = mat_columns (&Y, first, MIN (37, 600 - first));

        g_assert_true (learner_feed (other, &block, NULL, NULL));
      }
      g_assert_true (learner_finish (other, NULL, NULL));
      learner_dictionary (other, &more);
      g_assert_cmpmem (one.data, N * N * 8, more.data, N * N * 8);
    }
  }
}

static void
test_bad_options (void)
{
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (GError) error = NULL;
  g_auto (Mat) Y = random_mat (10, 5, 1);
  g_autoptr (Learner) learner = NULL;

  options.init = INIT_PCA;
  g_assert_null (learner_new ("onlin", 10, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  options.atoms = 20;
  g_assert_null (learner_new ("online", 10, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  options.atoms = 0;
  learner = learner_new ("online", 10, &options, NULL);
  g_assert_true (learner_feed (learner, &Y, NULL, NULL));
  g_assert_false (learner_finish (learner, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
}

/* A dictionary without an inverse says nothing about any block of samples. */
static void
test_polish_refuses_singular (void)
{
  g_auto (Mat) A = random_mat (4, 4, 1);
  g_auto (Mat) Y = random_mat (4, 50, 2);
  g_auto (Mat) after = mat_new (4, 4);
  g_autoptr (Polish) polish = NULL;

  memset (mat_at (&A, 0, 1), 0, 4 * sizeof (double));
  polish = polish_new (&A, 0.1);
  polish_feed (polish, &Y);
  polish_feed (polish, &Y);
  g_assert_false (polish_end_pass (polish));
  polish_dictionary (polish, &after);
  g_assert_cmpfloat (largest_difference (&A, &after), ==, 0);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/learners/orthogonal", test_orthogonal_recovery);
  g_test_add_func ("/learners/never-rises", test_orthogonal_never_rises);
  g_test_add_data_func ("/learners/online", "online", test_complete_recovery);
  g_test_add_data_func ("/learners/minibatch", "minibatch",
                        test_complete_recovery);
  g_test_add_func ("/learners/step", test_step_is_polar);
  g_test_add_func ("/learners/published", test_online_is_the_papers);
  g_test_add_func ("/learners/spectral", test_change_is_spectral);
  g_test_add_func ("/learners/no-whitening", test_no_whitening);
  g_test_add_func ("/learners/not-seen", test_step_keeps_what_is_not_seen);
  g_test_add_func ("/learners/small-window", test_small_window);
  g_test_add_func ("/learners/pca", test_pca_start);
  g_test_add_func ("/learners/threads", test_threads_and_blocks_give_the_same);
  g_test_add_func ("/learners/options", test_bad_options);
  g_test_add_func ("/learners/polish-singular", test_polish_refuses_singular);
  return g_test_run ();
}
