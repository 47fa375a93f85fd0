/* pngmeta.h - metadata of a PNG
 *
 * Ancillary chunks are kept as raw bytes and written back unchanged.  ICC
 * profile, EXIF, XMP and density are also read from them, because other
 * formats have these too, and are made into chunks when they come from there.
 */
#pragma once

#include "imaging/image.h"

/* The position of a chunk in its file; the PNG standard has rules for it.
 * Without a PLTE chunk, all in front of IDAT counts as before PLTE. */
typedef enum {
  PLACE_BEFORE_PLTE,
  PLACE_BEFORE_IDAT,
  PLACE_AFTER_IDAT,
} PngPlace;

/* Whether the ancillary chunk @name may be copied beside changed pixels. */
gboolean pngmeta_may_copy (const char *name);

/* Fills icc, exif, xmp and density of @meta from its chunks.  What is broken
 * is left out.  Fails (LIMIT) when the profile is larger than @max_profile. */
gboolean pngmeta_interpret (ImageMeta *meta, gsize max_profile,
                            GError **error);

/* All chunks (ImageChunk) that a PNG with @meta is to have.
 * Free with g_ptr_array_unref(). */
GPtrArray *pngmeta_chunks (const ImageMeta *meta);

/* The text of a chunk with one of the keywords for which TIFF has a tag, and
 * that tag; NULL for any other.  UTF-8, to be freed. */
char *pngmeta_text (const ImageChunk *chunk, int *tag);

/* For the Codec: see there. */
const char *pngmeta_loses (const ImageMeta *meta, const ImageChunk *chunk,
                           TesseraFormat to);
