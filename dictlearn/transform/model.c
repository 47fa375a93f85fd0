#include "dictlearn/transform/model.h"

#include "base/error.h"
#include "dictlearn/initial.h"

#include <math.h>

/* What learning starts from, for atoms of length one: thresholds where all is
 * missing, in the first and the last round; as multiples of the deviation of
 * the noise; and what they never fall below. */
#define FIRST_MISSING 0.6
#define LAST_MISSING 0.06
#define FIRST_NOISE 2.5
#define LAST_NOISE 1.5
#define ALWAYS 0.005

/* Steps that go a little too far need fewer rounds. */
#define START_STEP 1.3f
#define START_RETURN 0.3f
#define START_SPARSE 0.5f
#define START_HOLES 1.f

static double
between (double first, double last, double share)
{
  return first * pow (last / first, share);
}

static void
start_numbers (TransformModel *model)
{
  const TransformShape *shape = &model->shape;
  int n = transform_length (shape);

  for (int k = 0; k < shape->rounds; k++) {
    double share = shape->rounds > 1 ? (double) k / (shape->rounds - 1) : 1;
    double levels[LEVEL_COUNT] = {
      [LEVEL_ALWAYS] = ALWAYS,
      [LEVEL_NOISE] = between (FIRST_NOISE, LAST_NOISE, share),
      [LEVEL_MISSING] = between (FIRST_MISSING, LAST_MISSING, share)
    };
    float *pace = model->paces + k * PACE_COUNT;

    for (int which = 0; which < LEVEL_COUNT; which++)
      for (int j = 0; j < n; j++)
        transform_level (shape, model->levels, k, which)[j] =
          (float) log (levels[which]);
    pace[PACE_STEP] = START_STEP;
    pace[PACE_RETURN] = START_RETURN;
    pace[PACE_SPARSE] = START_SPARSE;
    pace[PACE_HOLES] = START_HOLES;
  }
  /* Noise is to be gone in the end, and a last step beyond would bring some of
   * it back. */
  model->paces[(shape->rounds - 1) * PACE_COUNT + PACE_STEP] = 1;
}

TransformModel *
transform_model_new (const TransformShape *shape, GError **error)
{
  g_autoptr (TransformModel) model = g_new0 (TransformModel, 1);
  int n = transform_length (shape);

  model->shape = *shape;
  if (!matf_try_new (&model->atoms, n, n, error))
    return NULL;
  model->levels =
    tessera_try_new (float, transform_level_count (shape) + PACE_COUNT
                              * shape->rounds,
                     "a transform", error);
  if (model->levels == NULL)
    return NULL;
  model->paces = model->levels + transform_level_count (shape);
  start_numbers (model);
  return g_steal_pointer (&model);
}

TransformModel *
transform_model_cosines (const TransformShape *shape, GError **error)
{
  g_autoptr (Dictionary) cosines =
    dictionary_dct (shape->side, shape->channels, error);
  TransformModel *model =
    cosines != NULL ? transform_model_new (shape, error) : NULL;

  if (model == NULL)
    return NULL;
  matf_clear (&model->atoms);
  model->atoms = cosines->atoms;
  cosines->atoms = (MatF){ 0 };
  return model;
}

void
transform_model_free (TransformModel *model)
{
  if (model == NULL)
    return;
  matf_clear (&model->atoms);
  g_free (model->levels);
  g_free (model->options);
  g_free (model);
}

/* FALSE for NaN too. */
static gboolean
are_within (const float *x, int count, float most)
{
  for (int i = 0; i < count; i++)
    if (!(fabsf (x[i]) <= most))
      return FALSE;
  return TRUE;
}

gboolean
transform_model_is_bounded (const TransformModel *model)
{
  const TransformShape *shape = &model->shape;
  int n = transform_length (shape);

  return are_within (model->atoms.data, n * n, TRANSFORM_MOST_NUMBER)
         && are_within (model->levels, transform_level_count (shape),
                        TRANSFORM_MOST_LOGARITHM)
         && are_within (model->paces, transform_pace_count (shape),
                        TRANSFORM_MOST_NUMBER);
}
