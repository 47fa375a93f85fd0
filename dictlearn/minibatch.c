/* minibatch.c - mini-batch complete dictionary learning (Algorithm 2)
 *
 * Whitens once with the preconditioner P of all samples; then each step draws
 * options.window samples at random, with replacement (all of them, each once,
 * if there are no more), and does one step of thresholding and Polar on them
 * (polarstep.h).  The result is A = P^-1 D.
 *
 * The threshold is chosen and shrinks as in online.c.
 */
#include "dictlearn/learner.h"

#include "base/random.h"
#include "dictlearn/preconditioner.h"
#include "dictlearn/thresholding.h"
#include "dictlearn/polarstep.h"

#include <math.h>

/* Stream of random numbers of the first batch; each further step uses the next
 * stream. */
#define STREAM_BATCH 0x6d6200000000

typedef struct {
  Learner base;
  MatF batch, W; /* n x window; W = P batch */
  Preconditioner *P;
  PolarStep *whitened;
  Threshold threshold;
} Minibatch;

static void
draw_batch (Minibatch *self, int step)
{
  const Learner *base = &self->base;
  guint64 stream = STREAM_BATCH + (guint64) step;

  for (int j = 0; j < self->batch.cols; j++) {
    int sample = j;
    MatF to = matf_columns (&self->batch, j, 1);
    Mat from;

    if (self->batch.cols < base->Y.cols)
      sample = (int) random_below (base->options.seed, stream, (guint64) j,
                                   (guint64) base->Y.cols);
    from = mat_columns (&base->Y, sample, 1);
    mat_to_float (&from, &to);
  }
  preconditioner_whiten_samples (self->P, &self->batch, &self->W);
}

static gboolean
minibatch_start (Learner *base, GError **error)
{
  Minibatch *self = (Minibatch *) base;
  g_auto (Mat) A = mat_new (base->n, base->n);

  self->P = preconditioner_new (&base->Y, base->options.noise_floor);
  if (self->P == NULL)
    return learner_failed (error);
  if (!learner_initial_dictionary (base, &base->Y, &A, error))
    return FALSE;
  self->whitened = polar_step_new (
    self->P, base->options.init == INIT_IDENTITY ? NULL : &A, &base->options);
  if (self->whitened == NULL)
    return learner_failed (error);
  self->batch = matf_new (base->n, MIN (base->options.window, base->Y.cols));
  self->W = matf_new (base->n, self->batch.cols);
  draw_batch (self, 0);
  return polar_step_threshold (self->whitened, &self->W, &base->options,
                               &self->threshold, error);
}

static gboolean
minibatch_step (Learner *base, GError **error)
{
  Minibatch *self = (Minibatch *) base;

  if (self->batch.cols < base->Y.cols)
    draw_batch (self, base->status.iteration);
  if (!polar_step_step (self->whitened, &self->W, self->threshold.z,
                        &base->status))
    return learner_failed (error);
  threshold_fall (&self->threshold, base->options.shrink, &base->status);
  return TRUE;
}

static void
minibatch_dictionary (const Learner *base, Mat *A)
{
  const Minibatch *self = (const Minibatch *) base;

  polar_step_dictionary (self->whitened, self->P, A);
}

static void
minibatch_clear (Learner *base)
{
  Minibatch *self = (Minibatch *) base;

  matf_clear (&self->batch);
  matf_clear (&self->W);
  preconditioner_free (self->P);
  polar_step_free (self->whitened);
}

const LearnerClass learner_minibatch = {
  .name = "minibatch",
  .summary = "complete dictionary, random batches (Algorithm 2)",
  .size = sizeof (Minibatch),
  .complete = TRUE,
  .init = INIT_DCT,
  .iterations = 500,
  .start = minibatch_start,
  .step = minibatch_step,
  .dictionary = minibatch_dictionary,
  .clear = minibatch_clear,
};
