/* flatregion.h - the features of a small region of one colour
 *
 * flats.h says what they are for.
 */
#pragma once

#include "imaging/detect/flats.h"

/* Fills @f from @flat, whose pixels are those of @flats.  FALSE if there is no
 * contrast or no background.  @crowd is the count of the regions around. */
gboolean flat_describe (const FlatScene *scene, const Flats *flats,
                        const Flat *flat, int level, int crowd,
                        float f[FLAT_FEATURES]);
