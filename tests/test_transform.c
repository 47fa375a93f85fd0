/* test_transform.c - rounds with an orthonormal transform, and learning them */
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "dictlearn/transform/rounds.h"
#include "dictlearn/transform/trainer.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { CROP = 13, PIXELS = CROP * CROP, SAMPLES = 3 * PIXELS };

static const TransformShape small = {
  .side = 4, .channels = 3, .spacing = 2, .rounds = 3
};

/* Smooth waves; some samples are lost, and half of the rows are noisy. */
static void
draw (guint64 index, Example *example, gpointer data)
{
  (void) data;
  example->floor = 1e-4;
  for (int i = 0; i < SAMPLES; i++) {
    guint64 at = index * SAMPLES + (guint64) i;
    double phase = 6 * random_uniform (1, 2, index);
    gboolean noisy = i / CROP % CROP < CROP / 2;

    example->clean[i] = (float) (0.5
                                 + 0.2 * sin (0.9 * (i % CROP) + phase)
                                     * cos (0.7 * (i / CROP % CROP)));
    example->known[i] = random_uniform (1, 3, at) < 0.6;
    example->y[i] =
      example->clean[i]
      + (noisy ? 0.05f * (float) random_normal (1, 4, at) : 0);
    example->weight[i] = 1 - 0.5f * example->known[i];
    example->noise[i % PIXELS] = noisy ? 0.05f : 0;
  }
}

typedef struct {
  float planes[5 * SAMPLES], noise[PIXELS];
  Example example;
} Drawn;

static void
drawn_init (Drawn *d, guint64 index)
{
  d->example = (Example){ .clean = d->planes,
                          .y = d->planes + SAMPLES,
                          .known = d->planes + 2 * SAMPLES,
                          .weight = d->planes + 3 * SAMPLES,
                          .noise = d->noise };
  draw (index, &d->example, NULL);
}

static const float *
restore (Rounds *rounds, const TransformModel *model, const Drawn *d)
{
  Damaged damaged = { d->example.y, d->example.known, d->example.noise };

  return rounds_forward (rounds, model, &damaged, NULL, NULL);
}

static double
loss (Rounds *rounds, const TransformModel *model, Drawn *d)
{
  return example_loss (&d->example, restore (rounds, model, d), SAMPLES,
                       d->planes + 4 * SAMPLES);
}

/* ---- the gradient ---- */

/* Moves @count numbers at @x along a random direction, and compares how the
 * loss changes with what @gradient says. */
static void
check_direction (Rounds *rounds, TransformModel *model, Drawn *d, float *x,
                 const float *gradient, int count, double h)
{
  g_autofree float *start = g_memdup2 (x, (gsize) count * sizeof *x);

  for (guint64 trial = 0; trial < 4; trial++) {
    double expected = 0, found = 0, length = 0;

    for (int i = 0; i < count; i++) {
      expected += gradient[i] * random_normal (8, trial, (guint64) i);
      length += (double) gradient[i] * gradient[i];
    }
    for (int side = -1; side <= 1; side += 2) {
      for (int i = 0; i < count; i++)
        x[i] = start[i]
               + (float) (side * h * random_normal (8, trial, (guint64) i));
      found += side * loss (rounds, model, d) / (2 * h);
    }
    memcpy (x, start, (gsize) count * sizeof *x);
    g_test_message ("%g expected, %g found", expected, found);
    g_assert_cmpfloat (length, >, 0);
    /* The second is the rounding of the loss, which is in float. */
    assert_at_most (fabs (found - expected), 2e-2 * sqrt (length) + 2e-6 / h);
  }
}

static void
test_gradient (void)
{
  g_autoptr (TransformModel) model = transform_model_cosines (&small, NULL);
  g_autoptr (Rounds) rounds = rounds_new (&small, CROP, CROP, TRUE, NULL);
  g_autofree Drawn *d = g_new (Drawn, 1);
  int n = transform_length (&small), levels = LEVEL_COUNT * n;
  g_autofree float *sums =
    g_new0 (float, transform_level_count (&small) + 64 + n * n);
  TransformGradient gradient = { .atoms = { sums, n, n, n },
                                 .levels = sums + n * n,
                                 .paces = sums + n * n
                                          + transform_level_count (&small) };

  g_test_summary ("The gradient over thresholds, paces and atoms equals "
                  "differences, in each round and for each kind");
  for (int i = 0; i < transform_level_count (&small); i++)
    model->levels[i] += 0.3f * (float) random_normal (1, 5, (guint64) i);
  for (int i = 0; i < transform_pace_count (&small); i++)
    model->paces[i] *= 1 + 0.2f * (float) random_normal (1, 6, (guint64) i);
  drawn_init (d, 3);
  loss (rounds, model, d);
  rounds_backward (rounds, model, d->planes + 4 * SAMPLES, &gradient);

  for (int k = 0; k < small.rounds; k++) {
    for (int which = 0; which < LEVEL_COUNT; which++)
      check_direction (rounds, model, d,
                       transform_level (&small, model->levels, k, which),
                       gradient.levels + k * levels + which * n, n, 1e-2);
    for (int which = 0; which < PACE_COUNT; which++)
      /* Nothing is given back in the first round: u is y there. */
      if (k > 0 || which != PACE_RETURN)
        check_direction (rounds, model, d,
                         model->paces + k * PACE_COUNT + which,
                         gradient.paces + k * PACE_COUNT + which, 1, 3e-3);
  }
  check_direction (rounds, model, d, model->atoms.data, gradient.atoms.data,
                   n * n, 1e-4);
}

