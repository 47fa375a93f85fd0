/* spotlook.h - a closer look at one candidate for dust
 *
 * spots.h says what is looked at.
 */
#pragma once

#include "imaging/detect/speckregion.h"
#include "imaging/detect/spots.h"

/* The features that a look at the pixels gives; those of spots.h that follow
 * come from the other spots. */
#define SPOT_LOOKS 40

/* Fills @f.  FALSE if there is nothing around the spot to compare it with. */
gboolean spot_look (const Spots *spots, const Spot *spot, float f[SPOT_LOOKS]);

/* Marks the pixels of @spot and those of its soft edge. */
void spot_mark (const Spots *spots, const Spot *spot, Mask *mask);
