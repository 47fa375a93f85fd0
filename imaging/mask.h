/* mask.h - which pixels of a picture are missing
 *
 * A mask is as large as the upright picture it belongs to.
 */
#pragma once

#include "imaging/image.h"

typedef struct {
  int width, height;
  guint8 *missing; /* one byte a pixel, row after row; nonzero = missing */
} Mask;

/* A mask of nothing.  NULL, with @error set (LIMIT), when there is not enough
 * memory. */
Mask *mask_new (int width, int height, GError **error);

/* @mask may be NULL. */
void mask_free (Mask *mask);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Mask, mask_free)

/* Number of missing pixels. */
gsize mask_count (const Mask *mask);

/* The smallest area with all missing pixels in it; width and height are 0 if
 * there are none. */
ImageArea mask_bounds (const Mask *mask);

/* Adds to @mask what @other, of the same size, says. */
void mask_add (Mask *mask, const Mask *other);

/* What a mask picture says: a pixel that can be seen and has a sample above
 * zero is missing.  A JPEG is never exactly black, so there the brightest
 * sample must reach half of the range. */
Mask *mask_from_picture (const Image *picture, GError **error);

/* A black and white picture of @mask, one bit a pixel. */
Image *mask_to_picture (const Mask *mask, GError **error);

/* Pixels of one colour, given in 8 bits a channel.  In pictures that come from
 * a JPEG, samples may differ by a few levels. */
Mask *mask_from_colour (const Image *image, const guint8 colour[3],
                        GError **error);

/* Pixels that are wholly transparent. */
Mask *mask_from_alpha (const Image *image, GError **error);
