/* test_prototypes.c - gradients equal those of independent sketches
 *
 * What the sketches in numpy and torch found for the same input is in
 * tests/vectors/gradients.csv; README.md there tells how it was made.
 */
#include "dictlearn/convolutional/coder.h"
#include "dictlearn/taskdriven.h"
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>

/* Relative to the largest entry of an array. */
#define TOLERANCE 1e-3

/* ---- the same numbers as in make_gradient_vectors.py ---- */

static double
next_number (guint64 *state)
{
  *state = (*state * 1103515245 + 12345) % (G_GUINT64_CONSTANT (1) << 31);
  return (double) *state / 2147483648.;
}

/* Numbers around @middle, at most @reach away. */
static void
fill (guint64 *state, double middle, double reach, int count, float *to)
{
  for (int i = 0; i < count; i++)
    to[i] = (float) (middle + reach * (2 * next_number (state) - 1));
}

static void
fill_mask (guint64 *state, double share, int count, float *to)
{
  for (int i = 0; i < count; i++)
    to[i] = 2 * next_number (state) - 1 < 2 * share - 1;
}

/* ---- what is stored ---- */

/* Compares entries of @found with those stored under @name, of which there are
 * @count. */
static void
check (const char *name, const float *found, int count)
{
  g_autofree char *table = NULL;
  g_auto (GStrv) lines = NULL;
  GError *error = NULL;
  double largest = 0, worst = 0;
  int seen = 0;

  g_file_get_contents ("tests/vectors/gradients.csv", &table, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (g_strchomp (table), "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    g_auto (GStrv) cell = g_strsplit (*line, ",", -1);
    double expected;

    g_assert_cmpuint (g_strv_length (cell), ==, 3);
    if (!g_str_equal (cell[0], name))
      continue;
    expected = g_ascii_strtod (cell[2], NULL);
    worst = fmax (worst, fabs (found[atoi (cell[1])] - expected));
    largest = fmax (largest, fabs (expected));
    seen++;
  }
  g_test_message ("%s: %d numbers, at most %g apart, largest %g", name, seen,
                  worst, largest);
  g_assert_cmpint (seen, ==, count);
  g_assert_cmpfloat (largest, >, 0);
  assert_at_most (worst, TOLERANCE * largest);
}

/* ---- for a task ---- */

enum { N = 24, ATOMS = 30, SIGNALS = 12, CHOSEN = 4 };

static void
normalise_columns (MatF *D)
{
  for (int j = 0; j < D->cols; j++) {
    double sum = 0;

    for (int i = 0; i < D->rows; i++)
      sum += (double) *matf_at (D, i, j) * *matf_at (D, i, j);
    for (int i = 0; i < D->rows; i++)
      *matf_at (D, i, j) /= (float) sqrt (sum);
  }
}

static void
test_task (void)
{
  guint64 state = 1;
  g_auto (MatF) D = matf_new (N, ATOMS);
  g_auto (MatF) gradient = matf_new (N, ATOMS);
  g_auto (TaskBatch) batch = { 0 };
  TaskCoder coder = { .max_atoms = CHOSEN };
  float found[N * ATOMS], single;
  double error;

  g_test_summary ("Masked pursuit, numpy");
  g_assert_true (task_batch_try_new (&batch, N, SIGNALS, NULL));
  for (int j = 0; j < ATOMS; j++)
    fill (&state, 0, 1, N, matf_at (&D, 0, j));
  normalise_columns (&D);
  for (int p = 0; p < SIGNALS; p++)
    fill (&state, 0, 1, N, matf_at (&batch.clean, 0, p));
  for (int p = 0; p < SIGNALS; p++) {
    fill_mask (&state, 0.6, N, matf_at (&batch.known, 0, p));
    for (int i = 0; i < N; i++) {
      *matf_at (&batch.given, i, p) = *matf_at (&batch.clean, i, p);
      *matf_at (&batch.counts, i, p) = 1 - *matf_at (&batch.known, i, p);
    }
  }
  g_assert_true (
    task_gradient (&D, &batch, &coder, &gradient, &error, NULL, NULL));
  for (int i = 0; i < N * ATOMS; i++)
    found[i] = *matf_at (&gradient, i % N, i / N);
  single = (float) error;
  check ("task.error", &single, 1);
  check ("task.gradient", found, N * ATOMS);
}

/* ---- through the rounds ---- */

enum { SIDE = 4, ROUNDS = 3, SIZE = 11, STRIDE = 31 };
enum { LENGTH = 3 * SIDE * SIDE, PIXELS = SIZE * SIZE, SAMPLES = 3 * PIXELS };

static const ConvShape shape = { .side = SIDE,
                                 .stride = 2,
                                 .channels = 3,
                                 .atoms = LENGTH,
                                 .rounds = ROUNDS,
                                 .sets = 1,
                                 .levels = 1 };

/* The sketch has one gain for each round, and thresholds that depend on
 * nothing. */
static void
fill_model (guint64 *state, const ConvLevel *level)
{
  float *atoms[] = { level->C, level->D, level->W };
  float gains[ROUNDS];

  for (int i = 0; i < 3; i++)
    fill (state, 0, 0.25, LENGTH * LENGTH, atoms[i]);
  for (int k = 0; k < ROUNDS; k++)
    fill (state, log (0.05), 0.3, LENGTH,
          conv_knob (&shape, level->knobs, k, KNOB_THRESHOLD));
  fill (state, 1, 0.2, ROUNDS, gains);
  for (int k = 0; k < ROUNDS; k++)
    for (int j = 0; j < LENGTH; j++) {
      conv_knob (&shape, level->knobs, k, KNOB_GAIN)[j] = gains[k];
      conv_knob (&shape, level->knobs, k, KNOB_GAIN_MISSING)[j] = 0;
      conv_knob (&shape, level->knobs, k, KNOB_THRESHOLD_NOISE)[j] = -50;
      conv_knob (&shape, level->knobs, k, KNOB_THRESHOLD_MISSING)[j] = -50;
    }
}

typedef struct {
  float y[SAMPLES], known[SAMPLES], ground[SAMPLES];
  float change[SAMPLES], restored[SAMPLES], unused[SAMPLES];
} Picture;

/* What is known is kept, so its gradient is zero. */
static void
fill_picture (guint64 *state, Picture *p)
{
  fill (state, 0, 1, SAMPLES, p->y);
  fill_mask (state, 0.6, PIXELS, p->known);
  for (int i = PIXELS; i < SAMPLES; i++)
    p->known[i] = p->known[i % PIXELS];
  fill (state, 0, 0.3, SAMPLES, p->ground);
  fill (state, 0, 1, SAMPLES, p->change);
  for (int i = 0; i < SAMPLES; i++)
    p->change[i] *= 1 - p->known[i];
}

/* The gradient over what the sketch has one number for. */
static void
check_knobs (const ConvLevel *gradient)
{
  float thresholds[ROUNDS * LENGTH], gains[ROUNDS] = { 0 };

  for (int i = 0; i < ROUNDS * LENGTH; i++) {
    int k = i / LENGTH, j = i % LENGTH;

    thresholds[i] =
      conv_knob (&shape, gradient->knobs, k, KNOB_THRESHOLD)[j];
    gains[k] += conv_knob (&shape, gradient->knobs, k, KNOB_GAIN)[j];
  }
  check ("unrolled.logt", thresholds, ROUNDS * LENGTH);
  check ("unrolled.step", gains, ROUNDS);
}

static void
test_unrolled (void)
{
  const int entries = (LENGTH * LENGTH + STRIDE - 1) / STRIDE;
  guint64 state = 2;
  g_autoptr (ConvModel) model = conv_model_new (&shape, NULL);
  g_autofree float *sums = g_new0 (float, conv_length (&shape));
  ConvLevel level = conv_level (&shape, model->numbers, 0);
  ConvLevel gradient = conv_level (&shape, sums, 0);
  g_autoptr (Coder) coder = coder_new (&shape, SIZE, SIZE, TRUE, NULL);
  g_autofree Picture *p = g_new (Picture, 1);
  CoderInput input = { p->y, p->known, NULL, p->ground };

  g_test_summary ("Rounds of shrinkage, torch");
  fill_model (&state, &level);
  fill_picture (&state, p);
  coder_forward (coder, &level, &input, p->restored, NULL, NULL);
  coder_backward (coder, &level, p->change, &gradient, p->unused);
  for (int i = 0; i < SAMPLES; i++)
    if (p->known[i] == 1)
      p->restored[i] = p->y[i];
  check ("unrolled.restored", p->restored, SAMPLES);
  check ("unrolled.C", gradient.C, entries);
  check ("unrolled.D", gradient.D, entries);
  check ("unrolled.W", gradient.W, entries);
  check_knobs (&gradient);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/prototypes/task", test_task);
  g_test_add_func ("/prototypes/unrolled", test_unrolled);
  return g_test_run ();
}
