/* recovery.h - how near a learned dictionary is to the true one
 *
 * From samples alone neither the order nor the signs of the atoms can be
 * known.  A dictionary is therefore compared up to the signed permutation S,
 * one learned atom for each true one, with which it comes nearest:
 *
 *     minimise |A S - T|_F
 *
 * This is an assignment problem, and it is solved exactly.
 */
#pragma once

#include "base/matrix.h"

typedef struct {
  double distance;        /* |A S - T|_F */
  double relative;        /* the same divided by |T|_F */
  double direction;       /* root mean square, over atoms of length one, of
                             |a - t|; it does not depend on scales */
  double worst_direction; /* the largest |a - t| of them */
} Recovery;

/* @A is n x k and @truth n x m with k >= m >= 1; atoms of A that are left over
 * do not count.  O(m^2 k): less than a second for 800 atoms. */
Recovery recovery_measure (const Mat *A, const Mat *truth);

/* The signed permutation itself: sign[j] times column atom[j] of @A
 * corresponds to column j of @truth; signs are 1 and -1.  Atoms that are not
 * finite match none. */
void recovery_match (const Mat *A, const Mat *truth, int *atom, double *sign);
