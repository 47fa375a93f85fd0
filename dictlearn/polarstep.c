#include "dictlearn/polarstep.h"

#include "base/parallel.h"
#include "base/polar.h"
#include "base/ranks.h"
#include "dictlearn/thresholding.h"

#include <math.h>
#include <string.h>

/* rho, as a share of the mean singular value of W X'. */
#define KEEP_OLD 1.0

/* Atoms that one thread codes at a time. */
#define BLOCK 150

struct PolarStep {
  int n;
  MatF D, old;
  MatF Pt; /* P' */
  MatF B;  /* P' D */
  MatF M;  /* W X' + rho D */
  MatF X;  /* w x n: codes, one atom per column */
  PolarWorkspace *polar;
};

PolarStep *
polar_step_new (const Preconditioner *P, const Mat *A)
{
  int n = preconditioner_length (P);
  g_autoptr (PolarStep) self = g_new0 (PolarStep, 1);
  g_auto (Mat) wide = { 0 };

  self->n = n;
  self->D = matf_new (n, n);
  self->old = matf_new (n, n);
  self->Pt = matf_new (n, n);
  self->B = matf_new (n, n);
  self->M = matf_new (n, n);
  self->polar = polar_workspace_new (n);
  if (A == NULL) {
    for (int i = 0; i < n; i++)
      *matf_at (&self->D, i, i) = 1;
    return g_steal_pointer (&self);
  }
  wide = mat_new (n, n);
  mat_copy (A, &wide);
  preconditioner_whiten (P, &wide);
  mat_normalise_columns (&wide);
  if (!polar_svd (&wide, NULL, 0, &wide))
    return NULL;
  mat_to_float (&wide, &self->D);
  return g_steal_pointer (&self);
}

void
polar_step_free (PolarStep *self)
{
  if (self == NULL)
    return;
  matf_clear (&self->D);
  matf_clear (&self->old);
  matf_clear (&self->Pt);
  matf_clear (&self->B);
  matf_clear (&self->M);
  matf_clear (&self->X);
  polar_workspace_free (self->polar);
  g_free (self);
}

/* ---- codes and their product with the samples, atom by atom ---- */

typedef struct {
  PolarStep *self;
  const MatF *Y;
  float z;
  gsize *kept;    /* non-zeros, by block */
  double *energy; /* of the codes, before and after the threshold, by block */
  int first;      /* block of this rank */
} PolarTask;

/* B = P' D and X = HT_z (Y' B) for a block of atoms, the codes of one atom in
 * a column. */
