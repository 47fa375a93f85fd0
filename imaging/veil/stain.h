/* stain.h - see through large stains
 *
 * A stain, too, lets part of the picture through, y = t x + o for each colour,
 * and both change with the depth below its outline: a soft edge, often a dark
 * ring, then much the same all over.  From one layer of pixels to the next, a
 * pixel deeper, the picture hardly changes in the mean, so the mean and the
 * contrast of the layers tell how the stain does.  With d the difference of
 * neighbours p and q in two layers and m their mean, the regression
 *
 *     d = s m + r     gives     y_q = alpha y_p + beta,
 *     alpha = (1 + s/2) / (1 - s/2),
 *
 * without bias, as errors of d and m are independent where both layers have
 * the same texture.  From outside, where t = 1 and o = 0, inwards
 *
 *     t <- alpha t,    o <- alpha o + beta,
 *
 * until nothing changes any more; then x = (y - o) / t.
 */
#pragma once

#include "imaging/mask.h"

/* Undoes the stains of @image: connected pixels that are MASK_THROUGH in
 * @missing and deeper than what patches can fill.  Takes what was undone out
 * of @missing; layers where too much is uncertain stay in it, but are no longer
 * MASK_THROUGH, and so do stains that let nothing through.  *@stains is their
 * number: where it is 0, nothing has changed.  FALSE with @error set (MEMORY)
 * for lack of memory. */
gboolean image_undo_stains (Image *image, Mask *missing, int *stains,
                            GError **error);
