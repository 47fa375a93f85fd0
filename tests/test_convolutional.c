/* test_convolutional.c - the unrolled coder: what it does and its gradient */
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "dictlearn/convolutional/file.h"
#include "dictlearn/convolutional/pyramid.h"
#include "dictlearn/convolutional/trainer.h"
#include "imaging/convolutional/recode.h"
#include "tests/support.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

enum { CROP = 14, PIXELS = CROP * CROP, SAMPLES = 3 * PIXELS };

static const ConvShape small = { .side = 4,
                                 .stride = 2,
                                 .channels = 3,
                                 .atoms = 20,
                                 .rounds = 3,
                                 .sets = 2,
                                 .levels = 2 };

static ConvModel *
random_model (guint64 seed)
{
  ConvModel *model = conv_model_new (&small, NULL);

  for (gsize i = 0; i < conv_length (&small); i++)
    model->numbers[i] += 0.05f * (float) random_normal (seed, 1, i);
  return model;
}

/* Smooth waves, some of them lost, the rest noisy. */
static void
draw (guint64 index, Example *example, gpointer data)
{
  (void) data;
  example->floor = 1e-4;
  for (int i = 0; i < SAMPLES; i++) {
    guint64 at = index * SAMPLES + (guint64) i;
    double phase = 6 * random_uniform (1, 2, index);

    example->clean[i] = (float) (0.5
                                 + 0.2 * sin (0.9 * (i % CROP) + phase)
                                     * cos (0.7 * (i / CROP % CROP)));
    example->known[i] = random_uniform (1, 3, at) < 0.6;
    example->y[i] =
      example->clean[i] + 0.05f * (float) random_normal (1, 4, at);
    example->weight[i] = 1 - 0.5f * example->known[i];
  }
  for (int i = 0; i < PIXELS; i++)
    example->noise[i] = 0.03f + 0.001f * (float) (i % 40);
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

static double
loss (Pyramid *pyramid, ConvModel *model, Drawn *d)
{
  Damaged damaged = { d->example.y, d->example.known, d->example.noise };

  return example_loss (&d->example,
                       pyramid_forward (pyramid, model->numbers, &damaged, NULL, NULL),
                       SAMPLES, d->planes + 4 * SAMPLES);
}

static void
test_gradient (void)
{
  g_autoptr (ConvModel) model = random_model (7);
  g_autoptr (Pyramid) pyramid = pyramid_new (&small, CROP, CROP, TRUE, NULL);
  gsize length = conv_length (&small);
  g_autofree float *gradient = g_new0 (float, length);
  g_autofree float *start = g_memdup2 (model->numbers, length * 4);
  g_autofree Drawn *d = g_new (Drawn, 1);
  double norm = 0;

  g_test_summary ("The gradient through all rounds and sizes equals "
                  "differences, for each kind of number");
  drawn_init (d, 3);
  loss (pyramid, model, d);
  pyramid_backward (pyramid, model->numbers, d->planes + 4 * SAMPLES,
                    gradient);
  for (gsize i = 0; i < length; i++)
    norm += (double) gradient[i] * gradient[i];
  for (guint64 trial = 0; trial < 12; trial++) {
    /* Every fourth trial moves all numbers, the others a stretch of them. */
    gsize from = trial % 4 == 0 ? 0 : random_below (5, trial, 0, length);
    gsize to = trial % 4 == 0 ? length : MIN (length, from + 200);
    double expected = 0, part = 0, found = 0;
    const double h = 1e-3 / sqrt ((double) (to - from) / 100);

    for (gsize i = from; i < to; i++) {
      expected += gradient[i] * random_normal (8, trial, i);
      part += (double) gradient[i] * gradient[i];
    }
    for (int side = -1; side <= 1; side += 2) {
      for (gsize i = from; i < to; i++)
        model->numbers[i] =
          start[i] + (float) (side * h * random_normal (8, trial, i));
      found += side * loss (pyramid, model, d) / (2 * h);
    }
    memcpy (model->numbers, start, length * sizeof (float));
    g_test_message ("%g expected, %g found", expected, found);
    assert_at_most (fabs (found - expected),
                    1e-3 * sqrt (norm) + 1e-2 * sqrt (part));
  }
}

static void
test_start_is_tight (void)
{
  ConvShape shape = small;
  g_autoptr (ConvModel) model = NULL;
  g_autoptr (Pyramid) pyramid = NULL;
  g_autofree Drawn *d = g_new (Drawn, 1);
  Damaged damaged;
  const float *out;

  g_test_summary ("Without thresholds the first round of cosines explains "
                  "the whole picture");
  shape.atoms = conv_atom_length (&shape);
  shape.rounds = shape.sets = shape.levels = 1;
  model = conv_model_new (&shape, NULL);
  drawn_init (d, 5);
  for (int i = 0; i < shape.atoms; i++) {
    ConvLevel level = conv_level (&shape, model->numbers, 0);

    conv_knob (&shape, level.knobs, 0, KNOB_GAIN_MISSING)[i] = 0;
    for (int knob = KNOB_THRESHOLD; knob <= KNOB_THRESHOLD_MISSING; knob++)
      conv_knob (&shape, level.knobs, 0, knob)[i] = -50;
  }
  for (int i = 0; i < SAMPLES; i++)
    d->example.known[i] = 1;
  pyramid = pyramid_new (&shape, CROP, CROP, FALSE, NULL);
  damaged = (Damaged){ d->example.y, d->example.known, NULL };
  out = pyramid_forward (pyramid, model->numbers, &damaged, NULL, NULL);
  for (int i = 0; i < SAMPLES; i++)
    assert_at_most (fabs (out[i] - d->example.y[i]), 1e-5);
}

static void
cancel_third (double done, gpointer data)
{
  int *reports = data;

  g_assert_cmpfloat (done, <, 1);
  if (++*reports == 3)
    g_cancellable_cancel (g_cancellable_get_current ());
}

static void
test_cancel (void)
{
  g_autoptr (ConvModel) model = conv_model_new (&small, NULL);
  g_autoptr (Pyramid) pyramid =
    pyramid_new (&small, CROP, CROP, FALSE, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autofree Drawn *d = g_new (Drawn, 1);
  Damaged damaged;
  int reports = 0;
  Progress progress = { cancel_third, &reports, cancellable };

  g_test_summary ("Coding a part of a picture ends within a round");
  drawn_init (d, 5);
  damaged = (Damaged){ d->example.y, d->example.known, NULL };
  g_cancellable_push_current (cancellable);
  g_assert_null (pyramid_forward (pyramid, model->numbers, &damaged, &progress,
                                  &error));
  g_cancellable_pop_current (cancellable);
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
  g_assert_cmpint (reports, ==, 3);
}

static ConvTrainer *
new_trainer (ConvModel *model)
{
  ConvTrainerOptions options = {
    .crop = CROP, .batch = 6, .steps = 40, .rate = 2e-3, .draw = draw
  };

  return conv_trainer_new (model, &options, NULL);
}

static void
steps (ConvTrainer *trainer, int count)
{
  for (int i = 0; i < count; i++)
    g_assert_true (conv_trainer_step (trainer, NULL, NULL));
}

static void
test_learns (void)
{
  g_autoptr (ConvModel) model = conv_model_new (&small, NULL);
  g_autoptr (ConvTrainer) trainer = new_trainer (model);
  double first;

  g_test_summary ("Learning brings the error down");
  steps (trainer, 1);
  first = conv_trainer_status (trainer)->error;
  steps (trainer, 39);
  assert_at_most (conv_trainer_status (trainer)->error, first - 0.3);
}

static void
test_resume (void)
{
  g_autoptr (ConvModel) whole = conv_model_new (&small, NULL);
  g_autoptr (ConvModel) part = conv_model_new (&small, NULL);
  g_autoptr (ConvTrainer) one = new_trainer (whole);
  g_autoptr (ConvTrainer) two = new_trainer (part);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ConvModel) read = NULL;
  g_autoptr (ConvTrainer) three = NULL;
  ConvTrainerState state;

  g_test_summary ("Learning that was stopped, written and read goes on to the "
                  "same bytes, with any number of threads");
  parallel_init (1);
  steps (one, 7);
  parallel_init (3);
  steps (two, 4);
  bytes = conv_model_to_bytes (part, conv_trainer_state (two), NULL);
  g_assert_true (conv_model_in_bytes (bytes));
  read = conv_model_from_bytes (bytes, "test", &state, NULL);
  g_assert_nonnull (read);
  g_assert_cmpint (state.step, ==, 4);
  three = new_trainer (read);
  conv_trainer_resume (three, &state);
  g_free (state.first);
  g_free (state.second);
  steps (three, 3);
  g_assert_true (memcmp (read->numbers, whole->numbers,
                         conv_length (&small) * sizeof (float))
                 == 0);
  g_assert_cmpfloat (conv_trainer_status (three)->error, ==,
                     conv_trainer_status (one)->error);
}

static void
test_halves (void)
{
  g_autoptr (ConvModel) model = random_model (11);
  g_autoptr (GBytes) bytes = conv_model_to_bytes (model, NULL, NULL);
  g_autoptr (ConvModel) read =
    conv_model_from_bytes (bytes, "test", NULL, NULL);
  g_autoptr (GBytes) again = NULL;
  gsize length = conv_length (&small);

  g_test_summary ("A finished file has two bytes for each number, and comes "
                  "back as it was read");
  assert_at_most ((double) g_bytes_get_size (bytes),
                  2. * (double) length + 4096);
  g_assert_nonnull (read);
  for (gsize i = 0; i < length; i++)
    assert_at_most (fabs (read->numbers[i] - model->numbers[i]),
                    0x1p-11 * fabs (model->numbers[i]) + 0x1p-25);
  again = conv_model_to_bytes (read, NULL, NULL);
  g_assert_true (g_bytes_equal (bytes, again));
}

/* @model after it was written, all digits of it, and read. */
static ConvModel *
through_bytes (const ConvModel *model, GError **error)
{
  gsize length = conv_length (&model->shape);
  g_autofree float *zero = g_new0 (float, length);
  ConvTrainerState state = { .first = zero, .second = zero, .step = 1 };
  g_autoptr (GBytes) bytes = conv_model_to_bytes (model, &state, NULL);

  return conv_model_from_bytes (bytes, "test", NULL, error);
}

static void
test_bounds (void)
{
  g_autoptr (ConvModel) model = random_model (12);
  ConvLevel last = conv_level (&small, model->numbers, small.levels - 1);
  const struct {
    float *number, most;
  } cases[] = {
    { last.C, CONV_MOST_NUMBER },
    { last.D, CONV_MOST_NUMBER },
    { last.W, CONV_MOST_NUMBER },
    { conv_knob (&small, last.knobs, 2, KNOB_GAIN), CONV_MOST_NUMBER },
    { conv_knob (&small, last.knobs, 2, KNOB_GAIN_MISSING), CONV_MOST_NUMBER },
    { conv_knob (&small, last.knobs, 2, KNOB_THRESHOLD),
      CONV_MOST_LOGARITHM },
    { conv_knob (&small, last.knobs, 2, KNOB_THRESHOLD_NOISE),
      CONV_MOST_LOGARITHM },
    { conv_knob (&small, last.knobs, 2, KNOB_THRESHOLD_MISSING),
      CONV_MOST_LOGARITHM },
  };

  g_test_summary ("A file may have numbers up to their bounds, and none beyond");
  g_assert_true (isfinite (expf (CONV_MOST_LOGARITHM)));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int sign = -1; sign <= 1; sign += 2) {
      float before = *cases[i].number, most = (float) sign * cases[i].most;
      const float beyond[] = { 1.001f * most, 3e38f * (float) sign };
      g_autoptr (ConvModel) read = NULL;
      g_autoptr (GError) none = NULL;

      *cases[i].number = most;
      read = through_bytes (model, &none);
      g_assert_no_error (none);
      for (gsize j = 0; j < G_N_ELEMENTS (beyond); j++) {
        g_autoptr (GError) error = NULL;

        *cases[i].number = beyond[j];
        g_assert_false (conv_model_is_bounded (model));
        g_assert_null (through_bytes (model, &error));
        g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
      }
      *cases[i].number = before;
    }
}

