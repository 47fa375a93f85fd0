/* jpegpatch.h - change a part of a JPEG, and keep the rest as it is
 *
 * A JPEG that is decoded and encoded changes everywhere, if only by rounding.
 * Here blocks of 8 x 8 samples without a changed pixel keep the coefficients of
 * the file; the others are made anew, with the tables and the size of the
 * colours that the file has.
 */
#pragma once

#include "imaging/codec/codec.h"
#include "imaging/mask.h"

typedef struct {
  GBytes *bytes; /* the new file; NULL if it is better made as a whole */
  gsize blocks, changed; /* of brightness, in the whole and that were made
                            anew */
} JpegPatch;

/* Makes a JPEG of @image that is like @source, which @image was decoded from,
 * but for the pixels of @changed.  The caller owns what is in @patch.
 *
 * There is none, which is no error, if more than half of the blocks change, or
 * if the file is in colours or has tables that cannot be used again.  FALSE
 * with @error set: MEMORY. */
gboolean jpeg_patch (GBytes *source, const Image *image, const Mask *changed,
                     JpegPatch *patch, GError **error);
