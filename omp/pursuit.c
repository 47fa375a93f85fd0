/* pursuit.c - orthogonal matching pursuit for many columns at a time
 *
 *     I    atoms chosen so far, s of them
 *     a    D' W y, what the atoms say about the signal; length k
 *     G_j  D' W d_j, what they say about atom j
 *     c    D' W (y - D x) = a - G_I x_I, what they say about what is left
 *
 * One step, for every column of a chunk:
 *   1. choose j that maximises c_j^2 / (|d_j|_w^2 + ridge_j), by which the
 *      objective falls if j alone is added;
 *   2. fetch G_j.  Without weights it is a column of the Gram matrix D'D.
 *      With weights it differs from signal to signal; the chunk's columns
 *      W d_j are gathered, so that one product D' [W d_j ...] yields them all;
 *   3. append j to the Cholesky factor of G_II + ridge and solve for x_I;
 *   4. c = a - G_I x_I.
 *
 * The residual needs no signal: with z = L^-1 a_I,
 *     |y - D x|_w^2 = |y|_w^2 - z'z - sum_j ridge_j x_j^2.
 *
 * Products are float; factors, solutions and residuals are double.
 */
#include "omp/pursuit.h"

#include "base/cholesky.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* Columns a chunk: enough for products to run at full speed, and few enough
 * for their G_j to stay in the cache. */
#define CHUNK 64

/* An atom of which the samples that count show less than this (of 1) is not
 * chosen: its coefficient would be noise. */
#define LEAST_SEEN 1e-6f

/* An atom whose part outside the span of the chosen ones is smaller than this
 * is taken to depend on them. */
#define DEPENDENT 1e-6

/* A gain smaller than this share of the signal is rounding. */
#define LEAST_GAIN 1e-11

struct Pursuit {
  MatF D;
  MatF squares; /* entries of D squared: squares' w are the atoms' norms */
  MatF gram;
};

/* One signal on its way. */
typedef struct {
  int count;     /* s */
  double energy; /* |y|_w^2 */
  double target; /* residual at which it is done */
  Mat L;         /* factor of G_II + ridge */
  double *z;     /* L^-1 a_I */
  double *x;     /* solution on I */
  int *chosen;   /* I, in the codes themselves */
  gboolean done;
} Column;

/* What one thread needs; made once. */
typedef struct {
  MatF a, c;     /* k x CHUNK */
  MatF inverse;  /* 1 / (|d_j|_w^2 + ridge_j), 0 for barred atoms; likewise */
  MatF weighted; /* n x CHUNK, gathered W d_j */
  MatF fetched;  /* k x CHUNK, their G_j */
  MatF store;    /* k x (CHUNK * max_atoms): all G_j, column by column */
  Mat factors;   /* the L of all columns, side by side */
  Mat vectors;   /* z and x of all columns; one row of G_II last */
  Column columns[CHUNK];
  int active[CHUNK];
} Workspace;

typedef struct {
  const Pursuit *self;
  const MatF *Y, *weights;
  const PursuitOptions *options;
  SparseMat *X;
  Workspace *workspaces;
} Task;

Pursuit *
pursuit_new (const MatF *D)
{
  Pursuit *self = g_new0 (Pursuit, 1);

  self->D = matf_new (D->rows, D->cols);
  self->squares = matf_new (D->rows, D->cols);
  self->gram = matf_new (D->cols, D->cols);
  for (int j = 0; j < D->cols; j++)
    for (int i = 0; i < D->rows; i++) {
      float d = *matf_at (D, i, j);

      *matf_at (&self->D, i, j) = d;
      *matf_at (&self->squares, i, j) = d * d;
    }
  matf_multiply (1, &self->D, TRANSPOSED, &self->D, PLAIN, 0, &self->gram);
  return self;
}

void
pursuit_free (Pursuit *self)
{
  if (self == NULL)
    return;
  matf_clear (&self->D);
  matf_clear (&self->squares);
  matf_clear (&self->gram);
  g_free (self);
}

static void
workspace_init (Workspace *w, const Task *task)
{
  int n = task->self->D.rows, k = task->self->D.cols;
  int s = task->options->max_atoms;

  w->a = matf_new (k, CHUNK);
  w->c = matf_new (k, CHUNK);
  w->inverse = matf_new (k, CHUNK);
  if (task->weights != NULL) {
    w->weighted = matf_new (n, CHUNK);
    w->fetched = matf_new (k, CHUNK);
    w->store = matf_new (k, CHUNK * s);
  }
  w->factors = mat_new (s, CHUNK * s);
  w->vectors = mat_new (s, 2 * CHUNK + 1);
  for (int p = 0; p < CHUNK; p++) {
    w->columns[p].L = mat_columns (&w->factors, p * s, s);
    w->columns[p].z = mat_at (&w->vectors, 0, 2 * p);
    w->columns[p].x = mat_at (&w->vectors, 0, 2 * p + 1);
  }
}

static void
workspace_clear (Workspace *w)
{
  matf_clear (&w->a);
  matf_clear (&w->c);
  matf_clear (&w->inverse);
  matf_clear (&w->weighted);
  matf_clear (&w->fetched);
  matf_clear (&w->store);
  mat_clear (&w->factors);
  mat_clear (&w->vectors);
}

