/* trainer.h - learns a transform through the rounds that use it
 *
 * First the thresholds alone, with the atoms as they are; later the atoms as
 * well, rotated so that they stay orthonormal:
 *
 *     D <- Polar (D - rate G)
 *
 * where G is a running mean of the gradient over D, scaled to mean columns of
 * length one.  That is the step of the paper, whose Y X' is minus the gradient
 * of its objective over D.  Atoms that are constant in each colour stay: G is
 * zero there, and orthogonal to them elsewhere.
 *
 * Examples and what is minimised are those of convolutional/trainer.h.
 */
#pragma once

#include "dictlearn/convolutional/trainer.h"
#include "dictlearn/transform/model.h"

typedef struct {
  int crop;          /* side of an example in pixels, at least that of a patch */
  int batch;         /* examples per step */
  int steps;         /* until the rate has fallen to zero */
  double rate;       /* of the logarithms of thresholds */
  double rotation;   /* of the atoms; 0 to leave them as they are */
  ExampleFunc draw;
  gpointer data;
} TransformTrainerOptions;

typedef struct {
  int step;     /* done so far */
  double error; /* what is minimised, a running mean of the last steps */
} TransformTrainerStatus;

typedef struct TransformTrainer TransformTrainer;

/* Improves @model, which stays the caller's.  NULL with @error set: MEMORY. */
TransformTrainer *
transform_trainer_new (TransformModel *model,
                       const TransformTrainerOptions *options,
                       GError **error);
void transform_trainer_free (TransformTrainer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TransformTrainer, transform_trainer_free)

/* One step.  FALSE with @error set: CANCELLED, and nothing has changed then; or
 * FAILED, when learning has diverged. */
gboolean transform_trainer_step (TransformTrainer *self,
                                 const Progress *progress, GError **error);

const TransformTrainerStatus *
transform_trainer_status (const TransformTrainer *self);
