/* pngpack.h - the pixels of a PNG, packed by several threads
 *
 * Rows are filtered each by that of the five filters whose bytes, as signed
 * numbers, have the least sum of magnitudes: what libpng does, so files are as
 * small.  Bands of rows are then packed by themselves.  Blocks of deflate may
 * follow one another, so that all bands make one stream, the same for any
 * number of threads.
 */
#pragma once

#include "imaging/image.h"

/* The contents of the IDAT chunks of @image, which has 8 or 16 bits and no
 * palette, row by row: an array of GBytes.  @level and @strategy are those of
 * zlib.  NULL with @error set (MEMORY). */
GPtrArray *pngpack_rows (const Image *image, int level, int strategy,
                         GError **error);
