/* codec.h - pictures from and to the bytes of files
 *
 * Formats are listed in one table; a new one is one file, one row, and a
 * number for it in TesseraFormat.
 * Decoding never trusts a size that a file claims: it is checked against
 * ImageLimits, and against what the file could possibly hold, before memory is
 * allocated.
 */
#pragma once

#include "imaging/codec/bytesink.h"
#include "imaging/image.h"

typedef struct {
  gsize max_pixels;   /* width x height */
  int max_side;       /* width or height */
  int max_scans;      /* of a progressive JPEG */
  gsize max_metadata; /* bytes of profiles, EXIF and the like */
  gboolean lenient;   /* keep what there is of a broken file; the rest is
                         black, grey (JPEG) or the first colour (palette) */
} ImageLimits;

#define IMAGE_LIMITS_DEFAULTS                                                 \
  ((ImageLimits){ .max_pixels = 200 * 1000 * 1000,                            \
                  .max_side = 65500,                                          \
                  .max_scans = 100,                                           \
                  .max_metadata = 64 * 1000 * 1000 })

typedef struct {
  int jpeg_quality; /* 1 .. 100 */
  int webp_quality; /* 1 .. 100, or 0 for lossless */
} EncodeOptions;

#define ENCODE_DEFAULTS ((EncodeOptions){ .jpeg_quality = 95 })

/* Decodes @data, whatever format it is in; the result is upright.
 * @name is used in messages only.  Returns NULL with @error set: INPUT for a
 * broken or unknown file, LIMIT for one that is too large,
 * MEMORY when there is not enough of it. */
Image *image_decode (GBytes *data, const char *name, const ImageLimits *limits,
                     GError **error);

/* Encodes @image with its metadata, turned back to how its file stored it.
 * JPEG cannot hold 16 bits or alpha, WebP no 16 bits, and only TIFF several
 * pages: asking for that is a USAGE error, and so is a format that is not
 * built in. */
GBytes *image_encode (const Image *image, TesseraFormat format,
                      const EncodeOptions *options, GError **error);

/* Adds to @names what a file of @format will not hold of what the file of
 * @image said ("IPTC data", char * for g_free), except for what is there
 * already. */
void image_left_out (const Image *image, TesseraFormat format,
                     GPtrArray *names);

/* All of that in one line, for g_free(); NULL if it is nothing. */
char *image_left_out_words (const Image *image, TesseraFormat format);

/* Such names in one line, for g_free(); NULL if there are none. */
char *image_join_names (const GPtrArray *names);

/* The format that the ending of @path names; FALSE when none does. */
gboolean image_format_from_path (const char *path, TesseraFormat *format);

/* The name of a format that is built in, and its type in the sense of MIME. */
const char *image_format_name (TesseraFormat format);
const char *image_format_type (TesseraFormat format);

/* "PNG, JPEG, TIFF or WebP", as far as they are built in. */
const char *image_format_list (void);

/* All such endings, lower case, without a dot, NULL at the end. */
const char *const *image_format_endings (void);

/* The usual ending of a file with this content; NULL for an unknown format. */
const char *image_ending_of (GBytes *data);

/* The pages that were written so far.  Starts as all zeros. */
typedef struct {
  ByteSink bytes;
  guint64 first, last; /* where their directories are */
} PageSink;

/* One format, for codec.c.  Its functions know nothing of file names and of
 * how a picture is turned: a decoder leaves that to the EXIF data, or sets
 * meta.orientation where the format has a field for it. */
typedef struct {
  TesseraFormat format;
  const char *name; /* for people */
  const char *type; /* "image/png" */
  const char *const *extensions; /* lower case, the usual one first, NULL at
                                    the end */
  gboolean stores_orientation;   /* in a field of its own, beside EXIF */
  gboolean stores_premultiplied; /* colours that are multiplied by alpha */
  gboolean (*matches) (const guint8 *data, gsize size);
  Image *(*decode) (const guint8 *data, gsize size, const ImageLimits *limits,
                    GError **error);
  GBytes *(*encode) (const Image *image, const EncodeOptions *options,
                     GError **error);

  /* What of a file of this format is lost with @chunk in one of format @to,
   * in words; NULL if that is nothing.  NULL if it never is. */
  const char *(*loses) (const ImageMeta *meta, const ImageChunk *chunk,
                        TesseraFormat to);

  /* For a format that has pages; else NULL; see pages.h.  @find_pages fills
   * an array of guint64; one that stays empty stands for a single page. */
  void (*find_pages) (const guint8 *data, gsize size, GArray *places);
  Image *(*decode_page) (const guint8 *data, gsize size, guint64 place,
                         const ImageLimits *limits, GError **error);
  gboolean (*append) (const Image *image, PageSink *pages,
                      const EncodeOptions *options, GError **error);
} Codec;

/* For pages.c: the format of a file, NULL if there is none; and that with this
 * number, NULL with @error set (USAGE) if it is not built in. */
const Codec *codec_of_data (GBytes *data);
const Codec *codec_of_format (TesseraFormat format, GError **error);

/* For pages.c: image_decode() for the page at @place, and the first page for
 * 0. */
Image *codec_decode_page (GBytes *data, guint64 place, const char *name,
                          const ImageLimits *limits, GError **error);

/* For pages.c: adds a page to @pages, in a format that has some; FALSE with
 * @error set, and then @pages is of no more use. */
gboolean codec_append (const Codec *codec, const Image *image, PageSink *pages,
                       const EncodeOptions *options, GError **error);

extern const Codec codec_png;
extern const Codec codec_jpeg;
#ifdef HAVE_TIFF
extern const Codec codec_tiff;
#endif
#ifdef HAVE_WEBP
extern const Codec codec_webp;
#endif

/* For decoders: whether a picture may be that large; LIMIT if not. */
gboolean image_limits_allow (const ImageLimits *limits, gsize width,
                             gsize height, GError **error);

/* For decoders: whether to keep a picture that broke off with @error after
 * @rows rows; @error is then cleared. */
gboolean image_limits_forgive (const ImageLimits *limits, gsize rows,
                               GError **error);
