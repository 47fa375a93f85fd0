#include "dictlearn/polarstep.h"

#include "base/lowrankpolar.h"
#include "base/parallel.h"
#include "base/polar.h"
#include "base/ranks.h"
#include "base/spectral.h"
#include "dictlearn/thresholding.h"

#include <math.h>
#include <string.h>

/* rho, as a share of the mean singular value of W X'; and as published, where
 * there are fewer samples than half the atoms. */
#define KEEP_OLD 1.0
#define HARDLY_KEEP 0.01

/* Singular values of W X' below this share of the largest are rounding. */
#define SINGULAR 1e-6

/* Atoms that one thread codes at a time. */
#define BLOCK 150

/* Singular values of W X' + rho D are hardly below this share of rho. */
#define LEAST 0.9

/* Samples so short that leaving out zeros costs more than multiplying by
 * them. */
#define SHORT 16

/* Steps of low rank after which D is made orthonormal anew. */
#define REFRESH 64

/* Steps of the power iteration that estimates a norm, and what is added. */
#define POWER_STEPS 8
#define MARGIN 1.05

struct PolarStep {
  int n;
  gboolean textbook;
  MatF D, old;
  MatF M; /* W X' + rho D */
  MatF X; /* w x n: codes, one atom per column */
  PolarWorkspace *polar;

  /* If 2 w <= n. */
  MatF C;  /* w x n: codes before the threshold, D' W transposed */
  MatF DX; /* n x w */
  int steps;
};

PolarStep *
polar_step_new (const Preconditioner *P, const Mat *A,
                const LearnOptions *options)
{
  int n = preconditioner_length (P);
  g_autoptr (PolarStep) self = g_new0 (PolarStep, 1);
  g_auto (Mat) wide = { 0 };

  self->n = n;
  self->textbook = options->textbook;
  self->D = matf_new (n, n);
  self->old = matf_new (n, n);
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
  matf_clear (&self->M);
  matf_clear (&self->X);
  matf_clear (&self->C);
  matf_clear (&self->DX);
  polar_workspace_free (self->polar);
  g_free (self);
}

/* ---- codes and their product with the samples, atom by atom ---- */

typedef struct {
  PolarStep *self;
  const MatF *W;
  float z;
  gsize *kept;    /* non-zeros, by block */
  double *energy; /* of the codes, before and after the threshold, by block */
  int first;      /* block of this rank */
} PolarTask;

static gboolean
low_rank (const PolarStep *self)
{
  return self->C.data != NULL;
}

/* X = HT_z (W' D) for a block of atoms, the codes of one atom in a column. */
static void
code_block (const PolarTask *task, int block, int first, int count)
{
  PolarStep *self = task->self;
  MatF D = matf_columns (&self->D, first, count);
  MatF X = matf_columns (&self->X, first, count);
  double before = 0, after = 0;
  gsize kept = 0;

  matf_multiply (1, task->W, TRANSPOSED, &D, PLAIN, 0, &X);
  if (low_rank (self))
    memcpy (matf_at (&self->C, 0, first), X.data,
            (gsize) count * (gsize) X.rows * sizeof (float));
  for (int j = 0; j < count; j++) {
    float *x = matf_at (&X, 0, j);
    int large = 0;

    before += matf_dot (X.rows, x, x);
    for (int i = 0; i < X.rows; i++) {
      gboolean keep = fabsf (x[i]) >= task->z;

      x[i] = keep ? x[i] : 0;
      large += keep ? 1 : 0;
    }
    after += matf_dot (X.rows, x, x);
    kept += (gsize) large;
  }
  task->kept[block] = kept;
  task->energy[2 * block] = before;
  task->energy[2 * block + 1] = after;
}

/* to += sum_i x_i W_i: most codes x are zero. */
static void
add_sparse (const MatF *W, const float *x, float *to)
{
  enum { TOGETHER = 4 };
  int list[TOGETHER], count = 0;

  for (int i = 0; i < W->cols; i++) {
    if (x[i] != 0)
      list[count++] = i;
    if (count == TOGETHER) {
      matf_axpy4 (W, x, list, to);
      count = 0;
    }
  }
  for (int k = 0; k < count; k++)
    matf_axpy (W->rows, x[list[k]], matf_at (W, 0, list[k]), to);
}

