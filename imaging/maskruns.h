/* maskruns.h - a mask in few bytes, to be sent
 *
 * The pixels, row after row, are runs that are known and missing in turn,
 * the first one known.  Each run is written as its length, seven bits per
 * byte, low ones first, with the top bit set in all bytes but the last:
 *
 *     3 known, 200 missing, 1 known   ->   03  C8 01  01
 *
 * Only the first run may be empty, the lengths add up to width x height, and
 * no length has more bytes than it needs: one mask, one way to write it.
 */
#pragma once

#include "imaging/mask.h"

/* The bytes of @mask, which the caller owns.  NULL with @error set (MEMORY)
 * when there is not enough memory. */
GBytes *mask_to_runs (const Mask *mask, GError **error);

/* The mask that @runs hold.  NULL with @error set: INPUT for bytes that are
 * not those of a mask of that size, MEMORY. */
Mask *mask_from_runs (GBytes *runs, int width, int height, GError **error);
