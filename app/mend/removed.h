/* removed.h - what a restoration took away, as a picture */
#pragma once

#include "imaging/image.h"

/* Middle grey plus four times what was taken away; 8 bit, without alpha.
 * Both have the same size and type.  NULL with @error set (MEMORY) when there
 * is not enough memory. */
Image *draw_removed (const Image *before, const Image *after, GError **error);
