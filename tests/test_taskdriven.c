/* test_taskdriven.c - the gradient of the error for a task */
#include "base/random.h"
#include "base/error.h"
#include "dictlearn/learner.h"
#include "dictlearn/taskdriven.h"
#include "tests/support.h"

#include <math.h>

enum { N = 24, K = 30, FEW = 4, SIGNALS = 40 };

/* Sparse signals of which about half the samples are hidden. */
static TaskBatch
random_batch (const MatF *D, guint64 seed, double noise)
{
  TaskBatch batch;

  g_assert_true (task_batch_try_new (&batch, N, SIGNALS, NULL));
  for (int p = 0; p < SIGNALS; p++) {
    for (int j = 0; j < 4; j++) {
      guint64 at = (guint64) (p * 4 + j);

      matf_axpy (N, (float) random_normal (seed, 1, at),
                 matf_at (D, 0, (int) random_below (seed, 2, at, K)),
                 matf_at (&batch.clean, 0, p));
    }
    for (int i = 0; i < N; i++) {
      guint64 at = (guint64) (p * N + i);
      float known = random_uniform (seed, 3, at) < 0.6;

      *matf_at (&batch.known, i, p) = known;
      *matf_at (&batch.counts, i, p) = noise > 0 ? 1 : 1 - known;
      *matf_at (&batch.given, i, p) =
        *matf_at (&batch.clean, i, p)
        + (float) (noise * random_normal (seed, 4, at));
    }
  }
  return batch;
}

/* Patches of crops, which they share. */
static const TaskOverlap overlap = { .patch = 2, .step = 1, .across = 2 };

/* The same with the samples of one crop where patches meet. */
static void
make_overlap (TaskBatch *batch)
{
  MatF *parts[] = { &batch->clean, &batch->given, &batch->known,
                    &batch->counts };
  const int patches = overlap.across * overlap.across;

  for (int part = 0; part < 4; part++)
    for (int first = 0; first < SIGNALS; first += patches) {
      float crop[54];

      for (int at = 0; at < patches * N; at++)
        crop[task_place (&overlap, at / N, at % N)] =
          *matf_at (parts[part], at % N, first + at / N);
      for (int at = 0; at < patches * N; at++)
        *matf_at (parts[part], at % N, first + at / N) =
          crop[task_place (&overlap, at / N, at % N)];
    }
}

/* Samples that count; those where patches meet count once. */
static double
count_samples (const TaskBatch *batch, gboolean shared)
{
  double counted = 0, weights[54];
  const int patches = overlap.across * overlap.across;

  for (int p = 0; p < SIGNALS; p++)
    for (int i = 0; i < N; i++) {
      int at = task_place (&overlap, p % patches, i);

      if (p % patches == 0 && i == 0)
        for (int j = 0; j < 54; j++)
          weights[j] = 0;
      if (!shared || weights[at] == 0)
        counted += *matf_at (&batch->counts, i, p);
      weights[at] = 1;
    }
  return counted;
}

static double
half_error (const MatF *D, const TaskBatch *batch, const TaskCoder *coder)
{
  g_auto (MatF) gradient = matf_new (N, D->cols);
  double error;

  g_assert_true (
    task_gradient (D, batch, coder, &gradient, &error, NULL, NULL));
  return error * count_samples (batch, coder->overlap != NULL) / SIGNALS / 2;
}

/* What is not known gets values and trust, the same wherever patches meet; the
 * rest is left alone. */
