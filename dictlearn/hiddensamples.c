/* hiddensamples.c - learns to predict what is hidden from what is known
 *
 *     D   n x k atoms of length one        y   a sample
 *     M   diagonal, 0 where y is hidden, else 1
 *
 * Each step takes a batch of samples, hides a random share of each, codes the
 * rest by masked pursuit with at most predict_atoms atoms, and moves D down
 * the gradient of the mean of
 *
 *     (1/2) |(I - M) (y - D x)|^2,
 *
 * the error of what was hidden (taskdriven.h has the formulas).  Samples of
 * several planes, such as the colours of a patch, lose the same places in all.
 *
 * This is "learn --task missing:0.5 --coder separate" for samples that need
 * not be patches.  The objective is the mean squared error of a hidden number,
 * a running mean over the last steps.
 */
#include "base/error.h"
#include "base/random.h"
#include "dictlearn/learner.h"
#include "dictlearn/taskdriven.h"

#include <math.h>
#include <string.h>

/* Samples per step, and the length of a step: as in imaging/training. */
#define BATCH 384
#define RATE 0.002

/* Streams of random numbers. */
enum { STREAM_ORDER = 0x6869, STREAM_HIDDEN };

typedef struct {
  Learner base;
  MatF D, old;
  TaskLearner *learner;
  TaskBatch batch;
  gsize *order; /* of the samples in this pass */
  int next;     /* place in the order */
  guint64 pass, drawn;
} HiddenSamples;

static void
shuffle (HiddenSamples *self)
{
  random_permutation (
    random_bits (self->base.options.seed, STREAM_ORDER, self->pass++),
    STREAM_ORDER, (gsize) self->base.Y.cols, self->order);
  self->next = 0;
}

/* Column @p of the batch: the next sample, with some of it hidden. */
static void
draw (HiddenSamples *self, int p)
{
  const LearnOptions *o = &self->base.options;
  guint64 key = random_bits (o->seed, STREAM_HIDDEN, self->drawn++);
  TaskBatch *b = &self->batch;
  int n = self->base.n, places = n / MAX (1, o->planes);
  const double *y;

  if (self->next == self->base.Y.cols)
    shuffle (self);
  y = mat_at (&self->base.Y, 0, (int) self->order[self->next++]);
  for (int i = 0; i < n; i++) {
    gboolean known =
      random_uniform (key, STREAM_HIDDEN, (guint64) (i % places)) >= o->hidden;

    *matf_at (&b->clean, i, p) = *matf_at (&b->given, i, p) = (float) y[i];
    *matf_at (&b->known, i, p) = known ? 1 : 0;
    *matf_at (&b->counts, i, p) = known ? 0 : 1;
  }
}

static gboolean
hidden_samples_start (Learner *base, GError **error)
{
  HiddenSamples *self = (HiddenSamples *) base;
  g_auto (Mat) D = { 0 };
  const LearnOptions *o = &base->options;

  if (!mat_try_new (&D, base->n, base->k, error)
      || !learner_initial_dictionary (base, &base->Y, &D, error)
      || !matf_try_new (&self->D, base->n, base->k, error)
      || !matf_try_new (&self->old, base->n, base->k, error))
    return FALSE;
  mat_to_float (&D, &self->D);
  self->learner = task_learner_new (&self->D, MAX (1, o->iterations),
                                    o->rate > 0 ? o->rate : RATE, error);
  if (self->learner != NULL)
    self->order = tessera_try_new (gsize, base->Y.cols, "samples", error);
  if (self->order == NULL
      || !task_batch_try_new (&self->batch, base->n, BATCH, error))
    return FALSE;
  shuffle (self);
  base->status.change = INFINITY;
  return TRUE;
}

/* |D - old|_F. */
static double
distance (const MatF *D, const MatF *old)
{
  double sum = 0;

  for (int j = 0; j < D->cols; j++)
    for (int i = 0; i < D->rows; i++) {
      double d = *matf_at (D, i, j) - *matf_at (old, i, j);

      sum += d * d;
    }
  return sqrt (sum);
}

static gboolean
hidden_samples_step (Learner *base, GError **error)
{
  HiddenSamples *self = (HiddenSamples *) base;
  int atoms = base->options.predict_atoms;
  TaskCoder coder = { .max_atoms = atoms > 0 ? atoms : MAX (1, base->n / 10) };

  coder.max_atoms = MIN (coder.max_atoms, MIN (base->n, base->k));
  for (int p = 0; p < BATCH; p++)
    draw (self, p);
  memcpy (self->old.data, self->D.data,
          (gsize) base->n * (gsize) base->k * sizeof (float));
  if (!task_learner_step (self->learner, &self->batch, &coder, NULL, error))
    return FALSE;
  base->status.objective = task_learner_error (self->learner);
  base->status.density = (double) coder.max_atoms / base->k;
  base->status.change = distance (&self->D, &self->old);
  return TRUE;
}

static void
hidden_samples_dictionary (const Learner *base, Mat *A)
{
  mat_from_float (&((const HiddenSamples *) base)->D, A);
}

static void
hidden_samples_clear (Learner *base)
{
  HiddenSamples *self = (HiddenSamples *) base;

  task_learner_free (self->learner);
  task_batch_clear (&self->batch);
  matf_clear (&self->D);
  matf_clear (&self->old);
  g_free (self->order);
}

const LearnerClass learner_hidden_samples = {
  .name = "task-driven",
  .init = INIT_DCT,
  .iterations = 400,
  .summary = "learns to predict samples that were hidden from it",
  .size = sizeof (HiddenSamples),
  .start = hidden_samples_start,
  .step = hidden_samples_step,
  .dictionary = hidden_samples_dictionary,
  .clear = hidden_samples_clear,
};
