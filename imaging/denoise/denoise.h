/* denoise.h - remove noise from a picture
 *
 * Cosines of overlapping patches, by threshold and then by Wiener's factor
 * (dctshrink.h), give a guide; Gaussian models of similar patches (nlbayes.h)
 * give the result.  What clipping did to the means is then undone
 * (clipping.h).
 *
 * A dictionary that the user names does all of this alone, so that
 * dictionaries can be compared, and as if the noise were white: by threshold
 * if it is orthonormal and complete, else by pursuit.
 */
#pragma once

#include "base/progress.h"
#include "imaging/detect/findnoise.h"
#include "imaging/restoreoptions.h"

/* The built-in dictionary by which image_denoise() would remove @noise from
 * @image: the one that was learned for white noise, or cosines.  The caller owns
 * it.  NULL with @error set: MEMORY. */
Dictionary *denoise_dictionary (const Image *image, const FoundNoise *noise,
                                const RestoreOptions *options, GError **error);

/* Removes @noise, which must not be zero, from all visible pixels of @image.
 *
 * Adds the number of patches coded to @patches.  @progress may be NULL.
 * Returns FALSE with @error set, and @image as it was: MEMORY, CANCELLED. */
gboolean image_denoise (Image *image, const FoundNoise *noise,
                        const RestoreOptions *options, gsize *patches,
                        const Progress *progress, GError **error);
