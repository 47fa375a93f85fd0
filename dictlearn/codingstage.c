/* codingstage.c - coding all samples, and replacing weak atoms
 *
 *     r   column of R, the residual of sample y
 *
 * An atom is weak when few samples use it, or when another atom points the
 * same way.  Before coding it moves to the sample that is represented worst;
 * no sample is used twice in one step.  Where learning started from samples,
 * it moves to y / |y|.  Else it moves to r / |r|: photographs are mostly
 * brightness, which the cosines have, and r is what they lack.  r leaves less
 * of the training patches in both cases (2 and 8 %), but the first dictionary
 * restores worse with it, by up to 0.5 dB where atoms are few
 * (docs/negative-results.md).
 *
 * With options.textbook weak atoms stay.
 *
 * After coding, an atom may still be unused.  It moves to y / |y| of the worst
 * sample, which is then coded by it alone.  X stays valid and |R| falls, so a
 * learner never ends with a dead atom while there are samples that are not
 * represented exactly.
 */
#include "dictlearn/codingstage.h"

#include "base/error.h"

#include "base/parallel.h"
#include "omp/pursuit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Atoms with less than this share of the mean number of uses are weak.
 * Measured on landscape patches: 0.15 to 0.3 are alike; with 0.05 a start from
 * data ends 2 % worse; with 0.5 good atoms are moved, and nothing settles. */
#define WEAK_SHARE 0.2

/* Atoms whose inner product is larger point the same way. */
#define SAME_DIRECTION 0.99f

/* A sample is represented exactly when no more than this share of its energy
 * is left; what is left is then rounding. */
#define EXACT 1e-10

/* Samples per chunk of work. */
#define CHUNK 256

/* ---- codes ---- */

static void
residual_chunk (int chunk, int worker, gpointer data)
{
  CodingStage *self = data;
  int first = self->own.first + chunk * CHUNK;
  int end = MIN (self->own.end, first + CHUNK);

  (void) worker;
  for (int p = first; p < end; p++) {
    const float *y = matf_at (&self->Y, 0, p);
    float *r = matf_at (&self->R, 0, p);

    sparse_apply (&self->D, &self->X, p, r);
    for (int i = 0; i < self->Y.rows; i++)
      r[i] = y[i] - r[i];
  }
}

void
coding_stage_update_residual (CodingStage *self)
{
  int count = self->own.end - self->own.first;

  parallel_for ((count + CHUNK - 1) / CHUNK, residual_chunk, self, NULL, NULL);
}

static double
energy (const MatF *A, int col)
{
  const float *a = matf_at (A, 0, col);
  double sum = 0;

  for (int i = 0; i < A->rows; i++)
    sum += (double) a[i] * a[i];
  return sum;
}

double
coding_stage_error (const CodingStage *self)
{
  int samples = self->R.cols, shards = ranks_shards (samples);
  RankPart part = ranks_part (shards);
  g_autoptr (RankSum) sum = rank_sum_new (RANK_SUM_DOUBLE, 1, shards);

  for (int shard = part.first; shard < part.end; shard++) {
    int end = ranks_first_sample (samples, shards, shard + 1);
    double *value = rank_sum_next (sum);

    for (int p = ranks_first_sample (samples, shards, shard); p < end; p++)
      *value += energy (&self->R, p);
  }
  return *(double *) rank_sum_finish (sum) / samples;
}

/* Lists the uses of all atoms: counts, their running sums, then the entries
 * in the order of the samples.  Other ranks have uses too. */
static void
list_uses (CodingStage *self)
{
  const SparseMat *X = &self->X;
  gsize *first = self->first;

  memset (first, 0, (gsize) (X->rows + 1) * sizeof (gsize));
  for (int p = self->own.first; p < self->own.end; p++)
    for (int s = 0; s < X->count[p]; s++)
      first[sparse_index (X, p)[s] + 1]++;
  for (int j = 0; j < X->rows; j++) {
    self->uses[j] = (int) first[j + 1];
    first[j + 1] += first[j];
  }
  ranks_add_counts (self->uses, X->rows);
  for (int p = self->own.first; p < self->own.end; p++)
    for (int s = 0; s < X->count[p]; s++)
      self->use[first[sparse_index (X, p)[s]]++] =
        (gsize) p * (gsize) X->capacity + (gsize) s;
  /* Each first[j] has now moved to where first[j + 1] was. */
  memmove (first + 1, first, (gsize) X->rows * sizeof (gsize));
  first[0] = 0;
}

static gboolean
encode (CodingStage *self, GError **error)
{
  g_autoptr (Pursuit) pursuit = pursuit_new (&self->D, error);
  PursuitOptions options = { .max_atoms = self->X.capacity };
  int first = self->own.first, count = self->own.end - first;
  MatF Y = matf_columns (&self->Y, first, count);
  SparseMat X = sparse_columns (&self->X, first, count);

  if (pursuit == NULL
      || !pursuit_encode (pursuit, &Y, NULL, &options, &X, NULL, error))
    return FALSE;
  coding_stage_update_residual (self);
  list_uses (self);
  return TRUE;
}

