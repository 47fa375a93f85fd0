/* coarsenoise.h - noise whose grains are larger than a block
 *
 * Blocks of 8 x 8 pixels do not tell the lowest frequencies of noise from the
 * picture, and noise of cameras has most of its strength there, its colours
 * above all.  So the picture is halved and measured again, and once more.
 *
 * At small sizes more of what looks like noise is texture.  The brightness of
 * noise loses between half of its deviation, if it is white, and a tenth with
 * each halving, and its colours between half and nothing; what was measured is
 * brought into these ranges.  The spectrum at twice the size tells how much it
 * should lose: the second measurement may be little above that, and where
 * nothing can be measured, that is taken.  A JPEG rounds fine noise away and
 * keeps coarse noise: there its brightness may be stronger at half the size.
 * (Lebrun, Colom, Morel, "The Noise Clinic", 2015, measure at each size too.)
 */
#pragma once

#include "imaging/denoise/noisemodel.h"
#include "imaging/mask.h"

/* The noise of @image, without what is in @ignore, which may be NULL, at 1/2,
 * 1/4, ... of its size, where @fine is that at full size.  Returns how many of
 * @coarse were filled: fewer where the picture is too small.  -1 with @error set:
 * MEMORY. */
int image_find_coarse_noise (const Image *image, const Mask *ignore,
                             const NoiseModel *fine,
                             NoiseModel coarse[NOISE_SCALES - 1],
                             GError **error);