/* M = W X' for a block of atoms. */
static void
gather_block (const PolarTask *task, int first, int count)
{
  PolarStep *self = task->self;
  MatF X = matf_columns (&self->X, first, count);
  MatF M = matf_columns (&self->M, first, count);

  if (self->n <= SHORT) {
    matf_multiply (1, task->W, PLAIN, &X, PLAIN, 0, &M);
    return;
  }
  for (int j = first; j < first + count; j++) {
    float *m = matf_at (&self->M, 0, j);

    memset (m, 0, (gsize) self->n * sizeof (float));
    add_sparse (task->W, matf_at (&self->X, 0, j), m);
  }
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
  if (!low_rank (task->self))
    gather_block (task, first, count);
}

/* All ranks get @A, of which each has the columns of its blocks. */
static void
exchange_columns (MatF *A)
{
  int blocks = (A->cols + BLOCK - 1) / BLOCK;

  for (int block = 0; block < blocks && ranks_count () > 1; block++) {
    int first = block * BLOCK;
    gsize count = (gsize) MIN (BLOCK, A->cols - first);

    ranks_broadcast (matf_at (A, 0, first),
                     count * (gsize) A->rows * sizeof (float),
                     ranks_owner (blocks, block));
  }
}

/* All ranks get M, or the codes, and what is known of the codes. */
static void
exchange_blocks (const PolarTask *task, int blocks)
{
  PolarStep *self = task->self;

  if (low_rank (self)) {
    exchange_columns (&self->C);
    exchange_columns (&self->X);
  } else
    exchange_columns (&self->M);
  for (int block = 0; block < blocks && ranks_count () > 1; block++) {
    int owner = ranks_owner (blocks, block);

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
  matf_clear (&self->C);
  matf_clear (&self->DX);
  self->X = matf_new (samples, self->n);
  if (2 * samples <= self->n) {
    self->C = matf_new (samples, self->n);
    self->DX = matf_new (self->n, samples);
  }
}

/* X = HT_z (D' W), and M = W X' if its rank is not low.  Returns |X|_F^2: the
 * trace of D' W X'. */
static double
code_window (PolarStep *self, const MatF *W, double z, LearnStatus *status)
{
  int blocks = (self->n + BLOCK - 1) / BLOCK;
  g_autofree gsize *kept = g_new0 (gsize, blocks);
  g_autofree double *energy = g_new0 (double, 2 * blocks);
  PolarTask task = { self, W, (float) z, kept, energy, 0 };
  RankPart part = ranks_part (blocks);
  gsize total = 0;
  double before = 0, after = 0;

  make_room (self, W->cols);
  task.first = part.first;
  parallel_for (part.end - part.first, code_and_gather, &task, NULL, NULL);
  exchange_blocks (&task, blocks);
  for (int b = 0; b < blocks; b++) {
    total += kept[b];
    before += energy[2 * b];
    after += energy[2 * b + 1];
  }
  status->density = (double) total / self->n / W->cols;
  status->objective = (before - after + z * z * (double) total) / W->cols;
  status->threshold = z;
  return after;
}

/* ---- the step, where the rank of W X' is low ----
 *
 * D' (W X' + rho D) = C X' + rho I with C = D' W, so that
 *
 *     D <- D (I + [C X] K [C X]') = D + [W DX] K [C X]'.
 */

typedef struct {
  PolarStep *self;
  const MatF *W;
  const MatF *K;
  MatF left; /* [W DX] K, in the place of M */
} LowRankTask;

/* |rho I + C X'|_2, hardly too small. */
static double
estimate_norm (const PolarStep *self, float rho)
{
  int n = self->n, w = self->X.rows;
  g_auto (MatF) v = matf_new (n, 1);
  g_auto (MatF) codes = matf_new (w, 1);
  const MatF *parts[] = { &self->X, &self->C, &self->C, &self->X };
  double norm = 0;

  for (int i = 0; i < n; i++)
    v.data[i] = 1 + (float) (i % 7) / 7; /* anything but a singular vector */
  for (int step = 0; step <= 2 * POWER_STEPS; step++) {
    norm = sqrt (matf_dot (n, v.data, v.data));
    for (int i = 0; i < n; i++)
      v.data[i] /= (float) norm;
    matf_multiply (1, parts[2 * (step % 2)], PLAIN, &v, PLAIN, 0, &codes);
    matf_multiply (1, parts[2 * (step % 2) + 1], TRANSPOSED, &codes, PLAIN,
                   rho, &v);
  }
  return MARGIN * norm;
}

/* K of lowrankpolar.h; FALSE as there. */
static gboolean
make_middle (const PolarStep *self, const MatF *W, float rho, MatF *K)
{
  int w = W->cols;
  g_auto (MatF) product = matf_new (w, w);
  g_auto (Mat) G = mat_new (w, w);
  g_auto (Mat) E = mat_new (w, w);
  g_auto (Mat) F = mat_new (w, w);
  g_auto (Mat) wide = mat_new (2 * w, 2 * w);

  matf_multiply (1, W, TRANSPOSED, W, PLAIN, 0, &product);
  mat_from_float (&product, &G);
  matf_multiply (1, &self->C, PLAIN, &self->X, TRANSPOSED, 0, &product);
  mat_from_float (&product, &E);
  matf_multiply (1, &self->X, PLAIN, &self->X, TRANSPOSED, 0, &product);
  mat_from_float (&product, &F);
  if (!low_rank_polar (&G, &E, &F, rho, estimate_norm (self, rho), LEAST * rho,
                       &wide))
    return FALSE;
  mat_to_float (&wide, K);
  return TRUE;
}

/* DX for a block of samples. */
static void
atoms_by_codes (int block, int worker, gpointer data)
{
  const LowRankTask *task = data;
  PolarStep *self = task->self;
  int first = block * BLOCK, end = MIN (first + BLOCK, self->X.rows);

  (void) worker;
  memset (matf_at (&self->DX, 0, first), 0,
          (gsize) (end - first) * (gsize) self->n * sizeof (float));
  for (int j = 0; j < self->n; j++)
    for (int i = first; i < end; i++)
      if (*matf_at (&self->X, i, j) != 0)
        matf_axpy (self->n, *matf_at (&self->X, i, j),
                   matf_at (&self->D, 0, j), matf_at (&self->DX, 0, i));
}

/* A block of columns of [W DX] K. */
static void
multiply_left (int block, int worker, gpointer data)
{
  const LowRankTask *task = data;
  int w = task->W->cols, first = block * BLOCK;
  int count = MIN (BLOCK, 2 * w - first);
  MatF out = matf_columns (&task->left, first, count);
  MatF top = { matf_at (task->K, 0, first), w, count, task->K->ld };
  MatF bottom = { matf_at (task->K, w, first), w, count, task->K->ld };

  (void) worker;
  matf_multiply (1, task->W, PLAIN, &top, PLAIN, 0, &out);
  matf_multiply (1, &task->self->DX, PLAIN, &bottom, PLAIN, 1, &out);
}

/* A block of atoms of D + left [C X]'. */
static void
move_atoms (int block, int worker, gpointer data)
{
  const LowRankTask *task = data;
  PolarStep *self = task->self;
  int w = task->W->cols, first = block * BLOCK;
  int count = MIN (BLOCK, self->n - first);
  MatF D = matf_columns (&self->D, first, count);
  MatF C = matf_columns (&self->C, first, count);
  MatF by_codes = matf_columns (&task->left, 0, w);
  MatF by_kept = matf_columns (&task->left, w, w);

  (void) worker;
  matf_multiply (1, &by_codes, PLAIN, &C, PLAIN, 1, &D);
  for (int j = first; j < first + count; j++)
    add_sparse (&by_kept, matf_at (&self->X, 0, j), matf_at (&self->D, 0, j));
}

static gboolean
low_rank_step (PolarStep *self, const MatF *W, float rho)
{
  int w = W->cols;
  g_auto (MatF) K = matf_new (2 * w, 2 * w);
  LowRankTask task = { self, W, &K, matf_columns (&self->M, 0, 2 * w) };

  if (!make_middle (self, W, rho, &K))
    return FALSE;
  parallel_for ((w + BLOCK - 1) / BLOCK, atoms_by_codes, &task, NULL, NULL);
  parallel_for ((2 * w + BLOCK - 1) / BLOCK, multiply_left, &task, NULL, NULL);
  parallel_for ((self->n + BLOCK - 1) / BLOCK, move_atoms, &task, NULL, NULL);
  if (++self->steps % REFRESH == 0) {
    memcpy (self->M.data, self->D.data,
            (gsize) self->n * (gsize) self->n * sizeof (float));
    return polar_fast (self->polar, &self->M, LEAST, &self->D);
  }
  return TRUE;
}

/* ---- the step ---- */

static void
gather_again (int block, int worker, gpointer data)
{
  const PolarTask *task = data;
  int first = block * BLOCK;

  (void) worker;
  gather_block (task, first, MIN (BLOCK, task->self->n - first));
}

/* D = Polar (W X' + rho D). */
static gboolean
full_step (PolarStep *self, const MatF *W, float rho)
{
  gsize size = (gsize) self->n * (gsize) self->n;
  PolarTask task = { .self = self, .W = W };

  if (low_rank (self))
    parallel_for ((self->n + BLOCK - 1) / BLOCK, gather_again, &task, NULL,
                  NULL);
  matf_axpy ((int) size, rho, self->D.data, self->M.data);
  return polar_fast (self->polar, &self->M, LEAST * rho, &self->D);
}

/* D = Polar (W X'), the one nearest to the old D where it is not
 * determined. */
static gboolean
published_step (PolarStep *self)
{
  g_auto (Mat) M = mat_new (self->n, self->n);
  g_auto (Mat) D = mat_new (self->n, self->n);

  mat_from_float (&self->M, &M);
  mat_from_float (&self->D, &D);
  if (!polar_svd (&M, &D, SINGULAR, &D))
    return FALSE;
  mat_to_float (&D, &self->D);
  return TRUE;
}

static gboolean
move (PolarStep *self, const MatF *W, float rho)
{
  if (self->textbook && !low_rank (self))
    return published_step (self);
  return (low_rank (self) && low_rank_step (self, W, rho))
         || full_step (self, W, rho);
}

gboolean
polar_step_step (PolarStep *self, const MatF *W, double z, LearnStatus *status)
{
  /* What an atom gains in the mean, near the mean singular value of W X',
   * since D is near its polar factor. */
  double gain = code_window (self, W, z, status) / self->n;
  float rho = (float) ((self->textbook ? HARDLY_KEEP : KEEP_OLD) * gain);

  status->change = 0;
  if (status->density == 0)
    return TRUE;
  memcpy (self->old.data, self->D.data,
          (gsize) self->n * (gsize) self->n * sizeof (float));
  if (!move (self, W, rho))
    return FALSE;
  status->change = spectral_distance_float (&self->D, &self->old);
  return TRUE;
}

gboolean
polar_step_threshold (PolarStep *self, const MatF *W,
                      const LearnOptions *options, Threshold *threshold,
                      GError **error)
{
  g_auto (Mat) C = mat_new (W->cols, self->n);
  LearnStatus unused;

  code_window (self, W, 0, &unused);
  if (!low_rank (self))
    exchange_columns (&self->X);
  mat_from_float (&self->X, &C);
  return threshold_choose (threshold, &C, options, error);
}

void
polar_step_dictionary (const PolarStep *self, const Preconditioner *P, Mat *A)
{
  mat_from_float (&self->D, A);
  preconditioner_unwhiten (P, A);
}
