/* grain.h - give what was filled the noise of what is around it
 *
 * A fill is the mean of what may have been there, so it is smoother than a
 * picture with grain, and shows.  Here noise is drawn as a model describes it:
 * blocks of 8 x 8 cosines, normal, with its covariance at each frequency and
 * its strength at the brightness of the fill; blocks overlap by half in both
 * directions under a window whose squares add up to one.
 *
 * How much of it a fill gets depends on what it has: with K, F and N the
 * medians of the absolute values of a high-pass of known pixels nearby, of the
 * fill and of the noise,
 *
 *     factor^2  =  (K^2 - F^2) / N^2,   between 0 and 1,
 *
 * since variances of what is independent add up.  So texture that was filled
 * in does not become stronger than that around it, nor noise than the model's.
 */
#pragma once

#include "imaging/denoise/noisemodel.h"
#include "imaging/mask.h"

/* Adds to the pixels of @image that @filled names @share, 0 .. 1, of that
 * noise.  Other pixels, and transparent ones, stay as they are.  @seed and the
 * place of a pixel alone decide on its noise.  FALSE with @error set, and
 * @image as it was: MEMORY. */
gboolean image_add_grain (Image *image, const Mask *filled,
                          const NoiseModel *noise, double share, guint64 seed,
                          GError **error);
