/* factor.h - parts of factorisations, by LAPACK */
#pragma once

#include "base/matrix.h"

/* The eigenvector of length one for the largest eigenvalue of the symmetric
 * matrix @A, n x n (lower triangle read), which is overwritten.  Its sign is
 * arbitrary.  FALSE if LAPACK did not converge. */
gboolean factor_leading_eigenvector (Mat *A, double *vector);
