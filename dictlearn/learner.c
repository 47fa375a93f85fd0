#include "dictlearn/learner.h"

#include "base/error.h"
#include "base/polar.h"
#include "base/parallelgemm.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

/* Streams of random numbers. */
enum { STREAM_DATA = 0x6c65, STREAM_RANDOM };

/* One file each, which defines "const LearnerClass learner_CLASS", and the
 * name it has for users. */
#define LEARNERS(ROW)                                                         \
  ROW (online, "online")                                                      \
  ROW (minibatch, "minibatch")                                                \
  ROW (orthogonal, "orthogonal")                                              \
  ROW (ksvd, "ksvd")                                                          \
  ROW (mod, "mod")                                                            \
  ROW (online_l1, "online-l1")                                                \
  ROW (hidden_samples, "task-driven")                                         \
  ROW (gradient, "gradient")                                                  \
  ROW (l4, "l4")

#define DECLARE(class, name) extern const LearnerClass learner_##class;
#define ADDRESS(class, name) &learner_##class,
#define NAME(class, name) name,

LEARNERS (DECLARE)
const LearnerClass *const learner_classes[] = { LEARNERS (ADDRESS) NULL };
const char *const learner_names[] = { LEARNERS (NAME) NULL };

const LearnerClass *
learner_find (const char *name)
{
  for (int i = 0; learner_classes[i] != NULL; i++)
    if (strcmp (learner_classes[i]->name, name) == 0)
      return learner_classes[i];
  return NULL;
}

static gboolean
usage (GError **error, const char *what)
{
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_USAGE, what);
  return FALSE;
}

static gboolean
check_options (const LearnerClass *class, int n, const LearnOptions *o,
               GError **error)
{
  gboolean given = o->init == INIT_GIVEN || o->init == INIT_DCT;
  int k = o->atoms > 0 ? o->atoms : n;

  if (class->complete && k != n)
    return usage (error, "this algorithm learns exactly as many atoms as a "
                         "patch has samples");
  if (given
      && (o->start == NULL || o->start->rows != n || o->start->cols != k))
    return usage (error, "the dictionary to start from has another size");
  if (!(o->threshold >= 0 && o->noise_floor >= 0))
    return usage (error, "threshold and floor must not be negative");
  if (!(o->density > 0 && o->density <= 1 && o->shrink >= 0 && o->shrink < 1
        && o->shrink_from >= 0))
    return usage (error, "density must be above 0 and at most 1, shrink at "
                         "least 0 and below 1");
  if (o->iterations < 0 || o->window < 1 || o->stride < 1
      || o->first_samples < 0)
    return usage (error, "iterations and first samples must not be negative, "
                         "window and stride at least 1");
  if (o->atoms_per_sample < 1
      || (!class->complete && o->atoms_per_sample > MIN (n, k)))
    return usage (error, "atoms per patch must be between 1 and the number of "
                         "atoms, or of samples if that is smaller");
  if (!(o->hidden > 0 && o->hidden < 1) || o->planes < 1 || n % o->planes != 0
      || o->predict_atoms < 0)
    return usage (error, "the share that is hidden must be between 0 and 1, "
                         "and planes must divide the length of a sample");
  return TRUE;
}

Learner *
learner_new (const char *name, int n, const LearnOptions *options,
             GError **error)
{
  const LearnerClass *class = learner_find (name);
  Mat start = { 0 };
  Learner *self;

  if (class == NULL) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "there is no algorithm called '%s'", name);
    return NULL;
  }
  if (!check_options (class, n, options, error))
    return NULL;
  if (options->start != NULL
      && !mat_try_new (&start, options->start->rows, options->start->cols,
                       error))
    return NULL;
  self = g_malloc0 (class->size);
  self->class = class;
  self->options = *options;
  self->options.start = NULL;
  self->n = n;
  self->k = options->atoms > 0 ? options->atoms : n;
  if (options->start != NULL) {
    mat_copy (options->start, &start);
    self->start = start;
  }
  return self;
}

void
learner_free (Learner *self)
{
  if (self == NULL)
    return;
  self->class->clear (self);
  mat_clear (&self->start);
  mat_clear (&self->Y);
  g_free (self);
}

/* Appends the columns of @Y to self->Y, whose memory doubles as it fills. */
static gboolean
keep_samples (Learner *self, const Mat *Y, GError **error)
{
  int old = self->Y.cols;
  Mat grown;

  if (Y->cols > G_MAXINT / 2 - old) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                         "too many samples to keep");
    return FALSE;
  }
  if (self->status.samples == 0
      || (guint64) old + (guint64) Y->cols > self->capacity) {
    int capacity = MAX (2 * old, old + Y->cols);

    if (!mat_try_new (&grown, self->n, capacity, error))
      return FALSE;
    self->capacity = (guint64) capacity;
    grown.cols = old;
    if (old > 0)
      mat_copy (&self->Y, &grown);
    mat_clear (&self->Y);
    self->Y = grown;
  }
  self->Y.cols = old + Y->cols;
  grown = mat_columns (&self->Y, old, Y->cols);
  mat_copy (Y, &grown);
  self->status.samples += (guint64) Y->cols;
  return TRUE;
}

gboolean
learner_feed (Learner *self, const Mat *Y, const Progress *progress,
              GError **error)
{
  g_return_val_if_fail (Y->rows == self->n, FALSE);

  if (self->class->streams)
    return self->class->feed (self, Y, progress, error);
  return keep_samples (self, Y, error);
}

