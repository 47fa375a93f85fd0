/* polish.h - remove the statistical floor of a learned complete dictionary
 *
 * The preconditioner of p samples differs from the true one by 1/sqrt(p), and
 * so does a dictionary learned with it.  But once nearly all supports are
 * right, the samples determine the dictionary better than that.  A pass in the
 * original space,
 *
 *     X = HT_z (A^-1 Y),     A <- Y X' (X X')^-1,
 *
 * is alternating least squares without whitening; where the data are exactly
 * sparse it shrinks the error by a factor per pass, down to rounding.
 *
 * Samples may come in any number of blocks; only n x n matrices are kept.
 * Double throughout.
 */
#pragma once

#include "base/matrix.h"

typedef struct Polish Polish;

/* @A is n x n, with whitened codes A^-1 y as learners leave them; copied.
 * @z is the threshold of these codes. */
Polish *polish_new (const Mat *A, double z);
void polish_free (Polish *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Polish, polish_free)

/* Adds the columns of @Y to the current pass. */
void polish_feed (Polish *self, const Mat *Y);

/* Ends a pass: A becomes the better one.  FALSE, with A as it was, if some
 * atom had no code in this pass or A is singular. */
gboolean polish_end_pass (Polish *self);

void polish_dictionary (const Polish *self, Mat *A);
