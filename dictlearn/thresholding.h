/* thresholding.h - hard thresholds: codes, schedules, densities
 *
 *     HT_z (C)  sets the entries with |c| < z to zero.
 */
#pragma once

#include "dictlearn/learner.h"

/* X = HT_z (C); @X may be @C.  Returns the number of non-zeros left. */
gsize threshold_apply (const Mat *C, double z, Mat *X);

/* The threshold of a learner, which may fall from step to step (Algorithm 4,
 * the warm start):  z <- max (shrink z, end). */
typedef struct {
  double z;   /* the current one */
  double end; /* the final one */
} Threshold;

/* What the options of a learner ask for, given its first codes @C: the final
 * threshold is given, or the one that keeps options.density of the entries;
 * the first one is above every code if it is to shrink, or where
 * options.shrink_from says.  FALSE with @error set
 * (MEMORY) when there is no memory to sort the codes. */
gboolean threshold_choose (Threshold *self, const Mat *C,
                           const LearnOptions *options, GError **error);

/* After a step: lets the threshold fall by the factor @shrink.  No change of
 * the dictionary while it falls is not convergence, so @status says so. */
void threshold_fall (Threshold *self, double shrink, LearnStatus *status);

/* For learners with orthonormal atoms: sets @D, n x n, to the first dictionary
 * of @learner, made orthonormal, @X to the first codes, D' Y, and @self by
 * them.  FALSE with @error set: MEMORY, FAILED. */
gboolean threshold_start_orthonormal (Threshold *self, const Learner *learner,
                                      Mat *D, Mat *X, GError **error);
