#include "dictlearn/taskdriven.h"

#include "base/cholesky.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "omp/confidence.h"
#include "omp/pursuit.h"

#include <math.h>
#include <string.h>

/* The gradient is a sum of this many parts, added in their order. */
#define PARTS 8

/* Keeps G regular where two atoms look alike on what is known. */
#define LEAST_RIDGE 1e-6

/* Adam's. */
#define FIRST_DECAY 0.9
#define SECOND_DECAY 0.999
#define LEAST_DEVIATION 1e-8

/* Share of the rate that is left at the end. */
#define LAST_RATE 0.02

#define ERROR_DECAY 0.95

gboolean
task_batch_try_new (TaskBatch *batch, int rows, int cols, GError **error)
{
  *batch = (TaskBatch){ 0 };
  if (matf_try_new (&batch->clean, rows, cols, error)
      && matf_try_new (&batch->given, rows, cols, error)
      && matf_try_new (&batch->known, rows, cols, error)
      && matf_try_new (&batch->counts, rows, cols, error))
    return TRUE;
  task_batch_clear (batch);
  return FALSE;
}

void
task_batch_clear (TaskBatch *batch)
{
  matf_clear (&batch->clean);
  matf_clear (&batch->given);
  matf_clear (&batch->known);
  matf_clear (&batch->counts);
}

/* ---- the gradient ---- */

/* Of one thread, for signals of n samples and s atoms. */
typedef struct {
  MatF B;               /* n x s */
  Mat G;                /* s x s, then its factor */
  double *a, *u;        /* s */
  float *w, *r, *other; /* n */
} Workspace;

typedef struct {
  const MatF *D;
  const TaskBatch *batch;
  const TaskCoder *coder;
  const SparseMat *X;
  MatF W;                /* w of all signals, if they overlap */
  float trust;           /* in the mean that is to be filled in; 0 for none */
  Workspace *workspaces; /* for each thread */
  MatF sums[PARTS];
  double errors[PARTS], counted[PARTS];
} Job;

static gboolean
workspace_init (Workspace *w, int n, int s, GError **error)
{
  if (!matf_try_new (&w->B, n, s, error) || !mat_try_new (&w->G, s, s, error))
    return FALSE;
  w->a = g_new (double, 2 * s);
  w->u = w->a + s;
  w->w = g_new (float, 3 * n);
  w->r = w->w + n;
  w->other = w->r + n;
  return TRUE;
}

static void
workspace_clear (Workspace *w)
{
  matf_clear (&w->B);
  mat_clear (&w->G);
  g_free (w->a);
  g_free (w->w);
}

/* x'y over the samples that count, in double. */
static double
dot (const float *x, const float *y, int n)
{
  double sum = 0;

  for (int i = 0; i < n; i++)
    sum += (double) x[i] * y[i];
  return sum;
}

/* B = M D_S, and the factor of G = D_S'B + ridge.  FALSE if there is none. */
static gboolean
factor_signal (const Job *job, Workspace *w, int col)
{
  int n = job->D->rows, s = job->X->count[col];
  const int *atoms = sparse_index (job->X, col);
  const float *known = matf_at (&job->batch->known, 0, col);
  Mat G = { w->G.data, s, s, w->G.ld };

  for (int j = 0; j < s; j++) {
    const float *d = matf_at (job->D, 0, atoms[j]);
    float *b = matf_at (&w->B, 0, j);

    for (int i = 0; i < n; i++)
      b[i] = known[i] * d[i];
    for (int l = 0; l <= j; l++)
      *mat_at (&G, j, l) = dot (b, matf_at (job->D, 0, atoms[l]), n);
    *mat_at (&G, j, j) +=
      LEAST_RIDGE
      + (job->coder->ridge != NULL ? job->coder->ridge[atoms[j]] : 0);
  }
  return cholesky_factor (&G);
}

/* w of a signal that was restored; adds to the error of @part. */
static void
find_error (Job *job, const float *restored, int col, int part, float *w)
{
  const TaskBatch *batch = job->batch;
  int n = job->D->rows;
  const float *clean = matf_at (&batch->clean, 0, col);
  const float *counts = matf_at (&batch->counts, 0, col);

  if (job->W.data != NULL) {
    memcpy (w, matf_at (&job->W, 0, col), (gsize) n * sizeof *w);
    return;
  }
  for (int i = 0; i < n; i++) {
    w[i] = counts[i] * (clean[i] - restored[i]);
    job->errors[part] += (double) w[i] * w[i];
    job->counted[part] += counts[i];
  }
}