/* ---- replacing weak atoms ---- */

typedef struct {
  double error;
  int sample;
} Candidate;

/* Samples from the worst represented on. */
typedef struct {
  Candidate *list;
  int next, count;
} Candidates;

static int
compare_candidates (const void *a, const void *b)
{
  const Candidate *x = a, *y = b;

  if (x->error != y->error)
    return x->error < y->error ? 1 : -1;
  return (x->sample > y->sample) - (x->sample < y->sample);
}

static void
candidates_init (Candidates *candidates, const CodingStage *self)
{
  int count = 0, samples = self->Y.cols;
  g_autofree double *errors = g_new (double, MAX (1, samples));

  for (int p = self->own.first; p < self->own.end; p++) {
    double error = energy (&self->R, p);

    errors[p] = error > EXACT * energy (&self->Y, p) ? error : 0;
  }
  ranks_exchange_samples (errors, sizeof *errors, samples);
  candidates->list = g_new (Candidate, MAX (1, samples));
  for (int p = 0; p < samples; p++)
    if (errors[p] > 0)
      candidates->list[count++] = (Candidate){ errors[p], p };
  qsort (candidates->list, (gsize) count, sizeof (Candidate),
         compare_candidates);
  candidates->next = 0;
  candidates->count = count;
}

static void
candidates_clear (Candidates *candidates)
{
  g_clear_pointer (&candidates->list, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Candidates, candidates_clear)

/* Whether an atom other than @atom points the same way as @y, which has
 * length one. */
static gboolean
resembles_another (const CodingStage *self, int atom, const MatF *y)
{
  g_auto (MatF) products = matf_new (self->D.cols, 1);

  matf_multiply (1, &self->D, TRANSPOSED, y, PLAIN, 0, &products);
  for (int j = 0; j < self->D.cols; j++)
    if (j != atom && fabsf (products.data[j]) > SAME_DIRECTION)
      return TRUE;
  return FALSE;
}

/* y = column @p of @from, Y or R, which only its owner may have. */
static void
fetch_column (const CodingStage *self, const MatF *from, int p, MatF *y)
{
  gsize size = (gsize) from->rows * sizeof (float);

  memcpy (y->data, matf_at (from, 0, p), size);
  if (from == &self->R)
    ranks_broadcast (y->data, size, ranks_owner_of_sample (from->cols, p));
}

/* Moves @atom to the direction of the next candidate's column of @from, Y or
 * R, that no other atom resembles.  Returns the sample; or -1, with the atom
 * as it was, when there is none. */
static int
move_atom (CodingStage *self, int atom, const MatF *from,
           Candidates *candidates)
{
  g_auto (MatF) y = matf_new (from->rows, 1);

  while (candidates->next < candidates->count) {
    int p = candidates->list[candidates->next++].sample;
    float scale;

    fetch_column (self, from, p, &y);
    scale = (float) (1 / sqrt (energy (&y, 0)));
    for (int i = 0; i < y.rows; i++)
      y.data[i] *= scale;
    if (!resembles_another (self, atom, &y)) {
      memcpy (matf_at (&self->D, 0, atom), y.data,
              (gsize) y.rows * sizeof (float));
      return p;
    }
  }
  return -1;
}

/* An atom without information becomes a unit vector. */
static void
fill_in_zero_atom (CodingStage *self, int atom)
{
  if (energy (&self->D, atom) == 0)
    *matf_at (&self->D, atom % self->D.rows, atom) = 1;
}

/* The number of non-zeros of X, on all ranks. */
static gint64
count_uses (const CodingStage *self)
{
  gint64 count = 0;

  for (int j = 0; j < self->D.cols; j++)
    count += coding_stage_uses (self, j);
  return count;
}

/* Marks atoms that few samples use, and of two that point the same way the
 * less used one. */
static void
mark_weak_atoms (const CodingStage *self, gboolean *weak)
{
  int k = self->D.cols;
  g_auto (MatF) gram = matf_new (k, k);
  double few = WEAK_SHARE * (double) count_uses (self) / k;

  matf_multiply (1, &self->D, TRANSPOSED, &self->D, PLAIN, 0, &gram);
  for (int j = 0; j < k; j++)
    weak[j] = coding_stage_uses (self, j) < few;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < j; i++)
      if (!weak[i] && !weak[j]
          && fabsf (*matf_at (&gram, i, j)) > SAME_DIRECTION)
        weak[coding_stage_uses (self, i) < coding_stage_uses (self, j) ? i
                                                                       : j] =
          TRUE;
}

