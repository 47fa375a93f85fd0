/* thresholding.h - hard thresholds: codes, schedules, densities
 *
 *     HT_z (C)  sets the entries with |c| < z to zero.
 */
#pragma once

#include "base/matrix.h"

/* X = HT_z (C); @X may be @C.  Returns the number of non-zeros left. */
gsize threshold_apply (const Mat *C, double z, Mat *X);

/* The z with which HT_z keeps a share @density of the entries of @C, 0 .. 1:
 * a quantile of |c|. */
double threshold_for_density (const Mat *C, double density);

/* Largest |c|. */
double threshold_largest (const Mat *C);

/* Algorithm 4, the warm start: a threshold that begins just above every code
 * and shrinks,  z <- max (shrink z, end). */
double threshold_shrink (double z, double shrink, double end);
