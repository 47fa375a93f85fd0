/* metric.h - how close a result is to its reference
 *
 * With x a sample of the reference, y that of the result, and R the largest
 * value of a sample:
 *
 *     PSNR = 10 log10 (R^2 / mean of (x - y)^2)      in dB, over all samples
 *
 *            (2 mx my + C1) (2 sxy + C2)             C1 = (0.01 R)^2
 *     SSIM = -----------------------------------     C2 = (0.03 R)^2
 *            (mx^2 + my^2 + C1) (sxx + syy + C2)
 *
 * where mx, my, sxx, syy, sxy are means, variances and covariance under a
 * Gaussian window of 11 x 11 pixels, sigma 1.5, whose weights sum to one:
 * sxy is the mean of x y, less mx my.  The SSIM of a picture is the mean over
 * every place where the whole window fits, and over the channels.
 * Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, "Image quality
 * assessment: from error visibility to structural similarity", 2004.
 *
 * MS-SSIM looks at the picture, at its half, its quarter and so on (means of
 * 2 x 2 pixels), five scales or as many as the window fits into:
 *
 *     MS-SSIM = ssim_M^(w_M) cs_1^(w_1) ... cs_(M-1)^(w_(M-1)),
 *
 * where cs is the factor of SSIM that has C2 in it, averaged like SSIM, and
 * the weights are those of the paper, scaled so that their sum is one.  The
 * mean over the channels is taken at the end.
 * Z. Wang, E. P. Simoncelli, A. C. Bovik, "Multiscale structural similarity
 * for image quality assessment", 2003.
 *
 * Only colour counts, never alpha.  Grey against colour: the grey sample
 * stands for each colour.  Different depths: both are scaled to the larger
 * range, which is a whole factor and therefore exact.
 */
#pragma once

#include "imaging/mask.h"
#include "imaging/ssim.h"

typedef struct {
  double psnr;         /* dB, INFINITY for identical pictures */
  double ssim;         /* at most 1; NAN when a side is below SSIM_WINDOW */
  double ms_ssim;      /* likewise */
  double psnr_masked;  /* over the masked pixels; NAN when there are none */
  gsize pixels;        /* of the picture */
  gsize masked_pixels; /* among them, 0 without a mask */
  gboolean identical;  /* every colour sample is the same */
} ImageScore;

/* Compares @result with @reference; swapping the two changes no score.
 *
 * The pixels of @masked, which may be NULL, count for @score->psnr_masked.
 * Returns FALSE with @error set: INPUT when the sizes differ, MEMORY when
 * there is not enough for a few dozen rows. */
gboolean image_score (const Image *reference, const Image *result,
                      const Mask *masked, ImageScore *score, GError **error);
