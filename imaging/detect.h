/* detect.h - find damage that nobody marked */
#pragma once

#include "imaging/mask.h"

/* Blacked-out blocks: regions of pure black with straight edges, 3 pixels wide
 * or more, in a surrounding that is not black.  See detect_blocks.c for what
 * tells them from the dark parts of a photograph. */
Mask *mask_of_black_blocks (const Image *image, GError **error);

/* Dead and random-valued pixels: those that stand out from the pixels around
 * them that are alive.  Works up to about nine dead pixels in ten when they
 * are all black or all white, and up to about one in five when they have any
 * value.  See detect_dead.c. */
Mask *mask_of_dead_pixels (const Image *image, GError **error);