static void
code_block (const PolarTask *task, int block, int first, int count)
{
  PolarStep *self = task->self;
  MatF B = matf_columns (&self->B, first, count);
  MatF X = matf_columns (&self->X, first, count);
  double before = 0, after = 0;
  gsize kept = 0;

  memcpy (B.data, matf_at (&self->D, 0, first),
          (gsize) count * (gsize) self->n * sizeof (float));
  matf_multiply_lower (&self->Pt, PLAIN, &B);
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

/* M = P (Y X') for a block of atoms; most codes are zero. */
static void
gather_block (const PolarTask *task, int first, int count)
{
  PolarStep *self = task->self;
  const MatF *Y = task->Y;
  MatF M = matf_columns (&self->M, first, count);

  for (int j = first; j < first + count; j++) {
    const float *x = matf_at (&self->X, 0, j);
    float *m = matf_at (&self->M, 0, j);

    memset (m, 0, (gsize) self->n * sizeof (float));
    for (int i = 0; i < Y->cols; i++)
      if (x[i] != 0)
        matf_axpy (self->n, x[i], matf_at (Y, 0, i), m);
  }
  matf_multiply_lower (&self->Pt, TRANSPOSED, &M);
}

static void
code_and_gather (int chunk, int worker, gpointer data)
{
  const PolarTask *task = data;
  int block = task->first + chunk;
  int first = block * BLOCK;
  int count = MIN (BLOCK, task->self->n - first);

  (void) worker;
  code_block (task, block, first, count);
  gather_block (task, first, count);
}

/* All ranks get M, and what is known of the codes, of all blocks. */
static void
exchange_blocks (const PolarTask *task, int blocks)
{
  for (int block = 0; block < blocks && ranks_count () > 1; block++) {
    int first = block * BLOCK, owner = ranks_owner (blocks, block);
    gsize count = (gsize) MIN (BLOCK, task->self->n - first);

    ranks_broadcast (matf_at (&task->self->M, 0, first),
                     count * (gsize) task->self->n * sizeof (float), owner);
    ranks_broadcast (&task->kept[block], sizeof (gsize), owner);
    ranks_broadcast (&task->energy[2 * block], 2 * sizeof (double), owner);
  }
}

static void
make_room (PolarStep *self, int samples)
{
  if (self->X.rows == samples)
    return;
  matf_clear (&self->X);
  self->X = matf_new (samples, self->n);
}

/* X = HT_z (D' W), M = W X'. */
static void
code_window (PolarStep *self, const Preconditioner *P, const MatF *Y, double z,
             LearnStatus *status)
{
  int blocks = (self->n + BLOCK - 1) / BLOCK;
  g_autofree gsize *kept = g_new0 (gsize, blocks);
  g_autofree double *energy = g_new0 (double, 2 * blocks);
  PolarTask task = { self, Y, (float) z, kept, energy, 0 };
  RankPart part = ranks_part (blocks);
  gsize total = 0;
  double rest = 0;

  make_room (self, Y->cols);
  preconditioner_matrix (P, &self->Pt);
  task.first = part.first;
  parallel_for (part.end - part.first, code_and_gather, &task, NULL, NULL);
  exchange_blocks (&task, blocks);
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

/* Mean of the diagonal of D' W X', what an atom gains: near the mean singular
 * value of W X', since D is near its polar factor. */
static double
mean_gain (const PolarStep *self)
{
  double sum = 0;

  for (int j = 0; j < self->n; j++) {
    const float *d = matf_at (&self->D, 0, j), *m = matf_at (&self->M, 0, j);
    float dot = 0;

    for (int i = 0; i < self->n; i++)
      dot += d[i] * m[i];
    sum += dot;
  }
  return fabs (sum) / self->n;
}

gboolean
polar_step_step (PolarStep *self, const Preconditioner *P, const MatF *Y,
                 double z, LearnStatus *status)
{
  gsize size = (gsize) self->n * (gsize) self->n;
  float rho;

  code_window (self, P, Y, z, status);
  status->change = 0;
  if (status->density == 0)
    return TRUE;
  rho = (float) (KEEP_OLD * mean_gain (self));
  memcpy (self->old.data, self->D.data, size * sizeof (float));
  matf_axpy ((int) size, rho, self->D.data, self->M.data);
  if (!polar_fast (self->polar, &self->M, rho / 2, &self->D))
    return FALSE;
  status->change = change (&self->D, &self->old);
  return TRUE;
}

/* All ranks get the codes of all atoms. */
static void
exchange_codes (PolarStep *self)
{
  int blocks = (self->n + BLOCK - 1) / BLOCK;

  for (int block = 0; block < blocks; block++) {
    int first = block * BLOCK;
    gsize count = (gsize) MIN (BLOCK, self->n - first);

    ranks_broadcast (matf_at (&self->X, 0, first),
                     count * (gsize) self->X.rows * sizeof (float),
                     ranks_owner (blocks, block));
  }
}

gboolean
polar_step_threshold (PolarStep *self, const Preconditioner *P, const MatF *Y,
                      const LearnOptions *options, Threshold *threshold,
                      GError **error)
{
  g_auto (Mat) C = mat_new (Y->cols, self->n);
  LearnStatus unused;

  code_window (self, P, Y, 0, &unused);
  exchange_codes (self);
  mat_from_float (&self->X, &C);
  return threshold_choose (threshold, &C, options, error);
}

void
polar_step_dictionary (const PolarStep *self, const Preconditioner *P, Mat *A)
{
  mat_from_float (&self->D, A);
  preconditioner_unwhiten (P, A);
}
