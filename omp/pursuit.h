/* pursuit.h - sparse coding by orthogonal matching pursuit
 *
 * For each column y of Y with sample weights w, look for a sparse x with
 * y ~ D x on the samples that count:
 *
 *     minimise  |y - D x|_w^2 + sum_j ridge_j x_j^2
 *     subject to  |x|_0 <= max_atoms,       |r|_w^2 = sum_i w_i r_i^2,
 *
 * stopping as soon as |y - D x|_w^2 <= max_error sum_i w_i.  A weight of 0
 * hides a sample, 1 trusts it.  Atoms compete by what they explain of the
 * samples that count, as if they were scaled to length one there; the codes
 * are for the atoms as they are, so D x also predicts the hidden samples.
 */
#pragma once

#include "base/matrix.h"
#include "base/progress.h"
#include "omp/sparse.h"

typedef struct {
  int max_atoms;      /* most non-zeros per column, 1 .. columns of D */
  double max_error;   /* mean squared residual at which a column is done */
  const float *ridge; /* one penalty >= 0 per atom; NULL for none */
} PursuitOptions;

/* A coder for one dictionary.  Holds D'D, once it is needed, which is what
 * makes a batch cheap.  Threads may share it. */
typedef struct Pursuit Pursuit;

/* @D is n x k with columns of length one, and is copied.
 * Returns a coder that the caller owns; NULL with @error set: MEMORY. */
Pursuit *pursuit_new (const MatF *D, GError **error);

/* @self may be NULL. */
void pursuit_free (Pursuit *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pursuit, pursuit_free)

/* Codes every column of @Y into the same column of @X, whose old content is
 * dropped and whose capacity is at least max_atoms.  @weights is as large as
 * @Y, with entries 0 .. 1; NULL means that all samples count fully.  Samples
 * with weight 0 never affect the result.  The result is the same for any
 * number of threads.
 *
 * Cost per column, for s atoms: without weights 2 n k + s^2 k operations, with
 * weights 2 (s + 1) m k + 2 s^2 m, where m samples have a weight above 0.
 *
 * @progress may be NULL; it is asked every few milliseconds.
 * Returns FALSE with @error set, and @X undefined: INPUT when a sample that
 * counts is not finite, MEMORY, CANCELLED. */
gboolean pursuit_encode (const Pursuit *self, const MatF *Y,
                         const MatF *weights, const PursuitOptions *options,
                         SparseMat *X, const Progress *progress,
                         GError **error);