/* Feeds the rest of a round, as far as it is needed. */
static gboolean
feed_round (Learner *self, const SampleStream *samples,
            const Progress *progress, GError **error)
{
  while (!learner_done (self)) {
    Mat Y = { 0 };

    if (!samples->read (samples->data, &Y, error)
        || !progress_step (progress, learner_share (self), error))
      return FALSE;
    if (Y.cols == 0)
      return samples->check_round == NULL
             || samples->check_round (samples->data, error);
    if (!learner_feed (self, &Y, progress, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
learner_feed_stream (Learner *self, const SampleStream *samples,
                     const Progress *progress, GError **error)
{
  for (int round = 1;; round++) {
    if (!feed_round (self, samples, progress, error))
      return FALSE;
    if (!self->class->streams || learner_done (self)
        || (samples->is_fixed && !self->started))
      return TRUE;
    samples->begin (samples->data, round);
  }
}

gboolean
learner_done (const Learner *self)
{
  const LearnOptions *o = &self->options;

  if (!self->class->streams || !self->started)
    return FALSE;
  return (o->iterations > 0 && self->status.iteration >= o->iterations)
         || (o->tolerance > 0 && self->status.iteration > 0
             && self->status.change < o->tolerance);
}

double
learner_share (const Learner *self)
{
  int all = self->options.iterations;

  return all > 0 ? (double) self->status.iteration / all : 0;
}

gboolean
learner_failed (GError **error)
{
  g_set_error_literal (
    error, TESSERA_ERROR, TESSERA_ERROR_FAILED,
    "learning did not converge; are the samples degenerate?");
  return FALSE;
}

gboolean
learner_report (Learner *self, const Progress *progress, double share,
                GError **error)
{
  if (self->options.observer != NULL)
    self->options.observer (self, self->options.observer_data);
  return progress_step (progress, share, error);
}

static gboolean
iterate (Learner *self, const Progress *progress, GError **error)
{
  const LearnOptions *o = &self->options;

  if (!self->class->start (self, error))
    return FALSE;
  self->started = TRUE;
  while (self->status.iteration < o->iterations) {
    if (!self->class->step (self, error))
      return FALSE;
    self->status.iteration++;
    if (!learner_report (self, progress, learner_share (self), error))
      return FALSE;
    if (o->tolerance > 0 && self->status.change < o->tolerance)
      break;
  }
  return TRUE;
}

gboolean
learner_finish (Learner *self, const Progress *progress, GError **error)
{
  if (self->status.samples == 0 || (self->class->streams && !self->started)) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%" G_GUINT64_FORMAT " samples are too few to learn from",
                 self->status.samples);
    return FALSE;
  }
  return self->class->streams || iterate (self, progress, error);
}

void
learner_dictionary (const Learner *self, Mat *A)
{
  g_return_if_fail (self->started);

  self->class->dictionary (self, A);
}

const LearnStatus *
learner_status (const Learner *self)
{
  return &self->status;
}

/* ---- starts ---- */

static gboolean
start_from_data (const Learner *self, const Mat *Y, Mat *D, GError **error)
{
  g_autofree gsize *order = tessera_try_new (gsize, Y->cols, "samples", error);

  if (order == NULL)
    return FALSE;
  random_permutation (self->options.seed, STREAM_DATA, (gsize) Y->cols, order);
  for (int j = 0; j < D->cols; j++)
    memcpy (mat_at (D, 0, j), mat_at (Y, 0, (int) order[j % Y->cols]),
            (gsize) D->rows * sizeof (double));
  return TRUE;
}

static void
start_random (const Learner *self, Mat *D)
{
  for (int j = 0; j < D->cols; j++)
    for (int i = 0; i < D->rows; i++)
      *mat_at (D, i, j) =
        random_normal (self->options.seed, STREAM_RANDOM,
                       (guint64) j * (guint64) D->rows + (guint64) i);
}

/* Eigenvectors of Y Y', largest first. */
static gboolean
start_from_pca (const Mat *Y, Mat *D)
{
  g_auto (Mat) Z = mat_new (Y->rows, Y->rows);
  g_autofree double *variance = g_new (double, Y->rows);

  parallel_gemm (1, Y, PLAIN, Y, TRANSPOSED, 0, &Z);
  if (!mat_eigen (&Z, variance))
    return FALSE;
  for (int j = 0; j < D->cols; j++)
    memcpy (mat_at (D, 0, j), mat_at (&Z, 0, Y->rows - 1 - j % Y->rows),
            (gsize) D->rows * sizeof (double));
  return TRUE;
}

gboolean
learner_initial_dictionary (const Learner *self, const Mat *Y, Mat *D,
                            GError **error)
{
  gboolean ok = TRUE;

  switch (self->options.init) {
  case INIT_DCT:
  case INIT_GIVEN:
    mat_copy (&self->start, D);
    break;
  case INIT_PCA:
    ok = start_from_pca (Y, D);
    break;
  case INIT_DATA:
    if (!start_from_data (self, Y, D, error))
      return FALSE;
    break;
  case INIT_IDENTITY:
    for (int j = 0; j < D->cols; j++)
      for (int i = 0; i < D->rows; i++)
        *mat_at (D, i, j) = i == j % D->rows;
    break;
  case INIT_RANDOM:
    start_random (self, D);
    if (D->rows == D->cols)
      ok = polar_svd (D, NULL, 0, D);
    break;
  }
  mat_normalise_columns (D);
  return ok || learner_failed (error);
}
