/* mod.c - the method of optimal directions (Engan, Aase, Husoy, 1999)
 *
 *     Y   n x p samples      D   n x k atoms
 *     X   k x p codes        R   Y - D X
 *
 * With the codes fixed, all atoms at once move to the minimum of |Y - D X|_F:
 *     D <- Y X' (X X')^-1  =  D + R X' (X X')^-1.
 * The second form is the one to compute: R is small, so float is enough for R
 * X', and with a ridge on X X' atoms without uses stay instead of vanishing.
 * Then atoms are scaled to length one and the rows of X the other way.
 *
 * A step costs 2 n s operations for the s non-zeros of X, k^3 / 3 + 2 n k^2
 * for the solves, and a coding.
 */
#include "dictlearn/codingstage.h"

#include "base/cholesky.h"
#include "base/parallel.h"
#include "dictlearn/learner.h"

#include <math.h>

/* The ridge, relative to the mean of the diagonal of X X': far below the codes
 * of any atom that is used, far above what double loses. */
#define RIDGE 1e-9

/* Atoms per chunk of work. */
#define CHUNK 32

typedef struct {
  const CodingStage *self;
  MatF product; /* R X' */
} Gathering;

static void
gather_chunk (int chunk, int worker, gpointer data)
{
  Gathering *task = data;
  const CodingStage *self = task->self;
  int end = MIN (self->D.cols, (chunk + 1) * CHUNK);

  (void) worker;
  for (int j = chunk * CHUNK; j < end; j++)
    for (gsize i = self->first[j]; i < self->first[j + 1]; i++)
      matf_axpy (
        self->R.rows, self->X.value[self->use[i]],
        matf_at (&self->R, 0, coding_stage_sample (self, self->use[i])),
        matf_at (&task->product, 0, j));
}

/* (R X')', k x n: the right-hand sides, one per column. */
static Mat
right_hand_sides (const CodingStage *self)
{
  int n = self->D.rows, k = self->D.cols;
  Mat B = mat_new (k, n);
  Gathering task = { self, matf_new (n, k) };

  parallel_for ((k + CHUNK - 1) / CHUNK, gather_chunk, &task, NULL, NULL);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++)
      *mat_at (&B, j, i) = *matf_at (&task.product, i, j);
  matf_clear (&task.product);
  return B;
}

/* X X' + ridge. */
static Mat
gram_of_codes (const SparseMat *X)
{
  Mat G = mat_new (X->rows, X->rows);
  double trace = 0;

  for (int p = 0; p < X->cols; p++) {
    const int *index = sparse_index (X, p);
    const float *value = sparse_value (X, p);

    for (int s = 0; s < X->count[p]; s++)
      for (int t = 0; t < X->count[p]; t++)
        *mat_at (&G, index[s], index[t]) += (double) value[s] * value[t];
  }
  for (int j = 0; j < G.rows; j++)
    trace += *mat_at (&G, j, j);
  for (int j = 0; j < G.rows; j++)
    *mat_at (&G, j, j) += trace > 0 ? RIDGE * trace / G.rows : 1;
  return G;
}

/* Scales atom @j to length one, and its codes the other way. */
static void
normalise_atom (CodingStage *self, int j)
{
  float *d = matf_at (&self->D, 0, j);
  double norm = 0;

  for (int i = 0; i < self->D.rows; i++)
    norm += (double) d[i] * d[i];
  norm = sqrt (norm);
  if (norm == 0)
    return;
  for (int i = 0; i < self->D.rows; i++)
    d[i] = (float) (d[i] / norm);
  for (gsize i = self->first[j]; i < self->first[j + 1]; i++)
    self->X.value[self->use[i]] *= (float) norm;
}

static gboolean
mod_step (Learner *base, GError **error)
{
  CodingStage *self = (CodingStage *) base;
  g_auto (Mat) G = gram_of_codes (&self->X);
  g_auto (Mat) B = right_hand_sides (self);

  if (!cholesky_factor (&G))
    return learner_failed (error);
  for (int i = 0; i < B.cols; i++) {
    cholesky_solve (&G, B.rows, mat_at (&B, 0, i));
    for (int j = 0; j < B.rows; j++)
      *matf_at (&self->D, i, j) += (float) *mat_at (&B, j, i);
  }
  for (int j = 0; j < B.rows; j++)
    normalise_atom (self, j);
  coding_stage_update_residual (self);
  return coding_stage_finish_step (self, error);
}

const LearnerClass learner_mod = {
  .name = "mod",
  .init = INIT_DATA,
  .iterations = 20,
  .summary = "method of optimal directions: pursuit, then all atoms at once",
  .size = sizeof (CodingStage),
  .start = coding_stage_start,
  .step = mod_step,
  .dictionary = coding_stage_dictionary,
  .clear = coding_stage_clear,
};