/* ---- restoration ---- */

static void
test_known_stay (void)
{
  g_autoptr (TransformModel) model = transform_model_cosines (&small, NULL);
  g_autoptr (Rounds) rounds = rounds_new (&small, CROP, CROP, FALSE, NULL);
  g_autofree Drawn *d = g_new (Drawn, 1);
  const float *out;
  double before = 0, after = 0;

  g_test_summary ("Known samples without noise come back as they were, others "
                  "nearer to the truth");
  drawn_init (d, 4);
  out = restore (rounds, model, d);
  for (int i = 0; i < SAMPLES; i++) {
    const Example *e = &d->example;

    if (e->known[i] > 0 && e->noise[i % PIXELS] == 0)
      g_assert_cmpfloat (out[i], ==, e->y[i]);
    else {
      before += pow ((e->known[i] > 0 ? e->y[i] : 0.5) - e->clean[i], 2);
      after += pow (out[i] - e->clean[i], 2);
    }
  }
  assert_at_most (after, 0.7 * before);
}

/* One round by the formulas of model.h, with loops. */
static void
test_one_round (void)
{
  TransformShape shape = { .side = 3, .channels = 1, .spacing = 1, .rounds = 1 };
  enum { SIDE = 5, FRAME = 1, ALL = SIDE + 2 * FRAME };
  g_autoptr (TransformModel) model = transform_model_cosines (&shape, NULL);
  g_autoptr (Rounds) rounds = rounds_new (&shape, SIDE, SIDE, FALSE, NULL);
  float y[SIDE * SIDE], known[SIDE * SIDE], noise[SIDE * SIDE];
  double sum[SIDE * SIDE] = { 0 }, weights[SIDE * SIDE] = { 0 };
  Damaged damaged = { y, known, noise };
  const float *out, *pace = model->paces;

  g_test_summary ("A round is what its formulas say");
  for (int i = 0; i < SIDE * SIDE; i++) {
    y[i] = (float) random_uniform (1, 7, (guint64) i);
    known[i] = 1;
    noise[i] = 0.1f;
  }
  out = rounds_forward (rounds, model, &damaged, NULL, NULL);
  /* Patches that lie within the picture; only its middle has no others. */
  for (int v = 0; v + 3 <= SIDE; v++)
    for (int u = 0; u + 3 <= SIDE; u++) {
      double patch[9] = { 0 }, kept = 0, w;

      for (int j = 0; j < 9; j++) {
        const float *atom = matf_at (&model->atoms, 0, j);
        double c = 0, t = 0.1 * exp (model->levels[9 * LEVEL_NOISE + j])
                          + exp (model->levels[9 * LEVEL_ALWAYS + j]);
        double q, share;

        for (int i = 0; i < 9; i++)
          c += atom[i] * y[(v + i / 3) * SIDE + u + i % 3];
        q = pow (c / t, 4);
        share = q / (1 + q);
        kept += share;
        for (int i = 0; i < 9; i++)
          patch[i] += atom[i] * c * share;
      }
      w = pow (1 + kept, -pace[PACE_SPARSE]);
      for (int i = 0; i < 9; i++) {
        sum[(v + i / 3) * SIDE + u + i % 3] += w * patch[i];
        weights[(v + i / 3) * SIDE + u + i % 3] += w;
      }
    }
  {
    int middle = SIDE * SIDE / 2;
    double mean = sum[middle] / weights[middle];

    g_assert_cmpfloat_with_epsilon (
      out[middle], y[middle] + pace[PACE_STEP] * (mean - y[middle]), 1e-5);
  }
}

