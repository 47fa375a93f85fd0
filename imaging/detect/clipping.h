/* clipping.h - what clipping to 0 .. 1 does to noise, and how to undo it
 *
 * A clean sample x with noise of standard deviation s, clipped, is
 * u = min (1, max (0, x + s n)).  With a = -x / s, b = (1 - x) / s, and the
 * density p and distribution function P of the normal distribution,
 *
 *     E u   = x (P(b) - P(a)) + s (p(a) - p(b)) + 1 - P(b)
 *     E u^2 = (x^2 + s^2) (P(b) - P(a)) + s (2 x + s a) p(a)
 *             - s (2 x + s b) p(b) + 1 - P(b)
 *
 * So black becomes 0.4 s on average: averaging the noise away leaves shadows
 * too bright and lights too dark.  E u rises with x; its inverse undoes that.
 */
#pragma once

#include "imaging/image.h"
#include "imaging/planes.h"

/* E u and the variance of u. */
double clipped_mean (double x, double sigma);
double clipped_variance (double x, double sigma);

/* The x in 0 .. 1 whose clipped mean is nearest to @mean. */
double inverse_clipped_mean (double mean, double sigma);

/* At which ends the noise of a picture was clipped.  Not every picture was
 * clipped: a file may have room below its black. */
typedef struct {
  gboolean black, white;
} ClippedEnds;

/* Examines how the visible samples of @image crowd at the ends of their range,
 * for noise of standard deviation @sigma. */
ClippedEnds clipped_ends (const Image *image, double sigma);

/* The inverse of E u at the ends that were clipped, as a table: finding one
 * value takes thirty steps.  The caller frees it with g_free().  NULL if no end
 * was clipped. */
float *unclipping_table (double sigma, ClippedEnds ends);

/* Undoes the bias of the means in @planes by @table, which may be NULL. */
void planes_unclip (Planes *planes, const float *table);
