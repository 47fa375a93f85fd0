/* pursuitprivate.h - what the files of the pursuit share; for omp/ only
 *
 * There are two ways to take the same steps.  Without weights all signals
 * share the Gram matrix D'D, and everything is computed from it (gram.c).
 * With weights each signal has a Gram matrix of its own, too costly to
 * compute; there the atoms and the residual themselves are used (masked.c).
 *
 * Both orthogonalise the chosen atoms d_1 .. d_s without scaling them,
 *     v_s = d_s - sum_{i<s} l_si v_i,     l_si = v_i'd_s / |v_i|^2,
 * so that the projection of y is sum z_i v_i with z_i = v_i'y / |v_i|^2: a new
 * atom changes no old z.  The codes, which belong to the atoms, solve a unit
 * triangle at the end:  x_i = z_i - sum_{s>i} l_si x_s.
 *
 * The ridge adds one coordinate for each atom, in which that atom is
 * sqrt (ridge_j), all other atoms are 0 and all signals are 0: the squared
 * length of the residual in the larger space is the objective of pursuit.h.
 */
#pragma once

#include "base/parallel.h"
#include "omp/kernels.h"
#include "omp/pursuit.h"

/* An atom of which the samples that count show less than this (of 1) is not
 * chosen: its coefficient would be noise. */
#define LEAST_SEEN 1e-6f

/* An atom whose part outside the span of the chosen ones is smaller than this
 * is taken to depend on them. */
#define DEPENDENT 1e-6f

/* A gain smaller than this share of the signal is rounding. */
#define LEAST_GAIN 1e-11

struct Pursuit {
  MatF D;
  MatF rows;    /* D', k x n, padded */
  MatF squares; /* its entries squared: times w they are the atoms' norms */
  GMutex lock;
  MatF gram; /* D'D, padded; empty until pursuit_make_gram() */
  const Kernels *kernels;
};

typedef struct {
  const Pursuit *self;
  const MatF *Y, *weights;
  const PursuitOptions *options;
  SparseMat *X;
} PursuitTask;

/* Multiplications after which a chunk asks whether the work goes on: some
 * milliseconds. */
#define WORK_PER_STEP 1e7

/* Counts @work in *@done, and asks now and then; FALSE when the chunk is to
 * return, with its columns in any state. */
static inline gboolean
pursuit_goes_on (double *done, double work)
{
  *done += work;
  if (*done < WORK_PER_STEP)
    return TRUE;
  *done = 0;
  return parallel_goes_on (NULL);
}

typedef struct {
  int chunk; /* most columns at a time */

  /* What one thread needs for chunks of up to @cols columns.  NULL with @error
   * set: MEMORY. */
  gpointer (*workspace_new) (const PursuitTask *task, int cols,
                             GError **error);
  void (*workspace_free) (gpointer workspace);

  /* Codes the @cols columns from @first on. */
  void (*encode) (const PursuitTask *task, gpointer workspace, int first,
                  int cols);
} PursuitMethod;

extern const PursuitMethod pursuit_gram_method, pursuit_masked_method;

/* Computes D'D unless that was done before; by any thread.  FALSE with @error
 * set: MEMORY, CANCELLED. */
gboolean pursuit_make_gram (const Pursuit *self, const Progress *progress,
                            GError **error);

/* A zero matrix for kernels: columns padded and aligned as they require.  FALSE
 * with @error set (MEMORY) and @A empty when there is not enough. */
gboolean padded_try_new (MatF *A, int rows, int cols, GError **error);

/* 1 / (@seen + ridge_j) for atom @j, of which the samples that count show
 * @seen; 0 if that is too little to choose it. */
static inline float
atom_scale (const PursuitOptions *options, int j, float seen)
{
  float ridge = options->ridge != NULL ? options->ridge[j] : 0;

  return seen < LEAST_SEEN ? 0 : 1 / (seen + ridge);
}

/* x_i = z_i - sum_{s>i} l_si x_s,  where column s of @L holds l_s. */
void solve_codes (const MatF *L, int count, const float *z, double *x);

/* Writes the values of column @col of X, whose atoms are there already.  @x is
 * scratch space for them. */
void write_codes (const PursuitTask *task, const MatF *L, const float *z,
                  double *x, int col);
