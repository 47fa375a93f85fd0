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
 * NULL (then anyhow) and may be @Q itself.  M is n x n and kept.
 * FALSE, with @Q as it was, if LAPACK did not converge. */
gboolean polar_svd (const Mat *M, const Mat *old, double tolerance, Mat *Q);
