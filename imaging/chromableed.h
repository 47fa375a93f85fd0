/* chromableed.h - colours that lossy compression has spread from marks
 *
 * Most JPEGs keep colours at half the size: the mean of a cell of 2 x 2
 * pixels, between which the decoder interpolates.  So the colours of a scratch
 * are mixed with those of the pixels beside it, whose brightness is sound.
 * Once the scratch is filled, they are left as a trail.
 *
 * A known pixel is touched if it is no farther from a missing one than a cell
 * is large: its colours may then come from a cell that holds that one.  Its
 * brightness Y stays; its colours C = B - Y, R - Y become those of sound
 * pixels q nearby, neither missing nor touched, which are about as bright:
 *
 *     C_p  =  sum w C_q / sum w,
 *     w    =  exp (-|p - q|^2 / 2 s^2) / (1 + (Y_p - Y_q)^2 / r^2)^2.
 */
#pragma once

#include "imaging/mask.h"

/* Whether the file of @image kept colours at a smaller size than
 * brightness. */
gboolean image_has_chroma_cells (const Image *image);

/* The pixels of @image that are touched where @missing, of the same size, is
 * missing; MASK_PIXEL each.  NULL with @error set: MEMORY. */
Mask *chroma_bleed_find (const Image *image, const Mask *missing,
                         GError **error);

/* Gives the pixels of @touched new colours.  Those without a sound pixel
 * nearby stay as they are, and so do transparent ones.  What is missing never
 * affects the result.  FALSE with @error set, and @image as it was: MEMORY. */
gboolean image_undo_chroma_bleed (Image *image, const Mask *missing,
                                  const Mask *touched, GError **error);
