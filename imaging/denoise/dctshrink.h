/* dctshrink.h - remove noise by shrinking the cosines of overlapping patches
 *
 * A patch is a clean one plus noise, which has the variance v in the cosine c
 * (noisemodel.h), while the clean patch has few cosines that are large.  So
 * each is multiplied by
 *
 *     f = 1 if c^2 >= 2.7^2 v, else 0                      without a guide
 *     f = g^2 / (g^2 + v),  g that cosine of the guide     with one
 *
 * The second is Wiener's: the best factor if the guide, a picture that is
 * nearly clean already, were the clean one.  The patch weighs
 * sum v / sum f^2 v: the less noise is left in it, the more.  The mean of a
 * patch is always kept: it has hardly any noise.
 */
#pragma once

#include "base/progress.h"
#include "imaging/denoise/noisemodel.h"
#include "imaging/planes.h"

typedef struct {
  int side; /* of a patch */
  int step; /* from one patch to the next */
  const NoiseModel *noise;
  ImageArea needed; /* of the result; the rest may be anything */
} DctShrinkSettings;

/* Denoises @noisy into @out: first without, then with a guide.  Planes are
 * as large as a patch or larger, and have as many channels as the noise has
 * colours.  @guide may be NULL, or @out itself.
 * @progress may be NULL.  Returns FALSE with @error set: MEMORY, CANCELLED. */
gboolean planes_dct_shrink (const Planes *noisy, const Planes *guide,
                            const DctShrinkSettings *settings, Planes *out,
                            const Progress *progress, GError **error);
