/* spdinverse.h - inverses with the same result everywhere
 *
 * Of symmetric positive definite matrices small enough for the L1 cache.  As in
 * base/orderedgemm.h every operation is rounded by itself or fused, in one
 * order, on any processor; LAPACK promises neither.
 */
#pragma once

#include "base/matrix.h"

/* A = A^-1.  FALSE, with @A undefined, if it is not positive definite. */
gboolean spd_invert (MatF *A);

/* For tests: the same by the @set-th set of instructions, the best first, into
 * @found; FALSE when this processor supports no more. */
gboolean spd_invert_with (int set, MatF *A, gboolean *found);