static void
fill_and_check (const MatF *D, TaskBatch *batch, const TaskCoder *coder)
{
  g_auto (MatF) given = matf_new (N, SIGNALS);
  g_auto (MatF) known = matf_new (N, SIGNALS);
  const int patches = overlap.across * overlap.across;
  float crop[54];
  int filled = 0;

  memcpy (given.data, batch->given.data, sizeof (float) * N * SIGNALS);
  memcpy (known.data, batch->known.data, sizeof (float) * N * SIGNALS);
  g_assert_true (task_fill (D, batch, coder, 0.25, NULL, NULL));
  for (int p = 0; p < SIGNALS; p++)
    for (int i = 0; i < N; i++) {
      int at = task_place (&overlap, p % patches, i);
      float now = *matf_at (&batch->given, i, p);
      gboolean was_known = *matf_at (&known, i, p) == 1;

      if (p % patches == 0 && i == 0)
        for (int j = 0; j < 54; j++)
          crop[j] = NAN;
      g_assert_cmpfloat (*matf_at (&batch->known, i, p), ==,
                         was_known ? 1 : 0.25f);
      if (was_known)
        g_assert_cmpfloat (now, ==, *matf_at (&given, i, p));
      else if (isnan (crop[at]))
        crop[at] = now;
      else
        g_assert_cmpfloat (now, ==, crop[at]);
      filled += !was_known;
    }
  g_assert_cmpint (filled, >, SIGNALS);
}

/* The derivative along random directions, by differences.  All atoms are used
 * by every signal: a step that changed a support would make a jump. */
static void
check_gradient (guint64 seed, double noise, const float *ridge,
                const TaskOverlap *shared, gboolean filled)
{
  g_auto (MatF) D = random_dictionary (N, FEW, seed);
  g_auto (MatF) truth = random_dictionary (N, K, seed + 1);
  g_auto (MatF) gradient = matf_new (N, FEW);
  g_auto (MatF) moved = matf_new (N, FEW);
  g_auto (TaskBatch) batch = random_batch (&truth, seed, noise);
  TaskCoder coder = { .max_atoms = FEW, .ridge = ridge, .overlap = shared };
  double error;

  if (shared != NULL)
    make_overlap (&batch);
  if (filled)
    fill_and_check (&D, &batch, &coder);
  g_assert_true (
    task_gradient (&D, &batch, &coder, &gradient, &error, NULL, NULL));
  for (int trial = 0; trial < 9; trial++) {
    g_auto (MatF) way = random_matf (N, FEW, seed + 10 + (guint64) trial);
    const double h = 1e-3;
    double expected = 0, found = 0, scale = 0;

    for (int j = 0; j < FEW; j++)
      for (int i = 0; i < N; i++) {
        double g = *matf_at (&gradient, i, j);

        expected += g * *matf_at (&way, i, j);
        scale += g * g;
      }
    for (int side = -1; side <= 1; side += 2) {
      for (int j = 0; j < FEW; j++)
        for (int i = 0; i < N; i++)
          *matf_at (&moved, i, j) =
            *matf_at (&D, i, j) + (float) (side * h) * *matf_at (&way, i, j);
      found += side * half_error (&moved, &batch, &coder) / (2 * h);
    }
    g_test_message ("%g expected, %g found", expected, found);
    assert_at_most (fabs (found - expected), 1e-3 * sqrt (scale));
  }
}

static void
test_gradient (void)
{
  float ridge[K];

  g_test_summary ("The gradient equals differences, of separate patches and of"
                  " the mean of overlapping ones, after a first pass too");
  for (int j = 0; j < K; j++)
    ridge[j] = 0.05f * (float) (j % 5);
  for (guint64 seed = 1; seed <= 4; seed++) {
    check_gradient (100 * seed, 0, NULL, NULL, FALSE);
    check_gradient (100 * seed, 0, ridge, NULL, FALSE);
    check_gradient (100 * seed, 0.1, ridge, NULL, FALSE);
    check_gradient (100 * seed, 0, NULL, &overlap, FALSE);
    check_gradient (100 * seed, 0.1, ridge, &overlap, FALSE);
    check_gradient (100 * seed, 0.1, ridge, &overlap, TRUE);
  }
}