/* G_j of the @s-th atom that column @p chose. */
static const float *
gram_column (const Task *task, const Workspace *w, int p, int s)
{
  if (task->weights == NULL)
    return matf_at (&task->self->gram, 0, w->columns[p].chosen[s]);
  return matf_at (&w->store, 0, p * task->options->max_atoms + s);
}

/* Energy and target of the signal in column @p of the chunk. */
static void
measure_signal (const Task *task, Column *column, const float *y,
                const float *weight)
{
  double energy = 0, total = 0;

  for (int i = 0; i < task->self->D.rows; i++) {
    double wi = weight != NULL ? weight[i] : 1;

    energy += wi > 0 ? wi * y[i] * y[i] : 0;
    total += wi;
  }
  column->energy = energy;
  column->target = task->options->max_error * total;
  column->count = 0;
  column->done = energy <= column->target;
}

/* a = D' W y for the whole chunk. */
static void
correlate (const Task *task, Workspace *w, const MatF *Y, const MatF *weights)
{
  MatF a = matf_columns (&w->a, 0, Y->cols);
  MatF product;

  if (weights == NULL) {
    matf_multiply (1, &task->self->D, TRANSPOSED, Y, PLAIN, 0, &a);
    return;
  }
  product = matf_columns (&w->weighted, 0, Y->cols);
  for (int p = 0; p < Y->cols; p++)
    for (int i = 0; i < Y->rows; i++) {
      float wi = *matf_at (weights, i, p);

      *matf_at (&product, i, p) = wi > 0 ? wi * *matf_at (Y, i, p) : 0;
    }
  matf_multiply (1, &task->self->D, TRANSPOSED, &product, PLAIN, 0, &a);
}

/* 1 / (|d_j|_w^2 + ridge_j) for the whole chunk. */
static void
measure_atoms (const Task *task, Workspace *w, const MatF *weights, int cols)
{
  const Pursuit *self = task->self;
  const float *ridge = task->options->ridge;
  MatF inverse = matf_columns (&w->inverse, 0, cols);

  if (weights != NULL)
    matf_multiply (1, &self->squares, TRANSPOSED, weights, PLAIN, 0, &inverse);
  for (int p = 0; p < cols; p++)
    for (int j = 0; j < self->D.cols; j++) {
      float *entry = matf_at (&inverse, j, p);
      float seen = weights != NULL ? *entry : *matf_at (&self->gram, j, j);

      *entry =
        seen < LEAST_SEEN ? 0 : 1 / (seen + (ridge != NULL ? ridge[j] : 0));
    }
}

/* Step 1.  Returns the atom, or -1 when none would gain anything. */
static int
choose_atom (const Workspace *w, int p)
{
  const float *c = matf_at (&w->c, 0, p);
  const float *inverse = matf_at (&w->inverse, 0, p);
  float best = (float) (LEAST_GAIN * w->columns[p].energy);
  int atom = -1;

  for (int j = 0; j < w->c.rows; j++) {
    float gain = c[j] * c[j] * inverse[j];

    if (gain > best) {
      best = gain;
      atom = j;
    }
  }
  return atom;
}

/* Step 2, with weights: G_j of the newest atom of all active columns. */
static void
fetch_gram_columns (const Task *task, Workspace *w, const MatF *weights,
                    int active)
{
  const MatF *D = &task->self->D;
  MatF gathered = matf_columns (&w->weighted, 0, active);
  MatF fetched = matf_columns (&w->fetched, 0, active);

  for (int i = 0; i < active; i++) {
    const Column *column = &w->columns[w->active[i]];
    const float *atom = matf_at (D, 0, column->chosen[column->count]);
    const float *weight = matf_at (weights, 0, w->active[i]);
    float *out = matf_at (&gathered, 0, i);

    for (int row = 0; row < D->rows; row++)
      out[row] = weight[row] * atom[row];
  }
  matf_multiply (1, D, TRANSPOSED, &gathered, PLAIN, 0, &fetched);
  for (int i = 0; i < active; i++) {
    int p = w->active[i];
    int place = p * task->options->max_atoms + w->columns[p].count;

    memcpy (matf_at (&w->store, 0, place), matf_at (&fetched, 0, i),
            (gsize) D->cols * sizeof (float));
  }
}

/* Step 3.  FALSE when the newest atom depends on the others; it is then
 * not taken in. */
static gboolean
take_in_atom (const Task *task, Workspace *w, int p)
{
  Column *column = &w->columns[p];
  int s = column->count;
  int atom = column->chosen[s];
  const float *ridge = task->options->ridge;
  double *row = mat_at (&w->vectors, 0, 2 * CHUNK);
  double z = *matf_at (&w->a, atom, p);

  for (int i = 0; i <= s; i++)
    row[i] = gram_column (task, w, p, i)[atom];
  row[s] += ridge != NULL ? ridge[atom] : 0;
  if (!cholesky_append (&column->L, s, row, DEPENDENT))
    return FALSE;

  /* The new entry of z, by the new row of L. */
  for (int i = 0; i < s; i++)
    z -= *mat_at (&column->L, s, i) * column->z[i];
  column->z[s] = z / *mat_at (&column->L, s, s);
  column->count = s + 1;
  memcpy (column->x, column->z, (gsize) column->count * sizeof (double));
  cholesky_solve_upper (&column->L, column->count, column->x);
  *matf_at (&w->inverse, atom, p) = 0; /* not to be chosen again */
  return TRUE;
}

