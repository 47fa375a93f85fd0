/* veil.h - see through marks that cover the picture only in part
 *
 * Scratches, dust and stains cover a picture by a, less along their soft edges
 * than inside:  y = (1 - a) x + a b.  Where 1 - a is not too small,
 *
 *     x = (y - a b) / (1 - a)
 *
 * is better than any fill.  Of each piece of a mark (piece.h) the cover A and
 * the colour b are estimated from the difference between the damaged picture
 * and the filled one; those of a scratch together with its pieces nearby.
 * Every pixel then has two estimates of its cover, one by the shape of the
 * mark, and one that makes x the fill; they are combined by their variances.
 * What is undone in this way counts as much as it is certain, the fill as much
 * as it is, and a result that the fill rules out does not count.
 *
 * The inside of a speck, where the cover is one number, is undone by inside.h,
 * which is more exact.  The rims of such specks then lie between what is known
 * on both sides, so that another fill knows more of them than the first.
 */
#pragma once

#include "base/progress.h"
#include "imaging/mask.h"

/* Improves the pixels of @filled, the filled @damaged, that are MASK_THROUGH
 * in @missing, and sets the pixels of @rims, which is empty, that are worth
 * another fill.  @noise is the standard deviation of the noise of @damaged where
 * white is 255.  @progress may be NULL.  Does not use threads.  FALSE with
 * @error set, and @filled as it was: MEMORY, CANCELLED. */
gboolean image_unveil (const Image *damaged, const Mask *missing, double noise,
                       Image *filled, Mask *rims,
                       const Progress *progress, GError **error);
