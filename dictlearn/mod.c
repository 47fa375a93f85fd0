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
#include "dictlearn/learner.h"

#include <math.h>

/* The ridge, relative to the mean of the diagonal of X X': far below the codes
 * of any atom that is used, far above what double loses. */
#define RIDGE 1e-9

/* Adds R X' of samples @first .. @end - 1 to @sum, n x k. */
static void
add_products (const CodingStage *self, int first, int end, float *sum)
{
  const SparseMat *X = &self->X;
  int n = self->R.rows;

  for (int p = first; p < end; p++)
    for (int s = 0; s < X->count[p]; s++)
      matf_axpy (n, sparse_value (X, p)[s], matf_at (&self->R, 0, p),
                 sum + (gsize) sparse_index (X, p)[s] * (gsize) n);
}

/* (R X')', k x n: the right-hand sides, one per column. */
static Mat
right_hand_sides (const CodingStage *self)
{
  int n = self->D.rows, k = self->D.cols;
  int samples = self->Y.cols, shards = ranks_shards (samples);
  RankPart part = ranks_part (shards);
  g_autoptr (RankSum) sum =
    rank_sum_new (RANK_SUM_FLOAT, (gsize) n * (gsize) k, shards);
  Mat B = mat_new (k, n);
  MatF product;

  for (int shard = part.first; shard < part.end; shard++)
    add_products (self, ranks_first_sample (samples, shards, shard),
                  ranks_first_sample (samples, shards, shard + 1),
                  rank_sum_next (sum));
  product = (MatF){ rank_sum_finish (sum), n, k, n };
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++)
      *mat_at (&B, j, i) = *matf_at (&product, i, j);
  return B;
}

/* Adds X X' of samples @first .. @end - 1 to @sum, k x k. */
static void
add_gram (const SparseMat *X, int first, int end, double *sum)
{
  for (int p = first; p < end; p++) {
    const int *index = sparse_index (X, p);
    const float *value = sparse_value (X, p);

    for (int s = 0; s < X->count[p]; s++)
      for (int t = 0; t < X->count[p]; t++)
        sum[(gsize) index[t] * (gsize) X->rows + (gsize) index[s]] +=
          (double) value[s] * value[t];
  }
}

/* X X' + ridge. */
static Mat
gram_of_codes (const SparseMat *X)
{
  int k = X->rows, shards = ranks_shards (X->cols);
  RankPart part = ranks_part (shards);
  g_autoptr (RankSum) sum =
    rank_sum_new (RANK_SUM_DOUBLE, (gsize) k * (gsize) k, shards);
  Mat G = mat_new (k, k), total;
  double trace = 0;

  for (int shard = part.first; shard < part.end; shard++)
    add_gram (X, ranks_first_sample (X->cols, shards, shard),
              ranks_first_sample (X->cols, shards, shard + 1),
              rank_sum_next (sum));
  total = (Mat){ rank_sum_finish (sum), k, k, k };
  mat_copy (&total, &G);
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
  cholesky_solve_columns (&G, &B);
  for (int i = 0; i < B.cols; i++)
    for (int j = 0; j < B.rows; j++)
      *matf_at (&self->D, i, j) += (float) *mat_at (&B, j, i);
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