/* Before coding; X and R no longer fit D then. */
static void
replace_weak_atoms (CodingStage *self)
{
  g_autofree gboolean *weak = g_new (gboolean, self->D.cols);
  g_auto (Candidates) candidates = { 0 };
  const MatF *from =
    self->base.options.init == INIT_DATA ? &self->Y : &self->R;

  mark_weak_atoms (self, weak);
  candidates_init (&candidates, self);
  for (int j = 0; j < self->D.cols; j++)
    if (weak[j] && move_atom (self, j, from, &candidates) < 0)
      fill_in_zero_atom (self, j);
}

/* Codes sample @p by @atom, which points to it, alone. */
static void
code_by_one_atom (CodingStage *self, int p, int atom)
{
  self->X.count[p] = 1;
  sparse_index (&self->X, p)[0] = atom;
  sparse_value (&self->X, p)[0] = (float) sqrt (energy (&self->Y, p));
  memset (matf_at (&self->R, 0, p), 0, (gsize) self->R.rows * sizeof (float));
}

/* Moves @atom to the worst sample and gives it a use.  FALSE when no sample is
 * left. */
static gboolean
reuse_atom (CodingStage *self, int atom, Candidates *candidates)
{
  int p = move_atom (self, atom, &self->Y, candidates);

  if (p >= 0)
    code_by_one_atom (self, p, atom);
  else
    fill_in_zero_atom (self, atom);
  return p >= 0;
}

/* After coding.  A sample that is coded by one atom may have been the last use
 * of another, hence the rounds; they use samples up, so they end. */
static void
reuse_unused_atoms (CodingStage *self)
{
  g_auto (Candidates) candidates = { 0 };
  gboolean changed;

  do {
    changed = FALSE;
    for (int j = 0; j < self->D.cols; j++)
      if (coding_stage_uses (self, j) == 0) {
        if (candidates.list == NULL)
          candidates_init (&candidates, self);
        changed |= reuse_atom (self, j, &candidates);
      }
    if (changed)
      list_uses (self);
  } while (changed);
}

/* ---- the learner ---- */

/* |D - old|_F; then D is the old one. */
static double
measure_change (CodingStage *self)
{
  double sum = 0;

  for (int j = 0; j < self->D.cols; j++)
    for (int i = 0; i < self->D.rows; i++) {
      double difference =
        *matf_at (&self->D, i, j) - *matf_at (&self->old, i, j);

      sum += difference * difference;
      *matf_at (&self->old, i, j) = *matf_at (&self->D, i, j);
    }
  return sqrt (sum);
}

static gboolean
code_and_measure (CodingStage *self, GError **error)
{
  LearnStatus *status = &self->base.status;

  if (!encode (self, error))
    return FALSE;
  reuse_unused_atoms (self);
  status->objective = coding_stage_error (self);
  status->density = (double) count_uses (self) / self->X.rows / self->X.cols;
  status->change = measure_change (self);
  return TRUE;
}

gboolean
coding_stage_start (Learner *base, GError **error)
{
  CodingStage *self = (CodingStage *) base;
  int n = base->n, k = base->k, p = base->Y.cols;
  int capacity = base->options.atoms_per_sample;
  g_auto (Mat) D = mat_new (n, k);

  if (!learner_initial_dictionary (base, &base->Y, &D, error))
    return FALSE;
  self->D = matf_new (n, k);
  self->old = matf_new (n, k);
  self->own = ranks_samples (p);
  self->uses = g_new0 (int, k);
  self->first = g_new0 (gsize, k + 1);
  self->use = tessera_try_new (gsize, (gsize) p * (gsize) capacity,
                               "the uses of atoms", error);
  if (self->use == NULL || !matf_try_new (&self->Y, n, p, error)
      || !matf_try_new (&self->R, n, p, error)
      || !sparse_try_new (&self->X, k, p, capacity, error))
    return FALSE;
  mat_to_float (&D, &self->D);
  mat_to_float (&base->Y, &self->Y);
  return code_and_measure (self, error);
}

gboolean
coding_stage_finish_step (CodingStage *self, GError **error)
{
  if (!self->base.options.textbook)
    replace_weak_atoms (self);
  return code_and_measure (self, error);
}

void
coding_stage_dictionary (const Learner *base, Mat *A)
{
  mat_from_float (&((const CodingStage *) base)->D, A);
}

void
coding_stage_clear (Learner *base)
{
  CodingStage *self = (CodingStage *) base;

  matf_clear (&self->Y);
  matf_clear (&self->D);
  matf_clear (&self->R);
  matf_clear (&self->old);
  sparse_clear (&self->X);
  g_clear_pointer (&self->first, g_free);
  g_clear_pointer (&self->use, g_free);
  g_clear_pointer (&self->uses, g_free);
}
