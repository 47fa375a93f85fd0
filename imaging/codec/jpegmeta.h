/* jpegmeta.h - metadata of a JPEG
 *
 * Marker segments are kept as raw bytes and written back unchanged, except for
 * JFIF and Adobe, which libjpeg writes itself.  ICC profile, EXIF, XMP, IPTC
 * and density are also read from them, because other formats have these too,
 * and are made into markers when they come from there.
 */
#pragma once

#include "imaging/codec/jpegcodec.h"

/* Fills @meta from the markers in front of the pixels, which
 * jpegmarkers_keep() has kept. */
void jpegmeta_read (j_decompress_ptr cinfo, ImageMeta *meta);

/* Whether a JPEG has room for @meta; USAGE if not. */
gboolean jpegmeta_fits (const ImageMeta *meta, GError **error);

/* Sets the density.  Call it before jpeg_start_compress(). */
void jpegmeta_set_density (j_compress_ptr cinfo, const ImageMeta *meta);

/* Writes the markers.  Call it after jpeg_start_compress(). */
void jpegmeta_write (j_compress_ptr cinfo, const ImageMeta *meta);

/* For the Codec: see there. */
const char *jpegmeta_loses (const ImageMeta *meta, const ImageChunk *chunk,
                            TesseraFormat to);
