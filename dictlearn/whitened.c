#include "dictlearn/whitened.h"

#include "base/parallel.h"
#include "base/polar.h"
#include "dictlearn/thresholding.h"

#include <math.h>
#include <string.h>

/* rho, as a share of |W X'|_2. */
#define KEEP_OLD 0.02

/* Atoms that one thread codes at a time. */
#define BLOCK 75

/* Columns that one thread solves for at a time. */
#define SOLVE_BLOCK 75

struct Whitened {
  int n;
  MatF D, old;
  Mat wide; /* n x n, for the solves */
  MatF B;   /* P' D */
  MatF M;   /* Y X', then W X' + rho D */
  MatF X;   /* w x n: codes, one atom a column */
  PolarWorkspace *polar;
};

Whitened *
whitened_new (const Preconditioner *P, const Mat *A)
{
  int n = preconditioner_length (P);
  g_autoptr (Whitened) self = g_new0 (Whitened, 1);

  self->n = n;
  self->D = matf_new (n, n);
  self->old = matf_new (n, n);
  self->wide = mat_new (n, n);
  self->B = matf_new (n, n);
  self->M = matf_new (n, n);
  self->polar = polar_workspace_new (n);
  if (A == NULL) {
    for (int i = 0; i < n; i++)
      *matf_at (&self->D, i, i) = 1;
    return g_steal_pointer (&self);
  }
  mat_copy (A, &self->wide);
  preconditioner_whiten (P, &self->wide);
  mat_normalise_columns (&self->wide);
  if (!polar_svd (&self->wide, NULL, 0, &self->wide))
    return NULL;
  mat_to_float (&self->wide, &self->D);
  return g_steal_pointer (&self);
}

void
whitened_free (Whitened *self)
{
  if (self == NULL)
    return;
  matf_clear (&self->D);
  matf_clear (&self->old);
  mat_clear (&self->wide);
  matf_clear (&self->B);
  matf_clear (&self->M);
  matf_clear (&self->X);
  polar_workspace_free (self->polar);
  g_free (self);
}

/* ---- solves with P, shared by threads column by column ---- */

typedef struct {
  const Preconditioner *P;
  void (*solve) (const Preconditioner *P, Mat *W);
  const MatF *from;
  MatF *to;
  Mat *wide;
} Solve;

static void
solve_block (int block, int worker, gpointer data)
{
  const Solve *s = data;
  int first = block * SOLVE_BLOCK;
  int count = MIN (SOLVE_BLOCK, s->from->cols - first);
  MatF from = matf_columns (s->from, first, count);
  MatF to = matf_columns (s->to, first, count);
  Mat wide = mat_columns (s->wide, first, count);

  (void) worker;
  mat_from_float (&from, &wide);
  s->solve (s->P, &wide);
  mat_to_float (&wide, &to);
}

/* @to = P @from  or  P' @from,  whichever @solve does. */
static void
apply (Whitened *self, const Preconditioner *P,
       void (*solve) (const Preconditioner *, Mat *), const MatF *from,
       MatF *to)
{
  Solve s = { P, solve, from, to, &self->wide };

  parallel_for ((from->cols + SOLVE_BLOCK - 1) / SOLVE_BLOCK, solve_block, &s,
                NULL, NULL);
}

/* ---- codes and their product with the samples, atom by atom ---- */

typedef struct {
  Whitened *self;
  const MatF *Y;
  float z;
  gsize *kept;    /* non-zeros, by block */
  double *energy; /* of the codes, before and after the threshold, by block */
} WindowTask;

/* X = HT_z (Y' B) for a block of atoms, the codes of one atom in a column. */
static void
code_block (const WindowTask *task, int block, int first, int count)
{
  Whitened *self = task->self;
  MatF B = matf_columns (&self->B, first, count);
  MatF X = matf_columns (&self->X, first, count);
  double before = 0, after = 0;
  gsize kept = 0;

  matf_multiply (1, task->Y, TRANSPOSED, &B, PLAIN, 0, &X);
  for (int j = 0; j < count; j++) {
    float *x = matf_at (&X, 0, j);
    float all = 0, large = 0;

    for (int i = 0; i < X.rows; i++) {
      gboolean keep = fabsf (x[i]) >= task->z;

      all += x[i] * x[i];
      x[i] = keep ? x[i] : 0;
      large += x[i] * x[i];
      kept += keep ? 1 : 0;
    }
    before += all;
    after += large;
  }
  task->kept[block] = kept;
  task->energy[2 * block] = before;
  task->energy[2 * block + 1] = after;
}

