/* jpegset.h - what a JPEG tells about the picture it was made from
 *
 * A JPEG keeps the cosines c of blocks of 8 x 8 pixels as multiples of steps
 * q: it decodes to c' = q round (c / q), so that c lies in
 *
 *     c' - q / 2  <=  c  <=  c' + q / 2.
 *
 * Pictures of which all blocks do form a convex set; the one nearest to a
 * given picture has its cosines clamped to these intervals.  Only brightness
 * takes part, since the colours of most JPEGs are kept at half the size.
 *
 * How large the error c - c' is depends on the frequency.  If the cosines have
 * the density exp (-|c| / b) / 2 b, the share that is not zero is
 * p = exp (-q / 2 b), which gives b; and the error has the variance
 *
 *     v = p q^2 / 12 + (1 - p) E (c^2 | |c| < q / 2).
 */
#pragma once

#include "imaging/denoise/noisemodel.h"
#include "imaging/image.h"

/* The mean step of the brightness of @image; 0 if it was no JPEG. */
double image_jpeg_step (const Image *image);

/* The quality, 1 .. 100, at which libjpeg has steps of that mean; 0 if @image
 * was no JPEG. */
int image_jpeg_quality (const Image *image);

/* Whether @image was a JPEG whose steps are so large that the error can be
 * seen: below quality 60 or so, upright as it is stored. */
gboolean image_is_coarse_jpeg (const Image *image);

/* The error as noise, for a picture of which that is true. */
NoiseModel jpeg_error_model (const Image *image, int colours);

/* Moves @result, which was made of @decoded, to the nearest picture that would
 * give the same JPEG, or nearly: samples are rounded and clipped. */
void image_project_to_jpeg (const Image *decoded, Image *result);
