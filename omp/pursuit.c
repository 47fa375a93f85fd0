/* pursuit.c - prepares a dictionary and distributes columns to threads
 *
 * See pursuitprivate.h for how they are coded.
 */
#include "omp/pursuit.h"

#include "base/error.h"
#include "base/orderedgemm.h"
#include "base/parallel.h"
#include "omp/pursuitprivate.h"

#include <math.h>

gboolean
padded_try_new (MatF *A, int rows, int cols, GError **error)
{
  if (!matf_try_new (A, kernel_padded (rows), cols, error))
    return FALSE;
  A->rows = rows;
  return TRUE;
}

static gboolean
allocate (Pursuit *self, int n, int k, GError **error)
{
  return matf_try_new (&self->D, n, k, error)
         && padded_try_new (&self->rows, k, n, error)
         && padded_try_new (&self->squares, k, n, error);
}

Pursuit *
pursuit_new (const MatF *D, GError **error)
{
  g_autoptr (Pursuit) self = g_new0 (Pursuit, 1);

  g_mutex_init (&self->lock);
  if (!allocate (self, D->rows, D->cols, error))
    return NULL;
  for (int j = 0; j < D->cols; j++)
    for (int i = 0; i < D->rows; i++) {
      float d = *matf_at (D, i, j);

      *matf_at (&self->D, i, j) = d;
      *matf_at (&self->rows, j, i) = d;
      *matf_at (&self->squares, j, i) = d * d;
    }
  self->kernels = kernels_get (0);
  return g_steal_pointer (&self);
}

void
pursuit_free (Pursuit *self)
{
  if (self == NULL)
    return;
  matf_clear (&self->D);
  matf_clear (&self->rows);
  matf_clear (&self->squares);
  matf_clear (&self->gram);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* ---- D'D ---- */

/* Columns of it that a thread computes at a time. */
#define GRAM_CHUNK 16

typedef struct {
  const Pursuit *self;
  MatF gram;
} GramJob;

static void
multiply_chunk (int chunk, int worker, gpointer data)
{
  const GramJob *job = data;
  int first = chunk * GRAM_CHUNK;
  int count = MIN (GRAM_CHUNK, job->gram.cols - first);
  MatF atoms = matf_columns (&job->self->D, first, count);
  MatF products = matf_columns (&job->gram, first, count);

  (void) worker;
  if (!parallel_goes_on (NULL))
    return;
  ordered_multiply (1, &job->self->rows, PLAIN, &atoms, PLAIN, &products);
}

static gboolean
make_gram (Pursuit *self, const Progress *progress, GError **error)
{
  /* It is but the beginning of the work that is reported. */
  ProgressPart start = { progress, 0, 0 };
  Progress part = progress_part (&start);
  int k = self->D.cols;
  GramJob job = { .self = self };

  if (!padded_try_new (&job.gram, k, k, error))
    return FALSE;
  if (!parallel_for ((k + GRAM_CHUNK - 1) / GRAM_CHUNK, multiply_chunk, &job,
                     &part, error)
      || !parallel_goes_on (error)) {
    matf_clear (&job.gram);
    return FALSE;
  }
  self->gram = job.gram;
  return TRUE;
}

gboolean
pursuit_make_gram (const Pursuit *self, const Progress *progress,
                   GError **error)
{
  Pursuit *owner = (Pursuit *) self;
  gboolean ok;

  g_mutex_lock (&owner->lock);
  ok = owner->gram.data != NULL || make_gram (owner, progress, error);
  g_mutex_unlock (&owner->lock);
  return ok;
}

/* ---- codes ---- */

void
solve_codes (const MatF *L, int count, const float *z, double *x)
{
  for (int s = 0; s < count; s++)
    x[s] = z[s];
  for (int s = count - 1; s > 0; s--) {
    const float *l = matf_at (L, 0, s);

    for (int i = 0; i < s; i++)
      x[i] -= l[i] * x[s];
  }
}

void
write_codes (const PursuitTask *task, const MatF *L, const float *z, double *x,
             int col)
{
  int count = task->X->count[col];
  float *value = sparse_value (task->X, col);

  solve_codes (L, count, z, x);
  for (int s = 0; s < count; s++)
    value[s] = (float) x[s];
}

typedef struct {
  PursuitTask task;
  const PursuitMethod *method;
  gpointer *workspaces; /* one per thread */
} Job;

static void
encode_chunk (int chunk, int worker, gpointer data)
{
  const Job *job = data;
  int first = chunk * job->method->chunk;
  int cols = MIN (job->method->chunk, job->task.Y->cols - first);

  job->method->encode (&job->task, job->workspaces[worker], first, cols);
}

/* Whether all samples that count are finite.  @weights may be NULL.  Without
 * branches, for the compiler to use vectors. */
static gboolean
is_finite (const float *y, const float *weights, int rows)
{
  gboolean finite = TRUE;

  for (int i = 0; i < rows; i++) {
    float w = weights != NULL ? weights[i] : 1;

    finite &= (w >= 0) & (w <= 1) & ((w == 0) | (isfinite (y[i]) != 0));
  }
  return finite;
}

static gboolean
check_finite (const MatF *Y, const MatF *weights, GError **error)
{
  for (int j = 0; j < Y->cols; j++)
    if (!is_finite (matf_at (Y, 0, j),
                    weights != NULL ? matf_at (weights, 0, j) : NULL, Y->rows))
      return tessera_fail (error, TESSERA_ERROR_INPUT,
                           "signal %d holds a value that is not finite, or a "
                           "weight outside of 0 to 1",
                           j);
  return TRUE;
}

static void
free_workspaces (Job *job, int workers)
{
  for (int i = 0; i < workers; i++)
    if (job->workspaces[i] != NULL)
      job->method->workspace_free (job->workspaces[i]);
  g_free (job->workspaces);
}

static gboolean
make_workspaces (Job *job, int workers, GError **error)
{
  int cols = MIN (job->method->chunk, job->task.Y->cols);

  job->workspaces = g_new0 (gpointer, workers);
  for (int i = 0; i < workers; i++) {
    job->workspaces[i] = job->method->workspace_new (&job->task, cols, error);
    if (job->workspaces[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

gboolean
pursuit_encode (const Pursuit *self, const MatF *Y, const MatF *weights,
                const PursuitOptions *options, SparseMat *X,
                const Progress *progress, GError **error)
{
  Job job = { .task = { self, Y, weights, options, X },
              .method = weights != NULL ? &pursuit_masked_method
                                        : &pursuit_gram_method };
  int size = job.method->chunk;
  int workers = parallel_threads ();
  gboolean ok;

  g_return_val_if_fail (Y->rows == self->D.rows, FALSE);
  g_return_val_if_fail (X->cols == Y->cols, FALSE);
  g_return_val_if_fail (options->max_atoms >= 1, FALSE);
  g_return_val_if_fail (options->max_atoms <= X->capacity, FALSE);
  g_return_val_if_fail (options->max_atoms <= self->D.cols, FALSE);

  if (!check_finite (Y, weights, error)
      || (weights == NULL && !pursuit_make_gram (self, progress, error)))
    return FALSE;
  ok = make_workspaces (&job, workers, error)
       && parallel_for ((Y->cols + size - 1) / size, encode_chunk, &job,
                        progress, error)
       && parallel_goes_on (error);
  free_workspaces (&job, workers);
  return ok;
}
