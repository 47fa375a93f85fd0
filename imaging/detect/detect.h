/* detect.h - find damage that nobody marked */
#pragma once

#include "base/progress.h"
#include "imaging/mask.h"

/* Blacked-out blocks: regions of pure black with straight edges, 3 pixels wide
 * or more, in a surrounding that is not black.  See detect_blocks.c for what
 * tells them from the dark parts of a photograph. */
Mask *mask_of_black_blocks (const Image *image, GError **error);

/* Dead and random-valued pixels: those that stand out from the pixels around
 * them that are alive.  Works up to about nine dead pixels in ten when they
 * are all black or all white, and up to about one in five when they have any
 * value.  See detect_dead.c.
 *
 * Takes seconds for a large picture.  @progress may be NULL; NULL is returned,
 * with @error set (CANCELLED), when it was cancelled. */
Mask *mask_of_dead_pixels (const Image *image, const Progress *progress,
                           GError **error);
