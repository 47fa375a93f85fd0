/* tiffcodec.h - what reading and writing TIFF have in common
 *
 * Fields of a directory that say something about the picture, but not how it is
 * stored, are kept as ImageChunks: "TIFF" for those of the picture itself,
 * "EXIF" and "GPS" for those of its two further directories, each with its tag
 * as the place and its values as libtiff has them in memory.  "STORE" chunks keep how the file
 * was stored, and are honoured where that loses nothing.
 */
#pragma once

#include "imaging/codec/codec.h"

#include "base/error.h"
#include "imaging/codec/bytesink.h"

#include <tiffio.h>

#define TIFF_CHUNK "TIFF"
#define TIFF_CHUNK_EXIF "EXIF"
#define TIFF_CHUNK_GPS "GPS"
#define TIFF_CHUNK_STORE "STORE"

/* A file in memory, read or written through libtiff, and the first thing that
 * went wrong with it. */
typedef struct {
  TIFF *tiff;
  const guint8 *data; /* when reading */
  gsize size;
  ByteSink sink; /* when writing */
  gsize at;
  char *message; /* the first error of libtiff, or NULL */
  char *warning; /* the first warning that puts pixels in doubt, or NULL */
  gboolean is_full; /* no memory was left to write to */
} TiffFile;

/* Where the first directory is, and the one after that at @place; 0 if there
 * is none, and anything if the file is broken. */
guint64 tiff_first_page (const guint8 *data, gsize size);
guint64 tiff_next_page (const guint8 *data, gsize size, guint64 place);

/* Whether there is room in the file for the directory at @place. */
gboolean tiff_is_page (const guint8 *data, gsize size, guint64 place);

/* Opens @size bytes at @data for reading, at no directory yet; no single piece of memory that
 * libtiff asks for may be larger than @max_piece. */
gboolean tiff_file_open (TiffFile *file, const guint8 *data, gsize size,
                         gsize max_piece);

/* Opens a file to add a page to @pages, whose bytes it takes. */
gboolean tiff_file_create (TiffFile *file, PageSink *pages);

/* Closes such a file with its new page and gives the bytes back to @pages.
 * FALSE if there was no memory for the end. */
gboolean tiff_file_finish (TiffFile *file, PageSink *pages);

void tiff_file_close (TiffFile *file);

/* Fails with @code and, if there is one, libtiff's message. */
gboolean tiff_file_fail (const TiffFile *file, TesseraError code,
                         const char *trouble, GError **error);

/* A number that says how the file was stored: a STORE chunk. */
void tiff_store_set (ImageMeta *meta, guint32 tag, guint32 value);

/* That number, or @otherwise if @meta is from another format or has none. */
guint32 tiff_store_get (const ImageMeta *meta, guint32 tag, guint32 otherwise);

/* Reads the fields of the current directory, EXIF and GPS, at most
 * limits->max_metadata bytes of them. */
gboolean tiffmeta_read (TiffFile *file, const ImageLimits *limits,
                        ImageMeta *meta, GError **error);

/* The EXIF and GPS directories of a page, 0 for none. */
typedef struct {
  guint64 exif, gps;
} TiffPlaces;

/* The fields (ImageChunk) that a page with @meta is to have, whatever format
 * that is from.  Free with g_ptr_array_unref(). */
GPtrArray *tiffmeta_fields (const ImageMeta *meta);

/* Writes the EXIF and GPS directories among @fields.  Call it before anything
 * is set for the page itself. */
gboolean tiffmeta_write_extras (TiffFile *file, const GPtrArray *fields,
                                TiffPlaces *places);

/* Sets the other fields of the page. */
void tiffmeta_set_fields (TiffFile *file, const GPtrArray *fields,
                          const TiffPlaces *places);

/* Sets profile, orientation and density. */
void tiffmeta_set (TiffFile *file, const ImageMeta *meta);

/* For the Codec: see there. */
const char *tiffmeta_loses (const ImageMeta *meta, const ImageChunk *chunk,
                            TesseraFormat to);

/* Adds EXIF and GPS fields to @chunks, from the directories at these places;
 * FALSE when there is no room for them. */
gboolean tiffmeta_read_extras (TiffFile *file, const TiffPlaces *places,
                               gsize *room, GPtrArray *chunks);

/* ---- tiffexif.c: EXIF data as other formats have them ---- */

/* The texts, EXIF and GPS fields of a TIFF, as such data; NULL if there are
 * none, or no memory. */
GBytes *tiffexif_pack (const ImageMeta *meta);

/* Adds the fields that are in such data to @fields. */
void tiffexif_unpack (GBytes *exif, GPtrArray *fields);

Image *tiffcodec_read (const guint8 *data, gsize size, guint64 place,
                       const ImageLimits *limits, GError **error);
gboolean tiffcodec_append (const Image *image, PageSink *pages,
                           const EncodeOptions *options, GError **error);
