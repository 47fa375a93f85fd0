/* jpegtraces.h - pictures that were a JPEG before they came into this file
 *
 * A JPEG keeps the cosines of blocks of 8 x 8 samples as multiples of steps,
 * and they are still near multiples once the picture is stored otherwise. With
 * the steps q_f that libjpeg has at a quality, and the cosines c of brightness
 * that are not near zero, the share
 *
 *     | { c : |c - q round (c / q)| <= 1 } |  /  | { c } |
 *
 * is near one in blocks of a picture that was such a JPEG, and 2 / q by chance.  Only
 * blocks that begin where those of an uncut, unturned JPEG do are looked at,
 * and only steps of 6 and more, between whose multiples there is room.
 */
#pragma once

#include "imaging/image.h"

/* Notes in the metadata of @image, which is as its file stores it, with which
 * steps it was compressed before, if that can be seen: up to quality 85 or so.
 * FALSE with @error set: MEMORY. */
gboolean image_trace_jpeg (Image *image, GError **error);
