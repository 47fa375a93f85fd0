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

MatF
padded_new (int rows, int cols)
{
  MatF A = matf_new (kernel_padded (rows), cols);

  A.rows = rows;
  return A;
}

Pursuit *
pursuit_new (const MatF *D)
{
  Pursuit *self = g_new0 (Pursuit, 1);

  self->D = matf_new (D->rows, D->cols);
  self->rows = padded_new (D->cols, D->rows);
  self->squares = padded_new (D->cols, D->rows);
  for (int j = 0; j < D->cols; j++)
    for (int i = 0; i < D->rows; i++) {
      float d = *matf_at (D, i, j);

      *matf_at (&self->D, i, j) = d;
      *matf_at (&self->rows, j, i) = d;
      *matf_at (&self->squares, j, i) = d * d;
    }
  self->kernels = kernels_get (0);
  return self;
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
  g_free (self);
}

const MatF *
pursuit_gram (const Pursuit *self)
{
  Pursuit *owner = (Pursuit *) self;

  if (g_once_init_enter (&owner->gram_made)) {
    owner->gram = padded_new (self->D.cols, self->D.cols);
    ordered_multiply (1, &self->rows, PLAIN, &self->D, PLAIN, &owner->gram);
    g_once_init_leave (&owner->gram_made, TRUE);
  }
  return &self->gram;
}

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

  if (!check_finite (Y, weights, error))
    return FALSE;
  job.workspaces = g_new (gpointer, workers);
  for (int i = 0; i < workers; i++)
    job.workspaces[i] =
      job.method->workspace_new (&job.task, MIN (size, Y->cols));
  ok = parallel_for ((Y->cols + size - 1) / size, encode_chunk, &job, progress,
                     error);
  for (int i = 0; i < workers; i++)
    job.method->workspace_free (job.workspaces[i]);
  g_free (job.workspaces);
  return ok;
}
