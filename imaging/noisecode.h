/* noisecode.h - remove additive noise by coding patches
 *
 * Every patch y of a picture with noise of standard deviation sigma is coded
 * by as few atoms as leave no more than the noise would:
 *     minimise |x|_0   subject to   |y - D x|^2 <= n (1.15 sigma)^2,
 * and what the atoms say is averaged where patches overlap.
 * M. Elad, M. Aharon, "Image denoising via sparse and redundant
 * representations over learned dictionaries", 2006, has the factor 1.15.
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/dictionary.h"
#include "imaging/image.h"

/* Replaces the colours of @image.  @sigma is where white is 255, @step the
 * distance of patches.  A dictionary for one channel codes each by itself; one
 * for colour codes grey as colour.  @progress may be NULL.
 * Returns FALSE with @error set, and @image as it was: LIMIT for lack of
 * memory, INPUT for a picture smaller than a patch, CANCELLED. */
gboolean image_remove_noise (Image *image, const Dictionary *dictionary,
                             double sigma, int step, const Progress *progress,
                             GError **error);
