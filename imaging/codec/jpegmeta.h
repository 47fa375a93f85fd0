/* jpegmeta.h - what a JPEG says beside its pixels
 *
 * Marker segments are carried as raw bytes and go back as they came, except
 * for JFIF and Adobe, which libjpeg writes itself.  ICC profile, EXIF and
 * density are also read from them, because PNG has these too, and are made
 * into markers when they come from a PNG.
 */
#pragma once

#include "imaging/codec/jpegcodec.h"

/* Has libjpeg keep the markers.  Call it before jpeg_read_header(). */
void jpegmeta_keep_markers (j_decompress_ptr cinfo);

/* Fills @meta from the markers in front of the pixels.  Fails, like libjpeg,
 * when they are larger than @max_size. */
void jpegmeta_read (j_decompress_ptr cinfo, gsize max_size, ImageMeta *meta);

/* Whether a JPEG has room for @meta; USAGE if not. */
gboolean jpegmeta_fits (const ImageMeta *meta, GError **error);

/* Sets the density.  Call it before jpeg_start_compress(). */
void jpegmeta_set_density (j_compress_ptr cinfo, const ImageMeta *meta);

/* Writes the markers.  Call it after jpeg_start_compress(). */
void jpegmeta_write (j_compress_ptr cinfo, const ImageMeta *meta);
