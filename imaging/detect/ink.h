/* ink.h - the colour of ink, and how far it glows
 *
 * Ink that a camera has exposed glows: pixels next to it are shifted from the
 * background g towards the ink k, by a share that falls with the distance,
 *
 *     share = mean (x - g)'(k - g) / |k - g|^2 .
 */
#pragma once

#include "imaging/mask.h"

/* Pixels that ink may glow, and those of background behind them. */
#define INK_GLOW 6
#define INK_GROUND 3
#define INK_REACH (INK_GLOW + 1 + INK_GROUND)

/* Colour @c, 0 to 2, of pixel @i in levels of 8 bits; grey is of all three. */
static inline double
ink_level (const Image *image, gsize i, int c)
{
  int channel = MIN (c, image_colours (image) - 1);
  double sample =
    image->samples[i * (gsize) image->channels + (gsize) channel];

  return image->depth == 8 ? sample : sample * 255. / image_peak (image);
}

/* Grows @marks, of that ink, as far as it glows.  FALSE with @error set:
 * MEMORY. */
gboolean ink_grow_glow (const Image *image, const double ink[3], Mask *marks,
                        GError **error);