static void
test_learns (void)
{
  g_autoptr (TaskLearner) learner = NULL;
  g_auto (MatF) truth = random_dictionary (N, K, 5);
  g_auto (MatF) D = matf_new (N, K);
  TaskCoder coder = { .max_atoms = 4 };
  double before, after;

  g_test_summary ("Learning brings the error on new signals down");
  for (int j = 0; j < K; j++)
    for (int i = 0; i < N; i++)
      *matf_at (&D, i, j) =
        *matf_at (&truth, i, j)
        + 0.1f * (float) random_normal (6, 7, (guint64) (j * N + i));
  learner = task_learner_new (&D, 150, 0.004, NULL);
  {
    g_auto (TaskBatch) unseen = random_batch (&truth, 999, 0);

    before = half_error (&D, &unseen, &coder);
    for (guint64 t = 0; t < 150; t++) {
      g_auto (TaskBatch) batch = random_batch (&truth, 1000 + t, 0);

      g_assert_true (task_learner_step (learner, &batch, &coder, NULL, NULL));
    }
    after = half_error (&D, &unseen, &coder);
  }
  g_assert_cmpint (task_learner_steps (learner), ==, 150);
  assert_at_most (after, 0.7 * before);
  for (int j = 0; j < K; j++) {
    double norm = 0;

    for (int i = 0; i < N; i++)
      norm += (double) *matf_at (&D, i, j) * *matf_at (&D, i, j);
    assert_at_most (fabs (norm - 1), 1e-5);
  }
}

/* Mean squared error of what is hidden, by a learner of samples of @truth
 * after that many steps from a rough start. */
static double
hidden_error_after (const MatF *truth, const Mat *start, int steps)
{
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (TaskBatch) batch = random_batch (truth, 77, 0);
  g_auto (Mat) Y = mat_new (N, batch.clean.cols);
  g_auto (Mat) A = mat_new (N, K);
  g_auto (MatF) D = matf_new (N, K);
  TaskCoder coder = { .max_atoms = 4 };

  mat_from_float (&batch.clean, &Y);
  options.init = INIT_GIVEN;
  options.start = start;
  options.atoms = K;
  options.atoms_per_sample = 4;
  options.iterations = steps;
  options.hidden = 0.3;
  options.predict_atoms = 4;
  options.rate = 0.004;
  learner = learner_new ("task-driven", N, &options, &error);
  g_assert_no_error (error);
  learner_feed (learner, &Y, NULL, &error);
  learner_finish (learner, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (learner_status (learner)->iteration, ==, steps);
  learner_dictionary (learner, &A);
  mat_to_float (&A, &D);
  return half_error (&D, &batch, &coder);
}

static void
test_learner (void)
{
  g_auto (MatF) truth = random_dictionary (N, K, 5);
  g_auto (Mat) start = mat_new (N, K);

  g_test_summary ("The learner of that name predicts better with every step");
  mat_from_float (&truth, &start);
  for (int j = 0; j < K; j++)
    for (int i = 0; i < N; i++)
      *mat_at (&start, i, j) +=
        0.1 * random_normal (6, 7, (guint64) (j * N + i));
  assert_at_most (hidden_error_after (&truth, &start, 60),
                  0.8 * hidden_error_after (&truth, &start, 1));
}

static void
test_learner_options (void)
{
  LearnOptions options = LEARN_DEFAULTS;
  GError *error = NULL;

  g_test_summary (
    "Nothing hidden, all hidden, and planes that do not divide a "
    "sample are refused");
  options.init = INIT_RANDOM;
  options.hidden = 1;
  g_assert_null (learner_new ("task-driven", N, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  options.hidden = 0;
  g_assert_null (learner_new ("task-driven", N, &options, NULL));
  options.hidden = 0.5;
  options.planes = N - 1;
  g_assert_null (learner_new ("task-driven", N, &options, NULL));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/taskdriven/gradient", test_gradient);
  g_test_add_func ("/taskdriven/learns", test_learns);
  g_test_add_func ("/taskdriven/learner", test_learner);
  g_test_add_func ("/taskdriven/learner-options", test_learner_options);
  return g_test_run ();
}
