/* codingstage.h - what learners that code by pursuit have in common
 *
 *     Y   n x p samples                D   n x k atoms of length one
 *     X   k x p codes, at most atoms_per_sample non-zeros per column
 *     R   n x p, Y - D X, the residual
 *
 * K-SVD and MOD both repeat: improve D for the codes (their own part), put
 * better atoms in the place of weak ones, code again.  Both minimise
 *
 *     status.objective = |R|_F^2 / p,
 *
 * the mean of |y - D x|^2, measured after coding: it is what the dictionary is
 * worth to the pursuit.  status.density is the share of non-zeros in X.
 *
 * Coding runs in all threads, and each rank codes its own samples; results do
 * not depend on the number of either.
 */
#pragma once

#include "base/ranks.h"
#include "dictlearn/learner.h"
#include "omp/sparse.h"

/* The head of such a learner. */
typedef struct {
  Learner base;
  MatF Y, D, R;
  SparseMat X;
  MatF old; /* D of the step before */

  /* Samples own.first .. own.end - 1 are those of this rank (base/ranks.h):
   * only their columns of X and R are valid here. */
  RankPart own;

  /* Who uses atom j: the entries use[first[j]] .. use[first[j + 1] - 1] of
   * X.index and X.value, in the order of the samples, as far as they are our
   * own; and how many use it, on all ranks. */
  gsize *first;
  gsize *use;
  int *uses;
} CodingStage;

static inline int
coding_stage_uses (const CodingStage *self, int atom)
{
  return self->uses[atom];
}

/* The sample that entry @use of X belongs to. */
static inline int
coding_stage_sample (const CodingStage *self, gsize use)
{
  return (int) (use / (gsize) self->X.capacity);
}

/* For the table of learners: the start that the options ask for, coded. */
gboolean coding_stage_start (Learner *base, GError **error);
void coding_stage_dictionary (const Learner *base, Mat *A);
void coding_stage_clear (Learner *base);

/* The end of a step, once D is improved and R is what X leaves: replaces weak
 * atoms, codes all samples, and sets the status. */
gboolean coding_stage_finish_step (CodingStage *self, GError **error);

/* R = Y - D X, for the own samples. */
void coding_stage_update_residual (CodingStage *self);

/* |R|_F^2 / p, over all ranks. */
double coding_stage_error (const CodingStage *self);
