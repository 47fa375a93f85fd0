/* spdsolve.h - small systems of linear equations with the same result everywhere
 *
 * A is symmetric and positive definite, @n x @n, in rows of @ld numbers, of
 * which those up to the diagonal count.
 */
#pragma once

/* The lower triangle of A becomes L of A = L L'.  What rounding has left of a
 * pivot is at least 1e-12. */
void spd_factor (double *A, int n, int ld);

/* b = L^-1 b  and  b = L'^-1 b. */
void spd_solve_lower (const double *L, int n, int ld, double *b);
void spd_solve_upper (const double *L, int n, int ld, double *b);