/* Y X' for a block of atoms; most codes are zero. */
static void
gather_block (const WindowTask *task, int first, int count)
{
  Whitened *self = task->self;
  const MatF *Y = task->Y;

  for (int j = first; j < first + count; j++) {
    const float *x = matf_at (&self->X, 0, j);
    float *m = matf_at (&self->M, 0, j);

    memset (m, 0, (gsize) self->n * sizeof (float));
    for (int i = 0; i < Y->cols; i++)
      if (x[i] != 0)
        matf_axpy (self->n, x[i], matf_at (Y, 0, i), m);
  }
}

static void
code_and_gather (int block, int worker, gpointer data)
{
  const WindowTask *task = data;
  int first = block * BLOCK;
  int count = MIN (BLOCK, task->self->n - first);

  (void) worker;
  code_block (task, block, first, count);
  gather_block (task, first, count);
}

static void
make_room (Whitened *self, int samples)
{
  if (self->X.rows == samples)
    return;
  matf_clear (&self->X);
  self->X = matf_new (samples, self->n);
}

/* B = P' D, X = HT_z (D' W), M = Y X'. */
static void
code_window (Whitened *self, const Preconditioner *P, const MatF *Y, double z,
             LearnStatus *status)
{
  int blocks = (self->n + BLOCK - 1) / BLOCK;
  g_autofree gsize *kept = g_new0 (gsize, blocks);
  g_autofree double *energy = g_new0 (double, 2 * blocks);
  WindowTask task = { self, Y, (float) z, kept, energy };
  gsize total = 0;
  double rest = 0;

  make_room (self, Y->cols);
  apply (self, P, preconditioner_transposed, &self->D, &self->B);
  parallel_for (blocks, code_and_gather, &task, NULL, NULL);
  for (int b = 0; b < blocks; b++) {
    total += kept[b];
    rest += energy[2 * b] - energy[2 * b + 1];
  }
  status->density = (double) total / self->n / Y->cols;
  status->objective = (rest + z * z * (double) total) / Y->cols;
  status->threshold = z;
}

static double
change (const MatF *D, const MatF *old)
{
  double sum = 0;

  for (int j = 0; j < D->cols; j++)
    for (int i = 0; i < D->rows; i++) {
      double d = *matf_at (D, i, j) - *matf_at (old, i, j);

      sum += d * d;
    }
  return sqrt (sum);
}

gboolean
whitened_step (Whitened *self, const Preconditioner *P, const MatF *Y,
               double z, LearnStatus *status)
{
  gsize size = (gsize) self->n * (gsize) self->n;
  float rho;

  code_window (self, P, Y, z, status);
  status->change = 0;
  if (status->density == 0)
    return TRUE;
  apply (self, P, preconditioner_whiten, &self->M, &self->M);
  rho = (float) (KEEP_OLD * polar_norm (&self->M));
  memcpy (self->old.data, self->D.data, size * sizeof (float));
  matf_axpy ((int) size, rho, self->D.data, self->M.data);
  if (!polar_fast (self->polar, &self->M, KEEP_OLD / 2, &self->D))
    return FALSE;
  status->change = change (&self->D, &self->old);
  return TRUE;
}

void
whitened_threshold (Whitened *self, const Preconditioner *P, const MatF *Y,
                    const LearnOptions *options, double *first, double *end)
{
  g_auto (Mat) C = mat_new (Y->cols, self->n);
  LearnStatus unused;

  code_window (self, P, Y, 0, &unused);
  mat_from_float (&self->X, &C);
  threshold_choose (&C, options, first, end);
}

void
whitened_dictionary (const Whitened *self, const Preconditioner *P, Mat *A)
{
  mat_from_float (&self->D, A);
  preconditioner_unwhiten (P, A);
}
