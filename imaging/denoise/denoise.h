/* denoise.h - remove white noise from a picture
 *
 * Cosines of overlapping patches, by threshold and then by Wiener's factor
 * (shrinkage.h), give a guide; Gaussian models of similar patches (nlbayes.h)
 * give the result.  What clipping did to the means is then undone
 * (clipping.h).
 *
 * A dictionary that is named does this alone, so that dictionaries can be
 * compared: by threshold if it is orthonormal and complete, else by pursuit.
 */
#pragma once

#include "base/progress.h"
#include "imaging/mask.h"
#include "imaging/restoreoptions.h"

/* Removes noise of level options->sigma, which is above 0, from all pixels of
 * @image that can be seen.  Those of @filled do not count when it is decided
 * whether the picture is grey.
 *
 * Adds the number of patches coded to @patches.  @progress may be NULL.
 * Returns FALSE with @error set, and @image as it was: LIMIT for lack of
 * memory, CANCELLED. */
gboolean image_denoise (Image *image, const Mask *filled,
                        const RestoreOptions *options, gsize *patches,
                        const Progress *progress, GError **error);
