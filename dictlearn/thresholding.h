/* thresholding.h - hard thresholds: codes, schedules, densities
 *
 *     HT_z (C)  sets the entries with |c| < z to zero.
 */
#pragma once

#include "dictlearn/learner.h"

/* X = HT_z (C); @X may be @C.  Returns the number of non-zeros left. */
gsize threshold_apply (const Mat *C, double z, Mat *X);

/* Sets @z so that HT_z keeps a share @density of the entries of @C, 0 .. 1: a
 * quantile of |c|.  FALSE with @error set (MEMORY) when there is no memory to
 * sort them. */
gboolean threshold_for_density (const Mat *C, double density, double *z,
                                GError **error);

/* What the options of a learner ask for, given its first codes @C: @end is the
 * final threshold, given or chosen for a density; @first is where it starts,
 * above every code if it is to shrink.  Fails as threshold_for_density(). */
gboolean threshold_choose (const Mat *C, const LearnOptions *options,
                           double *first, double *end, GError **error);

/* Algorithm 4, the warm start: a threshold that begins just above every code
 * and shrinks,  z <- max (shrink z, end). */
double threshold_shrink (double z, double shrink, double end);
