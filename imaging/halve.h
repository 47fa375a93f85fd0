/* halve.h - a picture at half its size
 *
 * Each pixel is the mean of the 2 x 2 pixels it takes the place of; at the
 * right and lower edge, of those there are.
 */
#pragma once

#include "imaging/mask.h"
#include "imaging/planes.h"

/* @image with @colours channels of 16 bits, 1 or 3: with 1, of its first.
 * Pixels that cannot be seen take no part; where there is no other, the result
 * has the colour @hidden, where white is 1.  NULL with @error set: MEMORY. */
Image *image_halve (const Image *image, int colours, const float hidden[3],
                    GError **error);

/* Names the pixels of that picture that have a part in @ignore, which may be
 * NULL, or that cannot be seen.  NULL with @error set: MEMORY. */
Mask *image_halve_mask (const Image *image, const Mask *ignore,
                        GError **error);

/* The difference @b - @a of two halved pictures, where white is 1, at pixel @x,
 * @y of the whole one: linear between the middles of their pixels. */
float halved_difference (const Image *a, const Image *b, int colour, int x,
                         int y);

/* The value at pixel @x, @y of the whole picture of a plane of half the size:
 * linear between the middles of its pixels. */
static inline float
planes_between (const Planes *half, int channel, int x, int y)
{
  int near_x = x / 2, near_y = y / 2;
  int far_x = CLAMP (near_x + (x % 2 == 0 ? -1 : 1), 0, half->width - 1);
  int far_y = CLAMP (near_y + (y % 2 == 0 ? -1 : 1), 0, half->height - 1);

  return 0.75f
           * (0.75f * *planes_at (half, channel, near_x, near_y)
              + 0.25f * *planes_at (half, channel, far_x, near_y))
         + 0.25f
             * (0.75f * *planes_at (half, channel, near_x, far_y)
                + 0.25f * *planes_at (half, channel, far_x, far_y));
}