static void
test_broken_files (void)
{
  g_autoptr (ConvModel) model = conv_model_new (&small, NULL);
  g_autoptr (GBytes) bytes = conv_model_to_bytes (model, NULL, NULL);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  g_test_summary ("A file that is cut off is an error, never a model");
  for (gsize keep = 0; keep < size; keep += size / 37) {
    g_autoptr (GBytes) cut = g_bytes_new (data, keep);
    g_autoptr (GError) error = NULL;

    g_assert_null (conv_model_from_bytes (cut, "cut", NULL, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  }
}

/* @bytes with @from, which stands in the header, changed to @to of the same
 * length. */
static GBytes *
with_text (GBytes *bytes, const char *from, const char *to)
{
  gsize size, length = strlen (from);
  const char *data = g_bytes_get_data (bytes, &size);
  char *copy = g_memdup2 (data, size);
  char *found = g_strstr_len (copy + 8, (gssize) size - 8, from);

  g_assert_nonnull (found);
  g_assert_cmpuint (strlen (to), ==, length);
  memcpy (found, to, length);
  return g_bytes_new_take (copy, size);
}

static void
test_larger_than_file (void)
{
  g_autoptr (ConvModel) model = conv_model_new (&small, NULL);
  g_autoptr (GBytes) bytes = conv_model_to_bytes (model, NULL, NULL);
  g_autofree char *levels =
    g_strdup_printf ("\"levels\":\"%d\"", small.levels);
  g_autoptr (GBytes) more = with_text (bytes, levels, "\"levels\":\"4\"");
  g_autoptr (GError) error = NULL;

  g_test_summary ("No memory is taken for more numbers than the file has");
  g_assert_null (conv_model_from_bytes (more, "more", NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "smaller than its metadata"));
}

/* ---- on planes ---- */

/* A picture in memory. */
typedef struct {
  Planes *damaged, *known, *out;
  gboolean in_place; /* what is restored is read again by other squares */
} Picture;

static void
read_part (Box box, RecodePart *part, gpointer data)
{
  const Picture *p = data;
  const Planes *from = p->in_place ? p->out : p->damaged;

  for (int c = 0; c < from->channels; c++)
    for (int y = box.top; y < box.bottom; y++)
      for (int x = box.left; x < box.right; x++) {
        *planes_at (part->values, c, x - box.left, y - box.top) =
          *planes_at (from, c, x, y);
        *planes_at (part->known, c, x - box.left, y - box.top) =
          *planes_at (p->known, c, x, y);
      }
}

static void
write_part (Box box, const Planes *restored, gpointer data)
{
  const Picture *p = data;

  for (int c = 0; c < restored->channels; c++)
    for (int y = box.top; y < box.bottom; y++)
      for (int x = box.left; x < box.right; x++)
        *planes_at (p->out, c, x, y) =
          *planes_at (restored, c, x - box.left, y - box.top);
}

/* Noise of which a share of the samples is known. */
static void
picture_init (Picture *p, int width, int height)
{
  *p = (Picture){ .damaged = planes_new (width, height, 3, NULL),
                  .known = planes_new (width, height, 3, NULL),
                  .out = planes_new (width, height, 3, NULL) };
  for (gsize i = 0; i < planes_samples (p->damaged); i++) {
    p->damaged->data[i] = (float) random_uniform (1, 1, i);
    p->known->data[i] = random_uniform (1, 2, i) < 0.7;
  }
}

static void
picture_clear (Picture *p)
{
  planes_free (p->damaged);
  planes_free (p->known);
  planes_free (p->out);
}

static void
recode (Picture *p, const ConvModel *model, int turns)
{
  RecodeSettings settings = { .coder.model = model, .turns = turns };
  RecodePicture picture = { .width = p->damaged->width,
                            .height = p->damaged->height,
                            .channels = p->damaged->channels,
                            .read = read_part,
                            .write = write_part,
                            .data = p };

  memcpy (p->out->data, p->damaged->data,
          planes_samples (p->damaged) * sizeof (float));
  g_assert_true (picture_recode (&picture, &settings, NULL, NULL));
}

static void
test_known_stay (void)
{
  g_autoptr (ConvModel) model = random_model (9);
  Picture p, other;

  g_test_summary ("Known samples stay, and what stands in others has no "
                  "influence");
  picture_init (&p, 30, 23);
  picture_init (&other, 30, 23);
  recode (&p, model, 2);
  for (gsize i = 0; i < planes_samples (p.damaged); i++)
    if (p.known->data[i] == 1)
      g_assert_cmpfloat (p.out->data[i], ==, p.damaged->data[i]);
    else
      other.damaged->data[i] = NAN;
  parallel_init (3);
  recode (&other, model, 2);
  for (gsize i = 0; i < planes_samples (p.out); i++)
    g_assert_cmpfloat (p.out->data[i], ==, other.out->data[i]);
  picture_clear (&p);
  picture_clear (&other);
}

static void
test_squares (void)
{
  g_autoptr (ConvModel) model = random_model (9);
  Picture p, other;

  g_test_summary ("Squares written while others are still to be read make no "
                  "difference");
  picture_init (&p, 400, 50);
  picture_init (&other, 400, 50);
  recode (&p, model, 1);
  other.in_place = TRUE;
  recode (&other, model, 1);
  for (gsize i = 0; i < planes_samples (p.out); i++)
    g_assert_cmpfloat (p.out->data[i], ==, other.out->data[i]);
  picture_clear (&p);
  picture_clear (&other);
}

/* The whole picture at once. */
static void
test_one_square (void)
{
  g_autoptr (ConvModel) model = random_model (9);
  g_autoptr (Pyramid) pyramid = pyramid_new (&small, 30, 23, FALSE, NULL);
  Picture p;
  Damaged damaged;
  const float *whole;

  g_test_summary ("A small picture is coded as a whole");
  picture_init (&p, 30, 23);
  recode (&p, model, 1);
  damaged = (Damaged){ p.damaged->data, p.known->data, NULL };
  whole = pyramid_forward (pyramid, model->numbers, &damaged, NULL, NULL);
  for (gsize i = 0; i < planes_samples (p.out); i++)
    if (p.known->data[i] < 1)
      g_assert_cmpfloat (p.out->data[i], ==, whole[i]);
  picture_clear (&p);
}

/* More sets, equal at first, code a picture as before; and a file keeps the
 * sets and the ground. */
static void
test_more_sets (void)
{
  g_autoptr (ConvModel) few = random_model (5);
  g_autoptr (ConvModel) many = conv_model_with_sets (few, small.rounds, NULL);
  g_autoptr (ConvModel) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (Pyramid) a = pyramid_new (&few->shape, CROP, CROP, FALSE, NULL);
  g_autoptr (Pyramid) b = pyramid_new (&many->shape, CROP, CROP, FALSE, NULL);
  float y[SAMPLES], known[SAMPLES];
  Damaged damaged = { y, known, NULL };
  const float *x, *z;

  for (int i = 0; i < SAMPLES; i++) {
    y[i] = (float) random_uniform (6, 1, (guint64) i);
    known[i] = random_uniform (6, 2, (guint64) i) < 0.7;
  }
  x = pyramid_forward (a, few->numbers, &damaged, NULL, NULL);
  z = pyramid_forward (b, many->numbers, &damaged, NULL, NULL);
  for (int i = 0; i < SAMPLES; i++)
    g_assert_cmpfloat (x[i], ==, z[i]);

  many->shape.ground = 6;
  bytes = conv_model_to_bytes (many, NULL, NULL);
  again = conv_model_from_bytes (bytes, "more", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (again->shape.sets, ==, small.rounds);
  g_assert_cmpint (again->shape.ground, ==, 6);
}

/* What is left of the noise where the atoms add nothing. */
static double
noise_in_ground (int ground)
{
  ConvShape shape = small;
  g_autoptr (ConvModel) model = NULL;
  g_autoptr (Pyramid) pyramid = NULL;
  float y[SAMPLES], known[SAMPLES];
  Damaged damaged = { y, known, NULL };
  const float *out;
  double sum = 0;

  shape.levels = 1;
  shape.ground = ground;
  model = conv_model_new (&shape, NULL);
  pyramid = pyramid_new (&shape, CROP, CROP, FALSE, NULL);
  memset (conv_level (&shape, model->numbers, 0).W, 0,
          sizeof (float) * (gsize) (conv_atom_length (&shape) * shape.atoms));
  for (int i = 0; i < SAMPLES; i++) {
    y[i] = (float) (0.5 + 0.1 * random_normal (7, 1, (guint64) i));
    known[i] = 1;
  }
  out = pyramid_forward (pyramid, model->numbers, &damaged, NULL, NULL);
  for (int i = 0; i < SAMPLES; i++)
    sum += (out[i] - 0.5) * (out[i] - 0.5);
  return sum;
}

static void
test_ground (void)
{
  g_assert_cmpfloat (noise_in_ground (CONV_MOST_GROUND), <,
                     noise_in_ground (0) / 4);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/convolutional/gradient", test_gradient);
  g_test_add_func ("/convolutional/start-is-tight", test_start_is_tight);
  g_test_add_func ("/convolutional/cancel", test_cancel);
  g_test_add_func ("/convolutional/learns", test_learns);
  g_test_add_func ("/convolutional/resume", test_resume);
  g_test_add_func ("/convolutional/halves", test_halves);
  g_test_add_func ("/convolutional/bounds", test_bounds);
  g_test_add_func ("/convolutional/broken-files", test_broken_files);
  g_test_add_func ("/convolutional/larger-than-file", test_larger_than_file);
  g_test_add_func ("/convolutional/more-sets", test_more_sets);
  g_test_add_func ("/convolutional/ground", test_ground);
  g_test_add_func ("/convolutional/known-stay", test_known_stay);
  g_test_add_func ("/convolutional/squares", test_squares);
  g_test_add_func ("/convolutional/one-square", test_one_square);
  return g_test_run ();
}
