/* online.c - online complete dictionary learning (the paper's Algorithm 3)
 *
 *     P   preconditioner of all samples seen so far     (preconditioner.h)
 *     Y   the latest w samples, a ring                  n x w
 *     W   P Y, which follows P                          n x w
 *     D   dictionary in the whitened space, orthonormal (polarstep.h)
 *
 * For each new sample y: put it into Y in the place of the oldest, update P by
 * rank one in O(n^2), and do one step of thresholding and Polar on P Y with
 * the new P.  options.stride > 1 adds that many samples before each step; the
 * paper has 1.
 *
 * The first p1 samples, options.first_samples, make the first P; they must
 * span all directions, so that n is the least.  The latest w, the paper's p2,
 * of those that were collected are the first window; if w is larger than p1,
 * it goes on beyond those that made P.
 *
 * The threshold is in standard deviations of the whitened codes.  If none is
 * given it is chosen, on the first window, to keep a share options.density.
 * With options.shrink it starts above every code and falls (Algorithm 4).
 *
 * A step costs stride * (3 n^2 + 6 n w) operations for P and W and what
 * polarstep.h says.  W is made anew from Y now and then, so that rounding
 * errors do not add up; and where the stride makes that cheaper.
 */
#include "dictlearn/learner.h"

#include "dictlearn/preconditioner.h"
#include "dictlearn/thresholding.h"
#include "dictlearn/polarstep.h"

#include <math.h>
#include <string.h>

/* Samples after which W is made anew. */
#define REFRESH 64

typedef struct {
  Learner base;
  Mat first; /* samples before the start */
  int collected;
  int pending; /* samples added since the last step */
  int oldest;  /* column of the window to be replaced next */
  int stale;   /* samples since W was made */
  MatF window, W;
  Preconditioner *P;
  PolarStep *whitened;
  Threshold threshold;
} Online;

/* p1, but at least n. */
static int
samples_of_preconditioner (const Learner *base)
{
  const LearnOptions *o = &base->options;

  return MAX (o->first_samples > 0 ? o->first_samples : o->window, base->n);
}

static int
samples_to_start (const Learner *base)
{
  return MAX (base->options.window, samples_of_preconditioner (base));
}

/* The window gets the latest of the first samples. */
static void
fill_window (Online *self)
{
  int window = self->base.options.window;
  Mat latest = mat_columns (&self->first, self->collected - window, window);

  self->window = matf_new (self->base.n, window);
  self->W = matf_new (self->base.n, window);
  mat_to_float (&latest, &self->window);
  preconditioner_whiten_samples (self->P, &self->window, &self->W);
}

static gboolean
start (Online *self, GError **error)
{
  Learner *base = &self->base;
  Mat first = mat_columns (&self->first, 0, samples_of_preconditioner (base));
  g_auto (Mat) A = mat_new (base->n, base->n);

  self->P = preconditioner_new (&first, base->options.noise_floor);
  if (self->P == NULL)
    return learner_failed (error);
  if (!learner_initial_dictionary (base, &self->first, &A, error))
    return FALSE;
  self->whitened = polar_step_new (
    self->P, base->options.init == INIT_IDENTITY ? NULL : &A, &base->options);
  if (self->whitened == NULL)
    return learner_failed (error);
  fill_window (self);
  if (!polar_step_threshold (self->whitened, &self->W, &base->options,
                             &self->threshold, error))
    return FALSE;
  mat_clear (&self->first);
  base->started = TRUE;
  return TRUE;
}

static gboolean
do_step (Online *self, GError **error)
{
  Learner *base = &self->base;

  if (self->stale >= REFRESH) {
    preconditioner_whiten_samples (self->P, &self->window, &self->W);
    self->stale = 0;
  }
  if (!polar_step_step (self->whitened, &self->W, self->threshold.z,
                        &base->status))
    return learner_failed (error);
  threshold_fall (&self->threshold, base->options.shrink, &base->status);
  self->pending = 0;
  base->status.iteration++;
  return TRUE;
}

static void
take_in (Online *self, const double *y)
{
  int n = self->base.n;
  float *place = matf_at (&self->window, 0, self->oldest);
  gboolean follow = self->base.options.stride < REFRESH;

  for (int i = 0; i < n; i++)
    place[i] = (float) y[i];
  preconditioner_add (self->P, y, follow ? &self->W : NULL);
  if (follow) {
    g_auto (Mat) column = mat_new (n, 1);
    MatF to = matf_columns (&self->W, self->oldest, 1);

    memcpy (column.data, y, (gsize) n * sizeof (double));
    preconditioner_whiten (self->P, &column);
    mat_to_float (&column, &to);
  }
  self->oldest = (self->oldest + 1) % self->window.cols;
  self->stale++;
  self->pending++;
}

static gboolean
collect (Online *self, const double *y, GError **error)
{
  int needed = samples_to_start (&self->base);

  if (self->first.data == NULL)
    self->first = mat_new (self->base.n, needed);
  memcpy (mat_at (&self->first, 0, self->collected++), y,
          (gsize) self->base.n * sizeof (double));
  return self->collected < needed || start (self, error);
}

static gboolean
online_feed (Learner *base, const Mat *Y, const Progress *progress,
             GError **error)
{
  Online *self = (Online *) base;

  for (int j = 0; j < Y->cols && !learner_done (base); j++) {
    base->status.samples++;
    if (!base->started) {
      if (!collect (self, mat_at (Y, 0, j), error))
        return FALSE;
      continue;
    }
    take_in (self, mat_at (Y, 0, j));
    if (self->pending < base->options.stride)
      continue;
    if (!do_step (self, error)
        || !learner_report (base, progress, learner_share (base), error))
      return FALSE;
  }
  return TRUE;
}

static void
online_dictionary (const Learner *base, Mat *A)
{
  const Online *self = (const Online *) base;

  polar_step_dictionary (self->whitened, self->P, A);
}

static void
online_clear (Learner *base)
{
  Online *self = (Online *) base;

  mat_clear (&self->first);
  matf_clear (&self->window);
  matf_clear (&self->W);
  preconditioner_free (self->P);
  polar_step_free (self->whitened);
}

const LearnerClass learner_online = {
  .name = "online",
  .summary = "complete dictionary, sample by sample (Algorithm 3)",
  .size = sizeof (Online),
  .complete = TRUE,
  .init = INIT_DCT,
  .iterations = 150,
  .streams = TRUE,
  .feed = online_feed,
  .dictionary = online_dictionary,
  .clear = online_clear,
};
