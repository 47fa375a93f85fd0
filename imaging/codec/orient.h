/* orient.h - the eight ways in which EXIF lets a picture be stored
 *
 * With w, h the size of the upright picture and (x, y) one of its pixels, the
 * file stores that pixel in this column and row:
 *
 *     1   x, y              5   y, x
 *     2   w-1-x, y          6   y, w-1-x
 *     3   w-1-x, h-1-y      7   h-1-y, w-1-x
 *     4   x, h-1-y          8   h-1-y, x
 */
#pragma once

#include "imaging/image.h"

/* The upright picture of @stored, which its file stores as @orientation (1 ..
 * 8) says.  Palette indices are turned too; metadata stays the same.  Returns
 * NULL, with @error set (MEMORY), when there is not enough memory. */
Image *orient_upright (const Image *stored, int orientation, GError **error);

/* The part of the upright picture that the file of @image holds: all of it,
 * unless it is truncated (meta.stored_rows). */
ImageArea orient_known_area (const Image *image);

/* The other way round: the picture as its file stores it. */
Image *orient_stored (const Image *upright, int orientation, GError **error);