static void
test_any_size (void)
{
  g_autoptr (TransformModel) model = transform_model_cosines (&small, NULL);

  g_test_summary ("Pictures of any size can be restored, also where nothing is "
                  "known");
  for (int width = 1; width <= 6; width++)
    for (int height = 1; height <= 6; height += 5) {
      g_autoptr (Rounds) rounds =
        rounds_new (&small, width, height, FALSE, NULL);
      g_autofree float *zero = g_new0 (float, 3 * width * height);
      Damaged damaged = { zero, zero, NULL };
      const float *out = rounds_forward (rounds, model, &damaged, NULL, NULL);

      for (int i = 0; i < 3 * width * height; i++)
        g_assert_true (isfinite (out[i]));
    }
}

/* ---- learning ---- */

static void
assert_same (const float *a, const float *b, int count)
{
  g_assert_true (memcmp (a, b, (gsize) count * sizeof *a) == 0);
}

static TransformModel *
learn (double rotation, int threads, int steps, double *first, double *last)
{
  TransformModel *model = transform_model_cosines (&small, NULL);
  TransformTrainerOptions options = { .crop = CROP,
                                      .batch = 6,
                                      .steps = steps,
                                      .rate = 0.05,
                                      .rotation = rotation,
                                      .draw = draw };
  g_autoptr (ThreadPool) pool = thread_pool_new (threads);
  ParallelScope scope;
  GError *error = NULL;

  parallel_enter (&scope, pool);
  {
    g_autoptr (TransformTrainer) trainer =
      transform_trainer_new (model, &options, &error);

    for (int i = 0; i < steps; i++) {
      g_assert_true (transform_trainer_step (trainer, NULL, &error));
      g_assert_no_error (error);
      if (i == 0)
        *first = transform_trainer_status (trainer)->error;
    }
    *last = transform_trainer_status (trainer)->error;
  }
  parallel_leave (&scope);
  return model;
}

static void
test_learning (void)
{
  double first, thresholds, atoms;
  g_autoptr (TransformModel) model = NULL, rotated = NULL;
  g_autoptr (TransformModel) cosines = transform_model_cosines (&small, NULL);
  int n = transform_length (&small);
  float most = 0;

  g_test_summary ("Learning lowers the error; atoms stay orthonormal, and "
                  "constant ones as they are");
  model = learn (0, 1, 60, &first, &thresholds);
  g_test_message ("%g, then %g", first, thresholds);
  assert_at_most (thresholds, first - 0.2);
  assert_same (model->atoms.data, cosines->atoms.data, n * n);

  rotated = learn (0.02, 1, 60, &first, &atoms);
  g_test_message ("with atoms %g", atoms);
  assert_at_most (atoms, thresholds);
  for (int a = 0; a < n; a++) {
    gboolean constant =
      fabsf (*matf_at (&cosines->atoms, 0, a)
             - *matf_at (&cosines->atoms, 1, a)) < 1e-6
      && fabsf (*matf_at (&cosines->atoms, 0, a)
                - *matf_at (&cosines->atoms, 4, a)) < 1e-6
      && fabsf (*matf_at (&cosines->atoms, 0, a)
                - *matf_at (&cosines->atoms, 2, a)) < 1e-6;

    for (int i = 0; i < n; i++) {
      float move = fabsf (*matf_at (&rotated->atoms, i, a)
                          - *matf_at (&cosines->atoms, i, a));

      if (constant)
        assert_at_most (move, 1e-5);
      most = MAX (most, move);
    }
    for (int b = 0; b <= a; b++)
      assert_at_most (fabs (matf_dot (n, matf_at (&rotated->atoms, 0, a),
                                      matf_at (&rotated->atoms, 0, b))
                            - (a == b)),
                      1e-5);
  }
  g_assert_cmpfloat (most, >, 1e-3);
}

static void
test_threads (void)
{
  double first, last;
  g_autoptr (TransformModel) one = learn (0.02, 1, 5, &first, &last);
  g_autoptr (TransformModel) four = learn (0.02, 4, 5, &first, &last);
  int n = transform_length (&small);

  g_test_summary ("One thread and four learn the same bytes");
  assert_same (one->atoms.data, four->atoms.data, n * n);
  assert_same (one->levels, four->levels,
               transform_level_count (&small) + transform_pace_count (&small));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  parallel_init (2);
  g_test_add_func ("/transform/gradient", test_gradient);
  g_test_add_func ("/transform/known-stay", test_known_stay);
  g_test_add_func ("/transform/one-round", test_one_round);
  g_test_add_func ("/transform/any-size", test_any_size);
  g_test_add_func ("/transform/learning", test_learning);
  g_test_add_func ("/transform/threads", test_threads);
  return g_test_run ();
}
