/* noise.h - how strong the noise of a picture is
 *
 * White noise is as strong at every frequency and in every colour; pictures
 * are weak at high frequencies, and weaker still in the differences of their
 * colours.  Blocks are transformed by cosines over their pixels and colours.
 * Those with the least energy at low frequencies are the smoothest; the choice
 * says nothing about their noise at high frequencies, which is independent.
 * So the mean square of the high frequencies of these blocks measures the
 * noise without bias, and grain that is only in the brightness, or only in
 * the middle frequencies, is not taken for noise: of several such measures
 * the smallest counts.
 * (After N. Ponomarenko and others, "An automatic approach to lossy
 * compression of AVIRIS images", 2007, who chose blocks of one plane so.)
 */
#pragma once

#include "imaging/mask.h"

/* *@level is the standard deviation of the noise, where white is 255, whatever the depth.
 * Pixels of @ignore, which may be NULL, and invisible ones have no influence.
 * 0 where there are too few others to tell, or the noise is weaker than the
 * grain of a clean photograph may be.  FALSE with @error set: MEMORY. */
gboolean image_noise_level (const Image *image, const Mask *ignore,
                            double *level, GError **error);
