/* polar.h - the orthonormal factor of a matrix
 *
 * For M = U S V', Polar (M) = U V' is the orthonormal matrix nearest to M, and
 * the one that maximises trace (Q' M).  Where M is singular it is not
 * determined; what is free is then taken as near as possible to a matrix that
 * the caller gives.
 */
#pragma once

#include "base/matrix.h"

/* Q = Polar (M) from the SVD.  Where singular values are below @tolerance
 * times the largest, Q is completed as near as possible to @old, which may be
 * NULL (then arbitrarily) and may be @Q itself.  M is n x n and kept.  FALSE,
 * with @Q as it was, if LAPACK did not converge. */
gboolean polar_svd (const Mat *M, const Mat *old, double tolerance, Mat *Q);

/* Polar factors by products, in float, for well-conditioned matrices.  Holds
 * the workspace. */
typedef struct PolarWorkspace PolarWorkspace;

PolarWorkspace *polar_workspace_new (int n);
void polar_workspace_free (PolarWorkspace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PolarWorkspace, polar_workspace_free)

/* Q = Polar (M), n x n, accurate to about 1e-6 times the condition number of
 * M; @Q may not be @M.  @least is a guess of the smallest singular value of M;
 * a wrong one costs a round or two.
 * A round costs 10/3 n^3 operations; condition number 50 needs 4 rounds.
 * Falls back to the SVD if that does not converge.  FALSE if that fails too,
 * or M is zero or not finite. */
gboolean polar_fast (PolarWorkspace *self, const MatF *M, double least,
                     MatF *Q);

/* How often polar_fast() fell back to the SVD. */
int polar_fallbacks (const PolarWorkspace *self);
