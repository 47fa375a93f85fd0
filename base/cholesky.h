/* cholesky.h - Cholesky factors, made once and kept up to date
 *
 * L is n x n, lower triangular with positive diagonal, and A = L L'.  Only the
 * lower triangle is read and written.  The *_upper functions have A = U U'
 * with U upper triangular instead.
 */
#pragma once

#include "base/matrix.h"

/* Replaces the lower triangle of @A by its factor.  FALSE if @A is not
 * positive definite; @A is then undefined. */
gboolean cholesky_factor (Mat *A);

/* Replaces symmetric @A by U with U U' = A, zero below the diagonal.  FALSE if
 * @A is not positive definite; @A is then undefined. */
gboolean cholesky_factor_upper (Mat *A);

/* U becomes the factor of  U U' + v v',  where all but the first @m entries of
 * @v are zero.  O(m^2); @v is overwritten. */
void cholesky_update_upper (Mat *U, double *v, int m);

/* x becomes  (L L')^-1 x,  with the leading @n x @n part of @L. */
void cholesky_solve (const Mat *L, int n, double *x);

/* B becomes  (L L')^-1 B,  for any number of columns. */
void cholesky_solve_columns (const Mat *L, Mat *B);
