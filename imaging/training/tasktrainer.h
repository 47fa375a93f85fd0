/* tasktrainer.h - improves a dictionary for a task, with pictures
 *
 * Each step takes clean examples, damages them, and follows the gradient of
 * the error of what the masked pursuit restores (dictlearn/taskdriven.h).
 * There are two kinds of examples, one for each way of restoring:
 *
 *     separate      patches of a PatchSource, each damaged by itself
 *     overlapping   damaged crops, cut into patches whose mean counts
 */
#pragma once

#include "dictlearn/dictionary.h"
#include "imaging/training/crops.h"
#include "imaging/patchsource.h"

typedef struct {
  const GArray *task; /* of TaskDamage */
  guint64 seed;
  int steps;
  int batch;   /* patches per step, for overlapping ones rounded up to whole
                  crops; 0 for the usual number */
  double rate; /* 0 for the usual one */

  /* Where examples come from: one of the two.  A source has the shape of the
   * dictionary; crops have the side task_trainer_crop(). */
  PatchSource *source;
  TrainingCrops *crops;
} TaskTrainerOptions;

/* Side in pixels of crops for overlapping patches of side @patch. */
int task_trainer_crop (int patch);

typedef struct TaskTrainer TaskTrainer;

/* @dictionary, whose atoms have length one, is what is improved.  It and what
 * @options point to stay the caller's and must outlive the trainer.  NULL with
 * @error set: MEMORY. */
TaskTrainer *task_trainer_new (Dictionary *dictionary,
                               const TaskTrainerOptions *options,
                               GError **error);
void task_trainer_free (TaskTrainer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TaskTrainer, task_trainer_free)

/* One step.  FALSE with @error set, and the dictionary as it was: CANCELLED,
 * MEMORY, INPUT when the source has no patches at all. */
gboolean task_trainer_step (TaskTrainer *self, const Progress *progress,
                            GError **error);

/* Steps done, patches seen in them, and the mean squared error of what
 * counted in the latest. */
int task_trainer_steps (const TaskTrainer *self);
guint64 task_trainer_patches (const TaskTrainer *self);
double task_trainer_error (const TaskTrainer *self);
