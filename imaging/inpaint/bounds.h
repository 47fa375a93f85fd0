/* bounds.h - what was filled stays within the range of what is around it
 *
 * Sums of atoms are unbounded.  Each filled sample is held to the range of the
 * known samples of its colour nearby, and a few levels beyond.
 */
#pragma once

#include "imaging/inpaint/region.h"

/* Clamps the samples of @image that @missing names: in thin parts of a hole
 * to what is known within about 32 pixels, in those that @thickness says are
 * thick to what is known near the whole hole.  @thickness may be NULL for
 * none. FALSE with @error set (MEMORY) for lack of memory. */
gboolean image_bound_fill (Image *image, const Mask *missing,
                           const Thickness *thickness, GError **error);