/* a, w and r, and u; adds to the error of the part. */
static void
solve_signal (Job *job, Workspace *w, int col, int part)
{
  const TaskBatch *batch = job->batch;
  int n = job->D->rows, s = job->X->count[col];
  const int *atoms = sparse_index (job->X, col);
  const float *given = matf_at (&batch->given, 0, col);
  const float *known = matf_at (&batch->known, 0, col);
  float *restored = w->other;

  for (int j = 0; j < s; j++)
    w->a[j] = dot (matf_at (&w->B, 0, j), given, n);
  cholesky_solve (&w->G, s, w->a);
  memset (restored, 0, (gsize) n * sizeof *restored);
  for (int j = 0; j < s; j++)
    matf_axpy (n, (float) w->a[j], matf_at (job->D, 0, atoms[j]), restored);
  find_error (job, restored, col, part, w->w);
  for (int i = 0; i < n; i++)
    w->r[i] = known[i] * (given[i] - restored[i]);
  for (int j = 0; j < s; j++)
    w->u[j] = -dot (matf_at (job->D, 0, atoms[j]), w->w, n);
  cholesky_solve (&w->G, s, w->u);
}

/* Adds -(w + B u) a' + r u'. */
static void
add_signal (const Job *job, Workspace *w, int col, MatF *sum)
{
  int n = job->D->rows, s = job->X->count[col];
  const int *atoms = sparse_index (job->X, col);
  float *both = w->w;

  for (int j = 0; j < s; j++)
    matf_axpy (n, (float) w->u[j], matf_at (&w->B, 0, j), both);
  for (int j = 0; j < s; j++) {
    matf_axpy (n, (float) -w->a[j], both, matf_at (sum, 0, atoms[j]));
    matf_axpy (n, (float) w->u[j], w->r, matf_at (sum, 0, atoms[j]));
  }
}

static void
do_part (int chunk, int worker, gpointer data)
{
  Job *job = data;
  int part = ranks_part (PARTS).first + chunk;
  Workspace *w = &job->workspaces[worker];

  for (int col = part; col < job->batch->clean.cols; col += PARTS)
    if (factor_signal (job, w, col)) {
      solve_signal (job, w, col, part);
      add_signal (job, w, col, &job->sums[part]);
    }
}

/* ---- patches that overlap ---- */

/* The patches of a crop while their error is found. */
typedef struct {
  int first;       /* column of the first patch */
  float *restored; /* one patch */
  float *mean;     /* of all patches */
  float *weights;  /* their sum at each sample */
} Crop;

/* Restores patch @p of a crop; as when patches are averaged to restore a
 * picture, one without atoms hardly counts. */
static Confidence
restore_patch (const Job *job, int col, float *restored)
{
  sparse_apply (job->D, job->X, col, restored);
  if (job->X->count[col] == 0)
    return (Confidence){ NO_CONFIDENCE, 0 };
  return confidence_of (matf_at (&job->batch->given, 0, col),
                        matf_at (&job->batch->known, 0, col), restored,
                        job->D->rows);
}

static void
average_patches (const Job *job, const Crop *crop, gsize samples)
{
  const TaskOverlap *o = job->coder->overlap;

  for (int p = 0; p < o->across * o->across; p++) {
    float weight =
      (float) restore_patch (job, crop->first + p, crop->restored).weight;

    for (int i = 0; i < job->D->rows; i++) {
      int at = task_place (o, p, i);

      crop->mean[at] += weight * crop->restored[i];
      crop->weights[at] += weight;
    }
  }
  for (gsize at = 0; at < samples; at++)
    if (crop->weights[at] > 0)
      crop->mean[at] /= crop->weights[at];
}

/* Writes w of patch @p, and adds to the error of @part. */
static void
share_error (Job *job, const Crop *crop, int p, int part)
{
  const TaskOverlap *o = job->coder->overlap;
  int n = job->D->rows, col = crop->first + p;
  const float *clean = matf_at (&job->batch->clean, 0, col);
  const float *counts = matf_at (&job->batch->counts, 0, col);
  const float *given = matf_at (&job->batch->given, 0, col);
  const float *known = matf_at (&job->batch->known, 0, col);
  Confidence confidence = restore_patch (job, col, crop->restored);
  float *w = matf_at (&job->W, 0, col), pull;
  double gain = 0; /* by a larger weight of the patch */

  for (int i = 0; i < n; i++) {
    int at = task_place (o, p, i);
    float share = (float) confidence.weight / crop->weights[at];
    float e = counts[i] * (clean[i] - crop->mean[at]);

    w[i] = share * e;
    gain += (double) e * (crop->restored[i] - crop->mean[at])
            / crop->weights[at];
    job->errors[part] += (double) share * e * e;
    job->counted[part] += (double) share * counts[i];
  }
  pull = (float) (-2 * gain * confidence.slope);
  for (int i = 0; i < n; i++)
    w[i] += pull * known[i] * (given[i] - crop->restored[i]);
}

