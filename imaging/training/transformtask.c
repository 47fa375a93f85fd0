#include "imaging/training/transformtask.h"

#include "base/error.h"

#include <string.h>

#define USUAL_SIDE 8
#define USUAL_ROUNDS 6
#define USUAL_DAMAGE "missing:0.5"
#define USUAL_CROP 40
#define USUAL_BATCH 8
#define USUAL_STEPS 300
#define USUAL_RATE 0.03
#define USUAL_ROTATION 0.01

#define LEAST_CROP 16
#define MOST_CROP 256
#define MOST_BATCH 4096

static void
set_usual (int *value, int usual)
{
  if (*value == 0)
    *value = usual;
}

gboolean
transform_task_complete (TransformTask *task, GError **error)
{
  TransformShape *shape = &task->shape;

  set_usual (&shape->side, USUAL_SIDE);
  set_usual (&shape->channels, 3);
  set_usual (&shape->spacing, 1);
  set_usual (&shape->rounds, USUAL_ROUNDS);
  set_usual (&task->crop, USUAL_CROP);
  set_usual (&task->batch, USUAL_BATCH);
  set_usual (&task->steps, USUAL_STEPS);
  if (task->damage == NULL)
    task->damage = USUAL_DAMAGE;
  if (task->rate == 0)
    task->rate = USUAL_RATE;
  if (task->rotation == 0)
    task->rotation = USUAL_ROTATION;
  task->rotation = MAX (0, task->rotation);
  if (shape->side < 2 || shape->side > TRANSFORM_MOST_SIDE)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "a transform has patches of side 2 to %d, not %d",
                         TRANSFORM_MOST_SIDE, shape->side);
  return ((shape->channels == 1 || shape->channels == 3)
          && shape->spacing >= 1 && shape->spacing <= shape->side
          && shape->rounds >= 1 && shape->rounds <= TRANSFORM_MOST_ROUNDS
          && task->crop >= LEAST_CROP && task->crop <= MOST_CROP
          && task->batch >= 1 && task->batch <= MOST_BATCH && task->steps >= 1
          && task->rate > 0)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "a transform with a spacing of %d, %d rounds, %d "
                          "examples of %d pixels per step: out of range",
                          shape->spacing, shape->rounds, task->batch,
                          task->crop);
}

static TransformModel *
start_from (const TransformTask *task, const Dictionary *start, GError **error)
{
  const TransformShape *shape = &task->shape;
  const TransformModel *old = start->transform;
  TransformModel *model;

  if (start->patch != shape->side || start->channels != shape->channels
      || start->atoms.cols != start->atoms.rows
      || !dictionary_is_orthonormal (start)) {
    tessera_fail (error, TESSERA_ERROR_INPUT,
                  "a transform of %dx%dx%d begins with as many orthonormal "
                  "atoms of that size",
                  shape->side, shape->side, shape->channels);
    return NULL;
  }
  model = transform_model_new (shape, error);
  if (model == NULL)
    return NULL;
  for (int j = 0; j < start->atoms.cols; j++)
    memcpy (matf_at (&model->atoms, 0, j), matf_at (&start->atoms, 0, j),
            (gsize) start->atoms.rows * sizeof (float));
  if (old != NULL && old->shape.rounds == shape->rounds)
    memcpy (model->levels, old->levels,
            (gsize) (transform_level_count (shape)
                     + transform_pace_count (shape))
              * sizeof (float));
  return model;
}

TransformModel *
transform_task_start (const TransformTask *task, const Dictionary *start,
                      GError **error)
{
  return start != NULL ? start_from (task, start, error)
                       : transform_model_cosines (&task->shape, error);
}

TransformTrainerOptions
transform_task_options (const TransformTask *task, TrainingCrops *crops)
{
  return (TransformTrainerOptions){ .crop = task->crop,
                                    .batch = task->batch,
                                    .steps = task->steps,
                                    .rate = task->rate,
                                    .rotation = task->rotation,
                                    .draw = training_crops_draw,
                                    .data = crops };
}

char *
transform_task_describe (const TransformTask *task, int steps)
{
  const TransformShape *shape = &task->shape;

  return g_strdup_printf (
    "--patch %d%s --spacing %d --rounds %d --crop %d --batch %d "
    "--iterations %d --rate %g --rotation %g --task %s",
    shape->side, shape->channels == 1 ? " --grey" : "", shape->spacing,
    shape->rounds, task->crop, task->batch, steps, task->rate,
    task->rotation > 0 ? task->rotation : -1, task->damage);
}
