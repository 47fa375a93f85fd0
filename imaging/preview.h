/* preview.h - part of a picture, made small enough to be shown
 *
 * With an area of w x h pixels and a preview of W x H, pixel (i, j) of the
 * preview is the mean over
 *
 *     floor (i w / W) <= x < floor ((i + 1) w / W)   and so for y,
 *
 * weighted by alpha where there is any.  Samples become 8 bit; the colour
 * profile comes along, all other metadata does not.
 */
#pragma once

#include "imaging/image.h"

/* The preview of @area, which lies within @image, no wider or higher than
 * @max_side and never larger than the area itself.  What can be transparent
 * has alpha.  NULL with @error set (MEMORY) when there is not enough memory. */
Image *image_preview (const Image *image, const ImageArea *area, int max_side,
                      GError **error);
