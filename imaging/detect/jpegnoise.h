/* jpegnoise.h - the noise that a picture had before it became a JPEG
 *
 * A JPEG rounds each cosine of its blocks to multiples of a step q.  Normal
 * noise of deviation s comes out with the variance
 *
 *     q^2 sum over n > 0 of (2 n - 1) P (|noise| > (n - 1/2) q),
 *
 * which is about s^2 + q^2 / 12 for s > q / 2, and next to nothing for
 * s < q / 6.  So of the same noise the low cosines, whose steps are small, are
 * kept, and of the others a few large ones here and there, which no threshold
 * made for their mean square removes.  The noise that was there before is
 * therefore taken as even over all frequencies, as strong as it was at the
 * lowest that tell it from the picture, those with k + l of 2 and 3; it depends
 * on brightness alone.
 *
 * Rounding adds an error of its own, of the variance q^2 / 12 in each cosine at
 * most.  With a part p of that, what is to be removed has
 *
 *     s^2 + p mean (q^2) / 12.
 *
 * Blocks are those of the file.  In these cosines are rounded one by one, so
 * that blocks which are flat in some of them do not have less noise in the
 * others.
 */
#pragma once

#include "imaging/denoise/noisemodel.h"
#include "imaging/mask.h"

/* Whether @image knows the blocks that it was rounded in. */
gboolean image_has_jpeg_blocks (const Image *image);

/* The noise of @image, which has JPEG blocks, before it was rounded; pixels of
 * @ignore, which may be NULL, do not count.  *@is_known is FALSE if it cannot be
 * told.  Returns FALSE with @error set: MEMORY. */
gboolean image_find_noise_before_jpeg (const Image *image, const Mask *ignore,
                                       int colours, NoiseModel *model,
                                       gboolean *is_known, GError **error);

/* The noise @even, the same at all frequencies and in all colours, together with
 * the error of rounding it with the steps of @image. */
NoiseModel noise_model_with_rounding (const NoiseModel *even,
                                      const Image *image);

/* The deviation of noise that has the variance @variance once it was rounded to
 * multiples of @step. */
double deviation_before_rounding (double variance, double step);
