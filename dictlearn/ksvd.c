/* ksvd.c - K-SVD
 *
 *     d   an atom, length one       I   samples that use it
 *     g   its codes for them        E   R_I + d g', what the other atoms leave
 *
 * One atom after the other is improved together with its codes:
 *     minimise |E - d g'|_F   over d with |d| = 1 and over g.
 * Exactly, that is the leading pair of singular vectors of E (Aharon, Elad,
 * Bruckstein, "K-SVD", 2006).  One alternating step from the current g,
 *     d = E g / |E g|,   g = E' d,
 * is the approximate update (Rubinstein, Zibulevsky, Elad, "Efficient
 * implementation of the K-SVD algorithm using batch OMP", 2008).  R is kept up
 * to date, so that an update touches only the columns I:
 *     E g = R_I g + |g|^2 d.
 */
#include "dictlearn/ksvd.h"

#include "base/factor.h"
#include "dictlearn/learner.h"

#include <string.h>

/* Approximate sweeps over all atoms after each coding.  A sweep costs a fifth
 * of a coding.  Measured on landscape patches, 20 iterations: three sweeps
 * leave 0.7 % less than one, and five leave what three do. */
#define SWEEPS 3

/* Sums of products run in this many lanes: without -ffast-math, compilers use
 * vector instructions only for an order of additions that is written down. */
#define LANES 16

