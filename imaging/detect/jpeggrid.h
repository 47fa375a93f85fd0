/* jpeggrid.h - whether a picture was a JPEG before
 *
 * JPEG rounds many high cosines of its blocks of 8 x 8 pixels to zero.  They
 * are still near zero once the picture is decoded and stored otherwise, but
 * only in blocks that begin where those did: in one of 8 x 8 positions a far
 * larger share of them is than in all others.
 */
#pragma once

#include "imaging/image.h"

/* Whether there is such a position. */
gboolean image_has_jpeg_grid (const Image *image);