/* Step 4. */
static void
update_correlations (const Task *task, Workspace *w, int p)
{
  const Column *column = &w->columns[p];
  float *c = matf_at (&w->c, 0, p);

  memcpy (c, matf_at (&w->a, 0, p), (gsize) w->a.rows * sizeof (float));
  for (int s = 0; s < column->count; s++) {
    const float *g = gram_column (task, w, p, s);
    float x = (float) column->x[s];

    for (int j = 0; j < w->a.rows; j++)
      c[j] -= x * g[j];
  }
}

static double
residual (const Task *task, const Column *column)
{
  const float *ridge = task->options->ridge;
  double r = column->energy;

  for (int s = 0; s < column->count; s++) {
    r -= column->z[s] * column->z[s];
    if (ridge != NULL)
      r -= ridge[column->chosen[s]] * column->x[s] * column->x[s];
  }
  return r;
}

/* Chooses an atom for every column that is not done; the others leave the
 * list of active ones. */
static int
choose_atoms (Workspace *w, int cols)
{
  int active = 0;

  for (int p = 0; p < cols; p++) {
    Column *column = &w->columns[p];
    int atom = column->done ? -1 : choose_atom (w, p);

    column->done = atom < 0;
    if (!column->done) {
      column->chosen[column->count] = atom;
      w->active[active++] = p;
    }
  }
  return active;
}

static void
start_chunk (const Task *task, Workspace *w, const MatF *Y,
             const MatF *weights, int first)
{
  correlate (task, w, Y, weights);
  measure_atoms (task, w, weights, Y->cols);
  memcpy (w->c.data, w->a.data,
          (gsize) w->a.rows * (gsize) Y->cols * sizeof (float));
  for (int p = 0; p < Y->cols; p++) {
    w->columns[p].chosen = sparse_index (task->X, first + p);
    measure_signal (task, &w->columns[p], matf_at (Y, 0, p),
                    weights != NULL ? matf_at (weights, 0, p) : NULL);
  }
}

static void
finish_chunk (const Task *task, const Workspace *w, int first, int cols)
{
  for (int p = 0; p < cols; p++) {
    const Column *column = &w->columns[p];
    float *value = sparse_value (task->X, first + p);

    task->X->count[first + p] = column->count;
    for (int s = 0; s < column->count; s++)
      value[s] = (float) column->x[s];
  }
}

static void
encode_chunk (int chunk, int worker, gpointer data)
{
  const Task *task = data;
  Workspace *w = &task->workspaces[worker];
  int first = chunk * CHUNK;
  int cols = MIN (CHUNK, task->Y->cols - first);
  MatF Y = matf_columns (task->Y, first, cols);
  MatF view, *weights = NULL;

  if (task->weights != NULL) {
    view = matf_columns (task->weights, first, cols);
    weights = &view;
  }

  start_chunk (task, w, &Y, weights, first);
  for (int s = 0; s < task->options->max_atoms; s++) {
    int active = choose_atoms (w, cols);

    if (active == 0)
      break;
    if (weights != NULL)
      fetch_gram_columns (task, w, weights, active);
    for (int i = 0; i < active; i++) {
      Column *column = &w->columns[w->active[i]];

      column->done = !take_in_atom (task, w, w->active[i])
                     || residual (task, column) <= column->target;
      if (!column->done)
        update_correlations (task, w, w->active[i]);
    }
  }
  finish_chunk (task, w, first, cols);
}

gboolean
pursuit_encode (const Pursuit *self, const MatF *Y, const MatF *weights,
                const PursuitOptions *options, SparseMat *X,
                const Progress *progress, GError **error)
{
  int chunks = (Y->cols + CHUNK - 1) / CHUNK;
  int workers = parallel_threads ();
  Task task = { self, Y, weights, options, X, NULL };
  gboolean ok;

  g_return_val_if_fail (Y->rows == self->D.rows, FALSE);
  g_return_val_if_fail (X->cols == Y->cols, FALSE);
  g_return_val_if_fail (options->max_atoms >= 1, FALSE);
  g_return_val_if_fail (options->max_atoms <= X->capacity, FALSE);
  g_return_val_if_fail (options->max_atoms <= self->D.cols, FALSE);

  task.workspaces = g_new0 (Workspace, workers);
  for (int i = 0; i < workers; i++)
    workspace_init (&task.workspaces[i], &task);
  ok = parallel_for (chunks, encode_chunk, &task, progress, error);
  for (int i = 0; i < workers; i++)
    workspace_clear (&task.workspaces[i]);
  g_free (task.workspaces);
  return ok;
}
