/* noisecurve.h - levels of noise by brightness, less what texture adds
 *
 * The flattest blocks of a bin (noiseprofile.h) may all have texture.  Then
 * their level is too high, which others tell in two ways.  Texture has few
 * colours of its own, while the ratio of noise in brightness to noise in colours
 * hardly depends on brightness: with s_0 and s_c the deviations of the two,
 *
 *     s_0 <= 1.1 r s_c,        r the median of s_0 / s_c.
 *
 * And noise is a smooth function of brightness b, with texture on top of it in
 * some bins: for each colour
 *
 *     s <= 1.1 exp (q (b)),    q of degree 2,
 *
 * that which minimises the sum of |log s - q (b)| over the bins, so that a few
 * with texture do not move it.  Such a curve goes through three of the bins.
 */
#pragma once

#include "imaging/detect/noiseprofile.h"

/* Sets the levels of all bins from their deviations.  The bins that are noise
 * determine the ratio and the curve, if there are enough.  @has_ratio: if the
 * colours are whole; a JPEG has rounded most of their noise away. */
void noise_bins_find_levels (NoiseBin *bins, int count, int colours,
                             gboolean has_ratio);