static float
dot (const float *a, const float *b, int n)
{
  float lane[LANES] = { 0 }, sum = 0;
  int i = 0;

  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += a[i + l] * b[i + l];
  for (int l = 0; l < LANES; l++)
    sum += lane[l];
  for (; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static float *
residual_of (const CodingStage *self, gsize use)
{
  return matf_at (&self->R, 0, coding_stage_sample (self, use));
}

/* Puts @d, of any length, in place of @atom: with d of length one,
 *     g = E' d,   R_I = E - d g',
 * one column of E at a time.  A zero @d changes nothing. */
static void
replace_atom (CodingStage *self, int atom, Mat *d)
{
  int n = self->D.rows;
  float *old = matf_at (&self->D, 0, atom);
  g_auto (MatF) new = matf_new (n, 1);

  mat_normalise_columns (d);
  if (mat_dot (d, d) == 0)
    return;
  mat_to_float (d, &new);
  for (gsize i = self->first[atom]; i < self->first[atom + 1]; i++) {
    gsize use = self->use[i];
    float *r = residual_of (self, use);
    float *g = &self->X.value[use];

    matf_axpy (n, *g, old, r);
    *g = dot (new.data, r, n);
    matf_axpy (n, -*g, new.data, r);
  }
  memcpy (old, new.data, (gsize) n * sizeof (float));
}

/* d = R_I g + |g|^2 d.  A shard's share of R_I g and |g|^2 make one vector of
 * a sum over shards. */
static void
best_atom_for_codes (const CodingStage *self, int atom, Mat *d)
{
  int n = self->D.rows, p = self->Y.cols, shards = ranks_shards (p);
  RankPart part = ranks_part (shards);
  gsize i = self->first[atom], last = self->first[atom + 1];
  g_autoptr (RankSum) sum =
    rank_sum_new (RANK_SUM_FLOAT, (gsize) n + 1, shards);
  MatF total;

  for (int shard = part.first; shard < part.end; shard++) {
    int end = ranks_first_sample (p, shards, shard + 1);
    float *share = rank_sum_next (sum);
    double energy = 0;

    for (; i < last && coding_stage_sample (self, self->use[i]) < end; i++) {
      float g = self->X.value[self->use[i]];

      matf_axpy (n, g, residual_of (self, self->use[i]), share);
      energy += (double) g * g;
    }
    share[n] = (float) energy;
  }
  total = (MatF){ rank_sum_finish (sum), n, 1, n };
  matf_axpy (n, total.data[n], matf_at (&self->D, 0, atom), total.data);
  mat_from_float (&total, d);
}

void
ksvd_update_approximately (CodingStage *self, int atom)
{
  g_auto (Mat) d = mat_new (self->D.rows, 1);

  best_atom_for_codes (self, atom, &d);
  replace_atom (self, atom, &d);
}

/* The columns of E that come from all ranks, in the order of the samples. */
static void
exchange_columns (const CodingStage *self, int atom, Mat *E)
{
  Mat own = *E;
  int column = 0;

  *E = mat_new (own.rows, self->uses[atom]);
  for (int rank = 0; rank < ranks_count (); rank++) {
    int count = own.cols;
    gsize size;

    ranks_broadcast (&count, sizeof count, rank);
    size = (gsize) count * (gsize) own.rows * sizeof (double);
    if (rank == ranks_self () && count > 0)
      memcpy (mat_at (E, 0, column), own.data, size);
    ranks_broadcast (mat_at (E, 0, column), size, rank);
    column += count;
  }
  mat_clear (&own);
}

/* E = R_I + d g'. */
static Mat
error_matrix (const CodingStage *self, int atom)
{
  const float *d = matf_at (&self->D, 0, atom);
  gsize first = self->first[atom];
  Mat E = mat_new (self->D.rows, (int) (self->first[atom + 1] - first));

  for (int c = 0; c < E.cols; c++) {
    gsize use = self->use[first + (gsize) c];
    const float *r = residual_of (self, use);
    double g = self->X.value[use];

    for (int i = 0; i < E.rows; i++)
      *mat_at (&E, i, c) = r[i] + g * d[i];
  }
  if (ranks_count () > 1)
    exchange_columns (self, atom, &E);
  return E;
}

/* d = the left singular vector of @E to its largest singular value, of any
 * length and sign.  With more rows than columns it comes from the right one:
 * d = E v. */
static gboolean
leading_singular_vector (const Mat *E, Mat *d)
{
  int m = MIN (E->rows, E->cols);
  g_auto (Mat) gram = mat_new (m, m);
  g_auto (Mat) v = mat_new (m, 1);

  if (E->rows <= E->cols) {
    mat_multiply (1, E, PLAIN, E, TRANSPOSED, 0, &gram);
    return factor_leading_eigenvector (&gram, d->data);
  }
  mat_multiply (1, E, TRANSPOSED, E, PLAIN, 0, &gram);
  if (!factor_leading_eigenvector (&gram, v.data))
    return FALSE;
  mat_multiply (1, E, PLAIN, &v, PLAIN, 0, d);
  return TRUE;
}

/* Gives @d the sign that is nearer to @atom, so that status.change measures
 * how far atoms turn. */
static void
choose_sign (const CodingStage *self, int atom, Mat *d)
{
  double product = 0;

  for (int i = 0; i < d->rows; i++)
    product += d->data[i] * *matf_at (&self->D, i, atom);
  for (int i = 0; i < d->rows && product < 0; i++)
    d->data[i] = -d->data[i];
}

gboolean
ksvd_update_exactly (CodingStage *self, int atom)
{
  g_auto (Mat) d = mat_new (self->D.rows, 1);
  g_auto (Mat) E = error_matrix (self, atom);

  if (E.cols == 0)
    return TRUE;
  if (!leading_singular_vector (&E, &d))
    return FALSE;
  choose_sign (self, atom, &d);
  replace_atom (self, atom, &d);
  return TRUE;
}

/* ---- the learner ---- */

static void
sweep_approximately (CodingStage *self)
{
  for (int j = 0; j < self->D.cols; j++)
    ksvd_update_approximately (self, j);
}

static gboolean
sweep_exactly (CodingStage *self, GError **error)
{
  for (int j = 0; j < self->D.cols; j++)
    if (!ksvd_update_exactly (self, j))
      return learner_failed (error);
  return TRUE;
}

static gboolean
ksvd_step (Learner *base, GError **error)
{
  CodingStage *self = (CodingStage *) base;
  int sweeps = base->options.textbook ? 1 : SWEEPS;

  if (base->options.exact_update) {
    if (!sweep_exactly (self, error))
      return FALSE;
  } else
    for (int sweep = 0; sweep < sweeps; sweep++)
      sweep_approximately (self);
  return coding_stage_finish_step (self, error);
}

const LearnerClass learner_ksvd = {
  .name = "ksvd",
  .init = INIT_DATA,
  .iterations = 20,
  .summary = "K-SVD: pursuit, then one atom after the other",
  .size = sizeof (CodingStage),
  .start = coding_stage_start,
  .step = ksvd_step,
  .dictionary = coding_stage_dictionary,
  .clear = coding_stage_clear,
};
