/* fading.h - contrast and neutral colours of faded pictures
 *
 * A faded print shows the colour x of channel c, 0 black and 1 white, as
 *
 *     y = b + (w - b) x
 *
 * with a black point b and a white point w that differ by channel and change
 * slowly over the picture.  Both are estimated from the picture, and undone:
 *
 *   1. Reduce: means of squares, at most 256 along a side, of the pixels that
 *      count.
 *   2. Levels: l and h of a channel are the smallest and largest value but for
 *      0.5 % each; t = (y - l) / (h - l).
 *   3. Field: the mean T of t over the channels has a 1 % and a 99 % quantile
 *      in each cell of a grid, 8 along the longer side.  A quadratic function
 *      b (u, v) follows the darkest cells: it minimises
 *
 *          sum of  s^2 r^2 / (s^2 + r^2) where r > 0, 3 r^2 where r < 0,
 *
 *      with r the quantile less b and s = 0.1, and a penalty on all but its
 *      mean.  So cells without shadows, the sky, have no say.  w (u, v) follows
 *      the brightest ones likewise.  What content may bring about is taken off
 *      either: a tenth of the span.
 *   4. Undo: out = B + (W - B) (t - b) / (w - b), scaled so that the quantiles
 *      of step 2 become B and W, levels of common photographs; but no channel
 *      gains more than a factor of 2.2 (by step 2).
 *
 * Is the picture faded?  Its span is the mean of h - l in the channel where
 * that is largest, and of the same between the fields.  Faded pictures have
 * spans up to 0.47, nearly all others above 0.5, and black points above 0.1;
 * in between, the correction grows from nothing to all.
 *
 * A picture is toned, as sepia is and grey ones are, if its brightness
 * explains its colours.  Then steps 2 to 4 are done for the brightness, and
 * all channels change by the same amount: the tone stays.
 *
 * What cannot be told from fading is treated as it: dense mist.  What cannot
 * be told from a picture is left: a cast without a loss of contrast.
 */
#pragma once

#include "imaging/mask.h"
#include "imaging/restoreoptions.h"

typedef struct {
  double span;     /* 0 .. 1 of the range, as above; 0 if not estimated */
  double strength; /* of the correction, 0 none .. 1 all */
  gboolean is_toned;
  gboolean is_changed; /* colours were changed */
} FoundFading;

/* Undoes the fading of @image.  Alpha and transparent pixels stay as they are;
 * these and the pixels of @missing have no influence.  A palette is dropped
 * if colours change.  Pictures of fewer than 8 bits are left alone.
 *
 * The result is the same for any number of threads.  FALSE with @error set
 * (MEMORY), and @image as it was. */
gboolean image_undo_fading (Image *image, const Mask *missing,
                            FadingMode mode, FoundFading *found,
                            GError **error);
