/* learn.c - speed of the learners, as ratios measured in one run
 *
 * Prints milliseconds per iteration of each learner.  The online learner is
 * compared with a plain version of the same step, straight from LAPACK: the
 * factor made from scratch, samples whitened, dense products, an SVD, all in
 * double.  Both do the same steps on the same samples, in turns.  With one
 * thread core seconds are counted, which other work on the machine disturbs
 * less.
 *
 * usage: learn [SIDE [ITERATIONS]]
 */
#include "base/cholesky.h"
#include "base/parallel.h"
#include "base/polar.h"
#include "dictlearn/learner.h"
#include "dictlearn/initial.h"
#include "dictlearn/thresholding.h"
#include "imaging/patchsource.h"
#include "tests/bench/bench.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 10000
#define WINDOW 500
#define TURNS 3
#define THRESHOLD 1.6
#define KEEP_OLD 1.0 /* as in polarstep.c */

static const char *const photos[] = {
  "data/photos/badlands5.png", "data/photos/beach0.png",
  "data/photos/city10.png",    "data/photos/forest3.png",
  "data/photos/mountain5.png", "data/photos/water0.png"
};

static Image *
load_path (const char *path, gpointer data, GError **error)
{
  (void) data;
  (void) error;
  return load_image (path);
}

static Mat
photo_samples (int patch)
{
  Mat Y = mat_new (3 * patch * patch, SAMPLES);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_autoptr (PatchSource) source = NULL;
  PatchSourceOptions options = { .patch = patch,
                                 .channels = 3,
                                 .step = 1,
                                 .max_patches = SAMPLES,
                                 .load = load_path };

  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++)
    g_ptr_array_add (paths, (gpointer) photos[i]);
  source = patch_source_new (paths, &options, NULL);
  g_assert_cmpint (patch_source_read (source, &Y), ==, SAMPLES);
  return Y;
}

/* The clock in use. */
static double (*seconds) (void) = bench_now;

/* The step of the online algorithm as it stands in the paper. */
typedef struct {
  int n, seen;
  Mat Z, U, D, W, X, M;
} Plain;

static void
plain_init (Plain *p, const Mat *Y, const Mat *start)
{
  int n = Y->rows;
  Mat first = mat_columns (Y, 0, MAX (WINDOW, n));

  *p = (Plain){ n,
                first.cols,
                mat_new (n, n),
                mat_new (n, n),
                mat_new (n, n),
                mat_new (n, WINDOW),
                mat_new (n, WINDOW),
                mat_new (n, n) };
  mat_multiply (1, &first, PLAIN, &first, TRANSPOSED, 0, &p->Z);
  for (int i = 0; i < n; i++)
    *mat_at (&p->Z, i, i) += 1e-6; /* constant patches do not span */
  mat_copy (&p->Z, &p->U);
  g_assert_true (cholesky_factor_upper (&p->U));
  mat_copy (start, &p->D);
  mat_solve_upper (sqrt (p->seen), &p->U, PLAIN, &p->D);
  mat_normalise_columns (&p->D);
  g_assert_true (polar_svd (&p->D, NULL, 0, &p->D));
}

static void
plain_clear (Plain *p)
{
  Mat *all[] = { &p->Z, &p->U, &p->D, &p->W, &p->X, &p->M };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    mat_clear (all[i]);
}

static void
plain_step (Plain *p, const Mat *Y)
{
  Mat y = mat_columns (Y, p->seen, 1);
  Mat window;
  double gain = 0;

  p->seen++;
  window = mat_columns (Y, p->seen - WINDOW, WINDOW);
  mat_multiply (1, &y, PLAIN, &y, TRANSPOSED, 1, &p->Z);
  mat_copy (&p->Z, &p->U);
  g_assert_true (cholesky_factor_upper (&p->U));
  mat_copy (&window, &p->W);
  mat_solve_upper (sqrt (p->seen), &p->U, PLAIN, &p->W);
  mat_multiply (1, &p->D, TRANSPOSED, &p->W, PLAIN, 0, &p->X);
  threshold_apply (&p->X, THRESHOLD, &p->X);
  mat_multiply (1, &p->W, PLAIN, &p->X, TRANSPOSED, 0, &p->M);
  gain = fabs (mat_dot (&p->D, &p->M)) / p->n;
  for (int j = 0; j < p->n; j++)
    for (int i = 0; i < p->n; i++)
      *mat_at (&p->M, i, j) += KEEP_OLD * gain * *mat_at (&p->D, i, j);
  g_assert_true (polar_svd (&p->M, NULL, 0, &p->D));
}

static double
plain_ms (const Mat *Y, const Mat *start, int iterations)
{
  Plain plain;
  double begun;

  plain_init (&plain, Y, start);
  begun = seconds ();
  for (int i = 0; i < iterations; i++)
    plain_step (&plain, Y);
  begun = seconds () - begun;
  plain_clear (&plain);
  return 1e3 * begun / iterations;
}

/* Notes when the first iteration is over: what comes before is the start. */
static void
note_first (const Learner *learner, gpointer data)
{
  if (learner_status (learner)->iteration == 1)
    *(double *) data = seconds ();
}

static double
learner_ms (const char *name, const Mat *Y, const Mat *start, int iterations)
{
  double begun = 0;
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;

  options.start = start;
  options.threshold = THRESHOLD;
  options.iterations = iterations + 1;
  options.window = WINDOW;
  options.observer = note_first;
  options.observer_data = &begun;
  learner = learner_new (name, Y->rows, &options, NULL);
  learner_feed (learner, Y, NULL, NULL);
  learner_finish (learner, NULL, NULL);
  return 1e3 * (seconds () - begun) / iterations;
}

int
main (int argc, char **argv)
{
  int patch = argc > 1 ? atoi (argv[1]) : 10;
  int iterations = argc > 2 ? atoi (argv[2]) : 100;
  g_autoptr (Dictionary) dct = NULL;
  g_auto (Mat) start = { 0 };
  g_auto (Mat) Y = { 0 };

  bench_start (argv);
  dct = dictionary_dct (patch, 3, NULL);
  start = mat_new (dct->atoms.rows, dct->atoms.cols);
  mat_from_float (&dct->atoms, &start);
  Y = photo_samples (patch);
  printf ("n = %d, window %d, %d samples\n", Y.rows, WINDOW, SAMPLES);
  for (int threads = 1; threads <= 2; threads++) {
    double plain = 0, fast = 0, gemm;

    parallel_init (threads);
    seconds = threads == 1 ? bench_core_seconds : bench_now;
    gemm = bench_sgemm (Y.rows);
    for (int turn = 0; turn < TURNS; turn++) {
      plain += plain_ms (&Y, &start, MIN (iterations, 10)) / TURNS;
      fast += learner_ms ("online", &Y, &start, iterations) / TURNS;
    }
    printf ("%d thread%s: sgemm %.0f GFLOP/s; online %.2f ms an iteration, "
            "plain LAPACK %.2f ms: %.1f times\n",
            threads, threads > 1 ? "s" : "", gemm, fast, plain, plain / fast);
  }
  for (int i = 0; learner_classes[i] != NULL && patch <= 12; i++)
    printf ("%-10s %9.2f ms an iteration\n", learner_classes[i]->name,
            learner_ms (learner_classes[i]->name, &Y, &start,
                        learner_classes[i]->streams ? iterations : 3));
  return 0;
}
