/* spdinverse.h - inverses with the same result everywhere
 *
 * Of symmetric positive definite matrices small enough for the L1 and L2
 * caches.  As in base/orderedgemm.h every operation is rounded by itself, in
 * one order, on any processor; LAPACK promises neither.
 */
#pragma once

#include "base/matrix.h"

/* A = A^-1.  FALSE, with @A undefined, if it is not positive definite. */
gboolean spd_invert (Mat *A);
