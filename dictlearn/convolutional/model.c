#include "dictlearn/convolutional/model.h"

#include "base/error.h"
#include "dictlearn/initial.h"

#include <math.h>
#include <string.h>

/* Thresholds to start with, for atoms of length one: half the samples missing
 * start with the first and end with the last; and thresholds as multiples of
 * the standard deviation of the noise. */
#define FIRST_THRESHOLD 0.6
#define LAST_THRESHOLD 0.06
#define NOISE_THRESHOLD 3.0
#define LEAST_THRESHOLD 0.004

/* Patches that are half missing are followed faster. */
#define START_GAIN_MISSING 0.5f

gsize
conv_level_atoms (const ConvShape *shape)
{
  return (gsize) (2 * shape->sets + 1) * (gsize) conv_atom_length (shape)
         * (gsize) shape->atoms;
}

gsize
conv_level_length (const ConvShape *shape)
{
  return conv_level_atoms (shape)
         + (gsize) (shape->rounds * KNOB_COUNT) * (gsize) shape->atoms;
}

gsize
conv_length (const ConvShape *shape)
{
  return (gsize) shape->levels * conv_level_length (shape);
}

ConvLevel
conv_level (const ConvShape *shape, float *numbers, int level)
{
  gsize set = (gsize) conv_atom_length (shape) * (gsize) shape->atoms;
  float *start = numbers + (gsize) level * conv_level_length (shape);

  return (ConvLevel){ .C = start,
                      .D = start + (gsize) shape->sets * set,
                      .W = start + (gsize) (2 * shape->sets) * set,
                      .knobs = start + conv_level_atoms (shape) };
}

MatF
conv_atoms (const ConvShape *shape, float *atoms, int set)
{
  int n = conv_atom_length (shape);

  return (MatF){ atoms + (gsize) set * (gsize) n * (gsize) shape->atoms, n,
                 shape->atoms, n };
}

/* The first cosines, scaled so that they are a tight frame where they overlap:
 * W C' is the identity on pictures. */
static void
start_atoms (const ConvShape *shape, const Dictionary *cosines,
             const ConvLevel *level)
{
  float scale = (float) shape->stride / (float) shape->side;

  for (int set = 0; set < 2 * shape->sets + 1; set++) {
    MatF A = conv_atoms (shape, level->C, set);

    for (int j = 0; j < A.cols; j++)
      for (int i = 0; i < A.rows; i++)
        *matf_at (&A, i, j) =
          scale * *matf_at (&cosines->atoms, i, j % cosines->atoms.cols);
  }
}

static void
fill (float *x, int count, double value)
{
  for (int i = 0; i < count; i++)
    x[i] = (float) value;
}

static void
start_knobs (const ConvShape *shape, const ConvLevel *level)
{
  double scale = (double) shape->stride / shape->side;
  int k = shape->atoms;

  for (int round = 0; round < shape->rounds; round++) {
    double share =
      shape->rounds > 1 ? (double) round / (shape->rounds - 1) : 1;
    double missing =
      FIRST_THRESHOLD * pow (LAST_THRESHOLD / FIRST_THRESHOLD, share);

    fill (conv_knob (shape, level->knobs, round, KNOB_GAIN), k, 1);
    fill (conv_knob (shape, level->knobs, round, KNOB_GAIN_MISSING), k,
          START_GAIN_MISSING);
    fill (conv_knob (shape, level->knobs, round, KNOB_THRESHOLD), k,
          log (scale * LEAST_THRESHOLD));
    fill (conv_knob (shape, level->knobs, round, KNOB_THRESHOLD_NOISE), k,
          log (scale * NOISE_THRESHOLD));
    fill (conv_knob (shape, level->knobs, round, KNOB_THRESHOLD_MISSING), k,
          log (scale * missing));
  }
}

ConvModel *
conv_model_empty (const ConvShape *shape, GError **error)
{
  float *numbers = tessera_try_new0 (float, conv_length (shape),
                                     "a convolutional dictionary", error);
  ConvModel *model;

  if (numbers == NULL)
    return NULL;
  model = g_new0 (ConvModel, 1);
  model->shape = *shape;
  model->numbers = numbers;
  return model;
}

ConvModel *
conv_model_new (const ConvShape *shape, GError **error)
{
  g_autoptr (Dictionary) cosines =
    dictionary_dct (shape->side, shape->channels, error);
  ConvModel *model =
    cosines != NULL ? conv_model_empty (shape, error) : NULL;

  if (model == NULL)
    return NULL;
  for (int i = 0; i < shape->levels; i++) {
    ConvLevel level = conv_level (shape, model->numbers, i);

    start_atoms (shape, cosines, &level);
    start_knobs (shape, &level);
  }
  return model;
}

ConvModel *
conv_model_with_sets (const ConvModel *model, int sets, GError **error)
{
  ConvShape shape = model->shape;
  ConvModel *other;
  gsize set = (gsize) conv_atom_length (&shape) * (gsize) shape.atoms;

  shape.sets = sets;
  other = conv_model_empty (&shape, error);
  if (other == NULL)
    return NULL;
  for (int i = 0; i < shape.levels; i++) {
    ConvLevel from = conv_level (&model->shape, model->numbers, i);
    ConvLevel to = conv_level (&shape, other->numbers, i);

    for (int round = 0; round < shape.rounds; round++) {
      gsize a = (gsize) conv_set (&model->shape, round) * set;
      gsize b = (gsize) conv_set (&shape, round) * set;

      memcpy (to.C + b, from.C + a, set * sizeof (float));
      memcpy (to.D + b, from.D + a, set * sizeof (float));
    }
    memcpy (to.W, from.W, set * sizeof (float));
    memcpy (to.knobs, from.knobs,
            (conv_level_length (&shape) - conv_level_atoms (&shape))
              * sizeof (float));
  }
  other->samples = model->samples;
  return other;
}

void
conv_model_free (ConvModel *model)
{
  if (model == NULL)
    return;
  g_free (model->numbers);
  g_free (model->options);
  g_free (model);
}

/* FALSE for NaN too. */
static gboolean
are_within (const float *x, gsize count, float most)
{
  for (gsize i = 0; i < count; i++)
    if (!(fabsf (x[i]) <= most))
      return FALSE;
  return TRUE;
}

static gboolean
knobs_are_bounded (const ConvShape *shape, float *knobs)
{
  for (int round = 0; round < shape->rounds; round++)
    for (int which = 0; which < KNOB_COUNT; which++)
      if (!are_within (conv_knob (shape, knobs, round, which),
                       (gsize) shape->atoms,
                       which < KNOB_THRESHOLD ? CONV_MOST_NUMBER
                                              : CONV_MOST_LOGARITHM))
        return FALSE;
  return TRUE;
}

gboolean
conv_model_is_bounded (const ConvModel *model)
{
  for (int i = 0; i < model->shape.levels; i++) {
    ConvLevel level = conv_level (&model->shape, model->numbers, i);

    if (!are_within (level.C, conv_level_atoms (&model->shape),
                     CONV_MOST_NUMBER)
        || !knobs_are_bounded (&model->shape, level.knobs))
      return FALSE;
  }
  return TRUE;
}
