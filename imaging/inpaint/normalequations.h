/* normalequations.h - small least squares problems with a ridge
 *
 *     (R'R + ridge I) x = b,
 *
 * by the Cholesky factor of the left side, in float: the ridge bounds its
 * condition.  Sums have one order on all processors (base/multiplyadd.h).
 */
#pragma once

#include <glib.h>

/* Unknowns come in multiples of this many; those that pad them have zeros in R
 * and b, and in the solution. */
#define NORMAL_PADDING 16

static inline int
normal_padded (int n)
{
  return (n + NORMAL_PADDING - 1) / NORMAL_PADDING * NORMAL_PADDING;
}

typedef struct {
  const float *R; /* row after row */
  int rows;
  int unknowns; /* padded */
  float ridge;  /* above 0 */
} NormalEquations;

/* Replaces @b by the solution.  @factor has room for unknowns^2 numbers. */
void normal_solve (const NormalEquations *equations, float *factor, float *b);

/* For tests: the same by the @set-th set of instructions, the best first; FALSE
 * when this processor supports no more. */
gboolean normal_solve_with (int set, const NormalEquations *equations,
                            float *factor, float *b);