/* Writes the mean to the samples of patch @p that are not known. */
static void
share_mean (const Job *job, const Crop *crop, int p)
{
  const TaskOverlap *o = job->coder->overlap;
  float *given = matf_at (&job->batch->given, 0, crop->first + p);
  float *known = matf_at (&job->batch->known, 0, crop->first + p);

  for (int i = 0; i < job->D->rows; i++)
    if (known[i] == 0) {
      given[i] = crop->mean[task_place (o, p, i)];
      known[i] = job->trust;
    }
}

static void
do_crops (int part, int worker, gpointer data)
{
  Job *job = data;
  const TaskOverlap *o = job->coder->overlap;
  int patches = o->across * o->across, side = task_crop (o);
  gsize samples = (gsize) (side * side)
                  * (gsize) (job->D->rows / (o->patch * o->patch));
  g_autofree float *buffer = g_new (float, 2 * samples + (gsize) job->D->rows);
  Crop crop = { .restored = buffer + 2 * samples,
                .mean = buffer,
                .weights = buffer + samples };

  (void) worker;
  for (crop.first = part * patches; crop.first < job->batch->clean.cols;
       crop.first += PARTS * patches) {
    memset (buffer, 0, 2 * samples * sizeof *buffer);
    average_patches (job, &crop, samples);
    for (int p = 0; p < patches; p++)
      if (job->trust > 0)
        share_mean (job, &crop, p);
      else
        share_error (job, &crop, p, part);
  }
}

/* ---- all signals ---- */

/* Adds the parts in their order and takes the mean over signals. */
static void
sum_parts (Job *job, MatF *gradient, double *error)
{
  float mean = 1 / (float) job->batch->clean.cols;
  double counted = 0;

  *error = 0;
  for (int part = 0; part < PARTS; part++) {
    *error += job->errors[part];
    counted += job->counted[part];
  }
  *error /= MAX (1, counted);
  for (int j = 0; j < gradient->cols; j++)
    for (int i = 0; i < gradient->rows; i++) {
      float sum = 0;

      for (int part = 0; part < PARTS; part++)
        sum += *matf_at (&job->sums[part], i, j);
      *matf_at (gradient, i, j) = mean * sum;
    }
}

/* Codes the own columns; all ranks get all codes. */
static gboolean
encode (const MatF *D, const TaskBatch *batch, const PursuitOptions *options,
        SparseMat *X, const Progress *progress, GError **error)
{
  g_autoptr (Pursuit) pursuit = pursuit_new (D, error);
  RankPart own = ranks_part (X->cols);
  MatF given = matf_columns (&batch->given, own.first, own.end - own.first);
  MatF known = matf_columns (&batch->known, own.first, own.end - own.first);
  SparseMat part = sparse_columns (X, own.first, own.end - own.first);

  if (pursuit == NULL
      || !pursuit_encode (pursuit, &given, &known, options, &part, progress,
                          error))
    return FALSE;
  for (int rank = 0; rank < ranks_count (); rank++) {
    RankPart its = ranks_part_of (X->cols, rank);
    gsize count = (gsize) (its.end - its.first);
    gsize entries = count * (gsize) X->capacity;

    ranks_broadcast (X->count + its.first, count * sizeof (int), rank);
    ranks_broadcast (sparse_index (X, its.first), entries * sizeof (int),
                     rank);
    ranks_broadcast (sparse_value (X, its.first), entries * sizeof (float),
                     rank);
  }
  return TRUE;
}

/* Sums up the own parts; all ranks get all sums. */
static void
do_parts (Job *job)
{
  RankPart own = ranks_part (PARTS);
  gsize size =
    (gsize) job->D->rows * (gsize) job->D->cols * sizeof (float);

  parallel_for (own.end - own.first, do_part, job, NULL, NULL);
  for (int part = 0; part < PARTS; part++) {
    int owner = ranks_owner (PARTS, part);

    ranks_broadcast (job->sums[part].data, size, owner);
    ranks_broadcast (&job->errors[part], sizeof (double), owner);
    ranks_broadcast (&job->counted[part], sizeof (double), owner);
  }
}

gboolean
task_fill (const MatF *D, TaskBatch *batch, const TaskCoder *coder,
           double trust, const Progress *progress, GError **error)
{
  int s = MIN (coder->max_atoms, D->cols);
  PursuitOptions options = { s, coder->max_error, coder->ridge };
  g_auto (SparseMat) X = { 0 };
  Job job = { .D = D,
              .batch = batch,
              .coder = coder,
              .X = &X,
              .trust = (float) trust };

  g_return_val_if_fail (coder->overlap != NULL && trust > 0, FALSE);

  if (!sparse_try_new (&X, D->cols, batch->clean.cols, s, error)
      || !encode (D, batch, &options, &X, progress, error))
    return FALSE;
  parallel_for (PARTS, do_crops, &job, NULL, NULL);
  return TRUE;
}

