/* taskdriven.h - dictionaries learned for a task
 *
 * Other learners fit clean samples and hope that what fits also predicts.
 * Here the error that counts is minimised (Mairal, Bach and Ponce,
 * "Task-driven dictionary learning", 2012).  A clean signal x is damaged: what
 * is left of it is y on the samples that M, diagonal with entries 0 to 1,
 * lets through.  The masked pursuit that will restore codes y with the atoms
 * S, and the error on the samples that V, likewise, names is
 *
 *     (1/2) |V (x - D_S a)|^2,   a = G^-1 B'y,   B = M D_S,   G = D_S'B + ridge.
 *
 * With S held fixed its gradient is exact, for e = x - D_S a, w = V e,
 * r = M (y - D_S a) and u = -G^-1 D_S'w:
 *
 *     d/dD_S = -w a' + r u' - (B u) a'.
 *
 * Where patches overlap, what counts is the error of their mean.  Patch p of a
 * crop, whose clean samples are x, has the weight c_p of omp/confidence.h, and
 * its share of the weights that meet at a sample is s_p; with x_p = D_S a_p and
 * e = x - sum_p s_p x_p
 *
 *     (1/2) |V e|^2   has the gradient above with
 *     w_p = s_p V e - 2 g_p r_p d c_p / d |r_p|^2,
 *     g_p = sum_i (V e)_i (x_p - sum_q s_q x_q)_i / (sum_q c_q)_i,
 *
 * where g_p is what a larger weight of the patch gains.  A second pass over the
 * mean is learned for in the same way: the mean of the first is part of y, and
 * M trusts it a little.
 *
 * Adam (Kingma and Ba, 2015) follows it; atoms are scaled to length one.
 */
#pragma once

#include "base/matrix.h"
#include "base/progress.h"

/* A batch of damaged signals, one per column; all of one size. */
typedef struct {
  MatF clean;  /* x */
  MatF given;  /* y */
  MatF known;  /* the diagonal of M */
  MatF counts; /* the diagonal of V */
} TaskBatch;

/* FALSE with @error set (MEMORY) and @batch empty when there is not enough. */
gboolean task_batch_try_new (TaskBatch *batch, int rows, int cols,
                             GError **error);
void task_batch_clear (TaskBatch *batch);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TaskBatch, task_batch_clear)

/* Signals that are overlapping patches of square crops, planes one after the
 * other: the columns of a batch are the crops one by one, the patches of each
 * row by row. */
typedef struct {
  int patch;  /* side */
  int step;   /* from one patch to the next */
  int across; /* patches along a side of a crop */
} TaskOverlap;

/* Side of a crop, in pixels. */
static inline int
task_crop (const TaskOverlap *overlap)
{
  return overlap->patch + overlap->step * (overlap->across - 1);
}

/* Where sample @i of patch @p of a crop is in the planes of the crop. */
static inline int
task_place (const TaskOverlap *overlap, int p, int i)
{
  int patch = overlap->patch, side = task_crop (overlap);
  int x = p % overlap->across * overlap->step + i % patch;
  int y = p / overlap->across * overlap->step + i / patch % patch;

  return (i / (patch * patch) * side + y) * side + x;
}

typedef struct {
  int max_atoms;              /* of a signal */
  double max_error;           /* as in PursuitOptions */
  const float *ridge;         /* one per atom, NULL for none */
  const TaskOverlap *overlap; /* NULL for signals of their own */
} TaskCoder;

/* Gives the samples of @batch that are not known the mean of the overlapping
 * patches of a first pass, and trusts it by @trust, 0 .. 1.  FALSE only when it
 * was cancelled; nothing has changed then. */
gboolean task_fill (const MatF *D, TaskBatch *batch, const TaskCoder *coder,
                    double trust, const Progress *progress, GError **error);

/* Writes the gradient of the sum of the errors of @batch, divided by its
 * columns, over @D, n x k with columns of length one, to @gradient, and to
 * @error the mean squared error of the samples that count.  The same for any
 * number of threads.
 * FALSE only when it was cancelled. */
gboolean task_gradient (const MatF *D, const TaskBatch *batch,
                        const TaskCoder *coder, MatF *gradient,
                        double *mean_error, const Progress *progress,
                        GError **error);

/* Improves a dictionary step by step. */
typedef struct TaskLearner TaskLearner;

/* @D is changed by task_learner_step() and stays the caller's.  The rate is
 * @rate in the first half of @steps steps and then falls.  NULL with @error set:
 * MEMORY. */
TaskLearner *task_learner_new (MatF *D, int steps, double rate,
                               GError **error);
void task_learner_free (TaskLearner *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TaskLearner, task_learner_free)

/* One step.  FALSE with @error set, CANCELLED or MEMORY; nothing has changed
 * then. */
gboolean task_learner_step (TaskLearner *self, const TaskBatch *batch,
                            const TaskCoder *coder, const Progress *progress,
                            GError **error);

/* Steps done, and the mean squared error of what counts, over the last. */
int task_learner_steps (const TaskLearner *self);
double task_learner_error (const TaskLearner *self);
