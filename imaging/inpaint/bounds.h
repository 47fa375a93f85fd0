/* bounds.h - what was filled stays within the range of what is around it
 *
 * Sums of atoms know no bounds.  Each filled sample is held to the range of
 * the known samples of its colour nearby, and a few levels beyond.
 */
#pragma once

#include "imaging/mask.h"

/* Clamps the samples of @image that @missing names.  Nearby are the nearest
 * known samples and all others within about 32 pixels, none of them further
 * than 50 from the hole.  FALSE with @error set (LIMIT) for lack of memory. */
gboolean image_bound_fill (Image *image, const Mask *missing, GError **error);