static gboolean
job_init (Job *job, int s, int threads, GError **error)
{
  const MatF *D = job->D;

  job->workspaces = g_new0 (Workspace, threads);
  for (int i = 0; i < threads; i++)
    if (!workspace_init (&job->workspaces[i], D->rows, s, error))
      return FALSE;
  for (int part = 0; part < PARTS; part++)
    if (!matf_try_new (&job->sums[part], D->rows, D->cols, error))
      return FALSE;
  return job->coder->overlap == NULL
         || matf_try_new (&job->W, D->rows, job->batch->clean.cols, error);
}

static void
job_clear (Job *job, int threads)
{
  for (int part = 0; part < PARTS; part++)
    matf_clear (&job->sums[part]);
  matf_clear (&job->W);
  for (int i = 0; i < threads; i++)
    workspace_clear (&job->workspaces[i]);
  g_free (job->workspaces);
}

gboolean
task_gradient (const MatF *D, const TaskBatch *batch, const TaskCoder *coder,
               MatF *gradient, double *mean_error, const Progress *progress,
               GError **error)
{
  int s = MIN (coder->max_atoms, D->cols), threads = parallel_threads ();
  PursuitOptions options = { s, coder->max_error, coder->ridge };
  g_auto (SparseMat) X = { 0 };
  Job job = { .D = D, .batch = batch, .coder = coder, .X = &X };
  gboolean ok;

  if (!sparse_try_new (&X, D->cols, batch->clean.cols, s, error)
      || !encode (D, batch, &options, &X, progress, error))
    return FALSE;
  ok = job_init (&job, s, threads, error);
  if (ok && coder->overlap != NULL)
    parallel_for (PARTS, do_crops, &job, NULL, NULL);
  if (ok) {
    do_parts (&job);
    sum_parts (&job, gradient, mean_error);
  }
  job_clear (&job, threads);
  return ok;
}

/* ---- steps ---- */

struct TaskLearner {
  MatF *D;
  MatF gradient, first, second;
  int step, steps;
  double rate, error;
};

TaskLearner *
task_learner_new (MatF *D, int steps, double rate, GError **error)
{
  g_autoptr (TaskLearner) self = g_new0 (TaskLearner, 1);

  self->D = D;
  self->steps = steps;
  self->rate = rate;
  return matf_try_new (&self->gradient, D->rows, D->cols, error)
             && matf_try_new (&self->first, D->rows, D->cols, error)
             && matf_try_new (&self->second, D->rows, D->cols, error)
           ? g_steal_pointer (&self)
           : NULL;
}

void
task_learner_free (TaskLearner *self)
{
  if (self == NULL)
    return;
  matf_clear (&self->gradient);
  matf_clear (&self->first);
  matf_clear (&self->second);
  g_free (self);
}

int
task_learner_steps (const TaskLearner *self)
{
  return self->step;
}

double
task_learner_error (const TaskLearner *self)
{
  return self->error;
}

static void
normalise (float *x, int n)
{
  float norm = (float) sqrt (dot (x, x, n));

  for (int i = 0; i < n && norm > 0; i++)
    x[i] /= norm;
}

static void
adam (TaskLearner *self)
{
  MatF *D = self->D;
  int t = self->step + 1;
  double left = 2 * (1 - (double) t / self->steps);
  float rate = (float) (self->rate * CLAMP (left, LAST_RATE, 1));
  float first = (float) (1 / (1 - pow (FIRST_DECAY, t)));
  float second = (float) (1 / (1 - pow (SECOND_DECAY, t)));

  for (int j = 0; j < D->cols; j++) {
    for (int i = 0; i < D->rows; i++) {
      float g = *matf_at (&self->gradient, i, j);
      float *m = matf_at (&self->first, i, j);
      float *v = matf_at (&self->second, i, j);

      *m += (float) (1 - FIRST_DECAY) * (g - *m);
      *v += (float) (1 - SECOND_DECAY) * (g * g - *v);
      *matf_at (D, i, j) -=
        rate * first * *m / (sqrtf (second * *v) + (float) LEAST_DEVIATION);
    }
    normalise (matf_at (D, 0, j), D->rows);
  }
}

gboolean
task_learner_step (TaskLearner *self, const TaskBatch *batch,
                   const TaskCoder *coder, const Progress *progress,
                   GError **error)
{
  double now;

  if (!task_gradient (self->D, batch, coder, &self->gradient, &now, progress,
                      error))
    return FALSE;
  adam (self);
  self->error = self->step == 0
                  ? now
                  : ERROR_DECAY * self->error + (1 - ERROR_DECAY) * now;
  self->step++;
  return TRUE;
}
