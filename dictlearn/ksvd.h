/* ksvd.h - the two atom updates of K-SVD
 *
 * Each improves one atom together with its codes for the samples I that use
 * it, such that |Y - D X|_F never rises.  Supports and all other atoms stay,
 * and R stays equal to Y - D X.  An unused atom is not changed.
 */
#pragma once

#include "dictlearn/codingstage.h"

/* One alternating step: the best atom for its codes, then the best codes for
 * that atom.  8 n |I| operations. */
void ksvd_update_approximately (CodingStage *self, int atom);

/* The best atom and codes at once, from an eigenvector of E E' or E'E,
 * whichever is smaller.  2 n |I| m + O(m^3) operations, m = min (n, |I|).
 * FALSE, with nothing changed, if LAPACK did not converge. */
gboolean ksvd_update_exactly (CodingStage *self, int atom);
