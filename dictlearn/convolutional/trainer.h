/* trainer.h - learns a convolutional dictionary through the rounds that use it
 *
 * Examples are clean crops that were damaged.  The error of an example is the
 * mean squared error e of the samples that were to be restored, and what is
 * minimised is the mean of
 *
 *     log (e + floor)
 *
 * over examples: decibels count, whether an example is hard or easy, down to
 * the floor.  The gradient is taken through all rounds and levels, summed over
 * shards in their order, and followed by Adam (Kingma and Ba, 2015).
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/convolutional/model.h"

/* An example, to be filled in; planes of crop x crop samples. */
typedef struct {
  float *clean;
  float *y, *known, *noise; /* see Damaged; the noise has one plane */
  float *weight;            /* 1 for each sample that counts, else 0 */
  double floor;
} Example;

/* Makes example number @index: a function of the number alone; may be called
 * from any thread. */
typedef void (*ExampleFunc) (guint64 index, Example *example, gpointer data);

typedef struct {
  int crop;    /* side of an example in pixels */
  int batch;   /* examples per step */
  int steps;   /* until the rate has fallen to zero */
  double rate; /* of the atoms */
  ExampleFunc draw;
  gpointer data;
} ConvTrainerOptions;

typedef struct {
  int step;     /* done so far */
  double error; /* what is minimised, a running mean of the last steps */
} ConvTrainerStatus;

typedef struct ConvTrainer ConvTrainer;

/* Improves @model, which stays the caller's.  NULL with @error set: MEMORY. */
ConvTrainer *conv_trainer_new (ConvModel *model,
                               const ConvTrainerOptions *options,
                               GError **error);
void conv_trainer_free (ConvTrainer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ConvTrainer, conv_trainer_free)

/* One step.  FALSE only when it was cancelled; nothing has changed then. */
gboolean conv_trainer_step (ConvTrainer *self, const Progress *progress,
                            GError **error);

const ConvTrainerStatus *conv_trainer_status (const ConvTrainer *self);

/* What has to be saved with the model to resume learning exactly: the means of
 * Adam, conv_length() floats each, the running means of the error and of the
 * gradient's norm, and the step. */
typedef struct {
  float *first, *second;
  double error, norm;
  int step;
} ConvTrainerState;

const ConvTrainerState *conv_trainer_state (const ConvTrainer *self);

/* Resumes from a saved state, which is copied. */
void conv_trainer_resume (ConvTrainer *self, const ConvTrainerState *state);

/* The loss of one example, whose restored planes are @out; @change receives
 * its gradient.  @count is the number of samples. */
double example_loss (const Example *example, const float *out, int count,
                     float *change);
