/* veil.h - see through marks that cover the picture only in part
 *
 * Scratches, dust and stains cover a picture by a, less along their soft edges
 * than inside:  y = (1 - a) x + a b.  Where 1 - a is not too small,
 *
 *     x = (y - a b) / (1 - a)
 *
 * is better than any fill.  Of each piece of a mark (piece.h) the cover A and
 * the colour b are estimated from the difference between the damaged picture
 * and the filled one; those of a scratch together with its pieces nearby.  With
 * them its pixels are undone (mark.h).
 *
 * The inside of a speck, where the cover is one number, is undone by inside.h,
 * which is more exact.  The rims of such specks are then filled once more, as
 * they lie between what is known on both sides, and undone by rim.h.
 */
#pragma once

#include "imaging/veil/rim.h"

/* Improves the pixels of @filled, the filled @damaged, that are MASK_THROUGH
 * in @missing.  Appends the specks whose insides it undid to @specks, an array
 * of VeiledSpeck, and sets what is left of these in @rims, which is empty.
 * @noise is the standard deviation of the noise of @damaged where white is 255.
 * @progress may be NULL.  Does not use threads.  FALSE with @error set, and
 * @filled as it was: MEMORY, CANCELLED. */
gboolean image_unveil (const Image *damaged, const Mask *missing, double noise,
                       Image *filled, List *specks, Mask *rims,
                       const Progress *progress, GError **error);
