/* transformtask.h - what a transform is learned for, and how
 *
 * For the command, the report and the library alike.
 */
#pragma once

#include "dictlearn/dictionary.h"
#include "dictlearn/transform/trainer.h"
#include "imaging/training/crops.h"

/* Numbers that are 0, and a NULL, mean the usual. */
typedef struct {
  TransformShape shape;
  const char *damage; /* see task_parse() */
  int crop, batch, steps;
  double rate;
  double rotation; /* of the atoms; negative to leave them as they are */
  guint64 seed;
} TransformTask;

/* Puts in what is usual.  FALSE with @error set (USAGE) where a number is out of
 * range. */
gboolean transform_task_complete (TransformTask *task, GError **error);

/* What is learned from: the atoms of @start, which must be orthonormal and have
 * the shape of @task, or cosines if it is NULL; if @start is a transform with as
 * many rounds, its thresholds too.  NULL with @error set: INPUT, MEMORY. */
TransformModel *transform_task_start (const TransformTask *task,
                                      const Dictionary *start,
                                      GError **error);

/* How the trainer is to learn from @crops. */
TransformTrainerOptions transform_task_options (const TransformTask *task,
                                                TrainingCrops *crops);

/* The options of the command that learns the same, for the caller to free.
 * @steps: done. */
char *transform_task_describe (const TransformTask *task, int steps);
