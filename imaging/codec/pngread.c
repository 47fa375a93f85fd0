/* pngread.c - reading PNG with libpng
 *
 * libpng decompresses, filters and checks; metadata chunks are passed on
 * unchanged (see pngmeta.h).  Rows go straight to their place in the image,
 * also those of an interlaced picture.
 *
 * libpng leaves by longjmp() on errors.  All that is owned hangs on a Reader,
 * which is freed outside of the function that calls setjmp().
 */
#include "imaging/codec/pngcodec.h"

#include <string.h>

#include "base/cpudispatch.h"
#include "imaging/codec/pngmeta.h"
#include "imaging/codec/pngrows.h"

enum {
  /* A deflate stream spends at least two bits on 258 bytes. */
  DEFLATE_MAX_RATIO = 1032,
  /* Packed bytes that a row may take beyond twice its size.  After the last
   * row this stops a stream that would decompress for hours. */
  PACKED_ROW_SLACK = 64 * 1024,
  /* What a chunk costs beside its bytes; a file may have millions. */
  CHUNK_OVERHEAD = 128,
};

typedef struct {
  png_structp png;
  png_infop info;
  const ImageLimits *limits;
  const guint8 *data; /* the file */
  gsize size, offset;
  Image *image; /* NULL before the header was read */
  guint8 *row;  /* as libpng decompresses it, one or two bytes per sample */
  gsize rows_done;
  gsize packed, max_packed; /* bytes that this row has taken, and may take */
  GPtrArray *chunks;
  gsize metadata;       /* what they cost */
  guint32 broken_chunk; /* type of the last one with a wrong checksum */
  GError *error;
} Reader;

static void G_GNUC_NORETURN
on_read_error (png_structp png, png_const_charp message)
{
  pngcodec_note (png_get_error_ptr (png), TESSERA_ERROR_INPUT,
                 "the PNG is broken: %s", message);
  png_longjmp (png, 1);
}

/* Warnings about the pixels after which we have all of them.  libpng has no
 * codes: only its words tell them from a wrong checksum of zlib, which also
 * comes after the last row. */
static gboolean
is_harmless (const char *message)
{
  return strstr (message, "Extra compressed data") != NULL
         || strstr (message, "Too much image data") != NULL
         || strstr (message, "chunk data is too large") != NULL;
}

static gboolean
is_in_idat (png_structp png)
{
  return png_get_io_chunk_type (png) == 0x49444154; /* "IDAT" */
}

/* libpng only warns when the checksum of the pixels is wrong, which for us is
 * an error, and when an ancillary chunk is broken, which we then drop. */
static void
on_read_warning (png_structp png, png_const_charp message)
{
  Reader *reader = png_get_io_ptr (png);

  /* Memory that is short at the start is an error that follows. */
  if (reader == NULL)
    return;
  if (!is_in_idat (png))
    reader->broken_chunk = png_get_io_chunk_type (png);
  else if (g_str_has_prefix (message, "IDAT: ") && !is_harmless (message))
    png_error (png, message);
}

/* Hands the next @size bytes of the file to libpng. */
static void
on_read (png_structp png, png_bytep to, size_t size)
{
  Reader *reader = png_get_io_ptr (png);

  if (size > reader->size - reader->offset) {
    pngcodec_note (&reader->error, TESSERA_ERROR_INPUT,
                   "the PNG is truncated");
    png_error (png, "truncated");
  }
  if (is_in_idat (png) && (reader->packed += size) > reader->max_packed)
    png_error (png, "more data than the picture needs");
  memcpy (to, reader->data + reader->offset, size);
  reader->offset += size;
}

static PngPlace
place_of (const png_unknown_chunk *chunk)
{
  if (chunk->location & PNG_AFTER_IDAT)
    return PLACE_AFTER_IDAT;
  return chunk->location & PNG_HAVE_PLTE ? PLACE_BEFORE_IDAT
                                         : PLACE_BEFORE_PLTE;
}

/* Whether the picture can be understood without the chunk @name. */
static gboolean
can_do_without (Reader *reader, const char *name)
{
  if (g_str_equal (name, "acTL"))
    pngcodec_note (&reader->error, TESSERA_ERROR_INPUT,
                   "the PNG is animated, only single pictures can be read");
  else if (g_ascii_isupper (name[0]))
    pngcodec_note (&reader->error, TESSERA_ERROR_INPUT,
                   "the PNG cannot be read without its unknown chunk %s",
                   name);
  return reader->error == NULL;
}

/* Takes a chunk that libpng does not interpret: > 0 done, < 0 error. */
static int
on_chunk (png_structp png, png_unknown_chunkp chunk)
{
  Reader *reader = png_get_user_chunk_ptr (png);
  const char *name = (const char *) chunk->name;
  gboolean broken = reader->broken_chunk == png_get_io_chunk_type (png);

  reader->broken_chunk = 0;
  if (!can_do_without (reader, name))
    return -1;
  if (broken || !pngmeta_may_copy (name))
    return 1;
  reader->metadata += chunk->size + CHUNK_OVERHEAD;
  if (reader->metadata > reader->limits->max_metadata) {
    pngcodec_note (&reader->error, TESSERA_ERROR_LIMIT,
                   "the metadata is larger than the limit of %" G_GSIZE_FORMAT
                   " bytes",
                   reader->limits->max_metadata);
    return -1;
  }
  g_ptr_array_add (reader->chunks,
                   image_chunk_new (name, place_of (chunk),
                                    g_bytes_new (chunk->data, chunk->size)));
  return 1;
}

static gboolean
open_reader (Reader *reader)
{
  reader->png = png_create_read_struct_2 (
    PNG_LIBPNG_VER_STRING, &reader->error, on_read_error, on_read_warning,
    &reader->error, pngcodec_allocate, pngcodec_free);
  if (reader->png != NULL)
    reader->info = png_create_info_struct (reader->png);
  if (reader->info != NULL)
    return TRUE;
  pngcodec_note_no_memory (&reader->error);
  return FALSE;
}

static void
set_up_reader (Reader *reader)
{
  png_structp png = reader->png;

  png_set_read_fn (png, reader, on_read);
  png_set_user_limits (png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  /* No memory is allocated for a chunk that is longer than the file. */
  png_set_chunk_malloc_max (png, reader->size);
  png_set_keep_unknown_chunks (png, PNG_HANDLE_CHUNK_ALWAYS, NULL, -1);
  png_set_read_user_chunk_fn (png, reader, on_chunk);
  /* Indices past the palette are black (read_palette()), not an error. */
  png_set_check_for_invalid_index (png, 0);
  if (reader->limits->lenient)
    png_set_crc_action (png, PNG_CRC_QUIET_USE, PNG_CRC_DEFAULT);
}

/* Checks that the picture is small enough, and that the file is large enough
 * to hold it. */
static gboolean
check_size (Reader *reader)
{
  gsize width = png_get_image_width (reader->png, reader->info);
  gsize height = png_get_image_height (reader->png, reader->info);
  gsize row = png_get_rowbytes (reader->png, reader->info);
  double most = (double) DEFLATE_MAX_RATIO * (double) reader->size;

  if (!image_limits_allow (reader->limits, width, height, &reader->error))
    return FALSE;
  if ((double) row * (double) height > most) {
    pngcodec_note (&reader->error, TESSERA_ERROR_INPUT,
                   "the PNG is truncated");
    return FALSE;
  }
  reader->max_packed = 2 * row + PACKED_ROW_SLACK;
  return TRUE;
}

/* Without a tRNS chunk, or past its end, entries are opaque.  Indices past the
 * palette, which a broken file may have, are opaque black. */
static gboolean
read_palette (Reader *reader, int depth)
{
  ImagePalette *palette = g_new0 (ImagePalette, 1);
  png_colorp colours = NULL;
  png_bytep alpha = NULL;

  reader->image->palette = palette;
  palette->depth = depth;
  png_get_PLTE (reader->png, reader->info, &colours, &palette->entries);
  png_get_tRNS (reader->png, reader->info, &alpha, &palette->alpha_entries,
                NULL);
  for (int i = 0; i < 256; i++) {
    guint8 *entry = palette->colour[i];

    if (i < palette->entries)
      memcpy (entry, &colours[i], 3);
    entry[3] = i < palette->alpha_entries ? alpha[i] : 255;
  }
  palette->index = g_try_new0 (guint8, image_pixels (reader->image));
  if (palette->index == NULL)
    pngcodec_note_no_memory (&reader->error);
  return palette->index != NULL;
}

/* The standard says that bits above the depth of a sample do not count. */
static void
read_key (Reader *reader)
{
  Image *image = reader->image;
  ImageMeta *meta = &image->meta;
  int peak = image_peak (image);
  png_color_16p key = NULL;

  if (!png_get_tRNS (reader->png, reader->info, NULL, NULL, &key))
    return;
  meta->has_key = TRUE;
  meta->key[0] =
    (guint16) ((image->channels == 1 ? key->gray : key->red) & peak);
  meta->key[1] = (guint16) (key->green & peak);
  meta->key[2] = (guint16) (key->blue & peak);
}

/* A colour PNG may suggest a palette for displays with few colours. */
static void
keep_suggested_palette (Reader *reader)
{
  png_colorp colours;
  int entries;

  if (png_get_PLTE (reader->png, reader->info, &colours, &entries))
    g_ptr_array_add (
      reader->chunks,
      image_chunk_new ("PLTE", PLACE_BEFORE_PLTE,
                       g_bytes_new (colours, 3 * (gsize) entries)));
}

/* Makes the image that the header calls for. */
static gboolean
make_image (Reader *reader)
{
  png_structp png = reader->png;
  png_infop info = reader->info;
  int depth = png_get_bit_depth (png, info);
  gboolean indexed = png_get_color_type (png, info) == PNG_COLOR_TYPE_PALETTE;
  int colours = png_get_valid (png, info, PNG_INFO_tRNS) ? 4 : 3;

  reader->image = image_new ((int) png_get_image_width (png, info),
                             (int) png_get_image_height (png, info),
                             indexed ? colours : png_get_channels (png, info),
                             indexed ? 8 : depth, &reader->error);
  if (reader->image == NULL)
    return FALSE;
  reader->image->meta.format = TESSERA_PNG;
  reader->image->meta.interlaced =
    png_get_interlace_type (png, info) == PNG_INTERLACE_ADAM7;
  if (indexed)
    return read_palette (reader, depth);
  read_key (reader);
  keep_suggested_palette (reader);
  return TRUE;
}

static gboolean
make_row (Reader *reader)
{
  png_set_packing (reader->png); /* a byte for a sample of 1, 2 or 4 bits */
  png_read_update_info (reader->png, reader->info);
  reader->row = g_try_malloc (png_get_rowbytes (reader->png, reader->info));
  if (reader->row == NULL)
    pngcodec_note_no_memory (&reader->error);
  return reader->row != NULL;
}

/* Rows of 8 bits that are not interlaced: nearly all there are. */
CPU_DISPATCH static void
store_bytes (guint16 *restrict samples, const guint8 *restrict bytes,
             gsize count)
{
  for (gsize i = 0; i < count; i++)
    samples[i] = bytes[i];
}

static void
store_samples (Image *image, const PngRow *row, const guint8 *bytes)
{
  gsize channels = (gsize) image->channels;

  if (row->step == 1 && image->depth != 16) {
    store_bytes (image->samples + pngrow_pixel (row, image, 0) * channels,
                 bytes, (gsize) row->columns * channels);
    return;
  }

  for (int i = 0; i < row->columns; i++) {
    guint16 *pixel = image->samples + pngrow_pixel (row, image, i) * channels;

    for (gsize c = 0; c < channels; c++)
      if (image->depth == 16) {
        pixel[c] = (guint16) (bytes[0] << 8 | bytes[1]);
        bytes += 2;
      } else
        pixel[c] = *bytes++;
  }
}

static void
store_indices (Image *image, const PngRow *row, const guint8 *bytes)
{
  for (int i = 0; i < row->columns; i++)
    image->palette->index[pngrow_pixel (row, image, i)] = bytes[i];
}

static void
read_row (const PngRow *row, gpointer user_data)
{
  Reader *reader = user_data;

  reader->packed = 0;
  png_read_row (reader->png, reader->row, NULL);
  if (reader->image->palette != NULL)
    store_indices (reader->image, row, reader->row);
  else
    store_samples (reader->image, row, reader->row);
  reader->rows_done++;
}

/* Reads the file.  An error inside libpng comes back to the setjmp() here. */
static gboolean
read_file (Reader *reader)
{
  if (setjmp (png_jmpbuf (reader->png)))
    return FALSE;
  set_up_reader (reader);
  png_read_info (reader->png, reader->info);
  if (!check_size (reader) || !make_image (reader) || !make_row (reader))
    return FALSE;
  pngrows_visit (reader->image, read_row, reader);
  png_read_end (reader->png, reader->info);
  return reader->error == NULL;
}

/* Gives all pixels the colours of their indices, also those that a broken
 * file does not have. */
static void
apply_palette (Image *image)
{
  gsize pixels = image_pixels (image);
  guint16 *sample = image->samples;

  for (gsize i = 0; i < pixels; i++)
    for (int c = 0; c < image->channels; c++)
      *sample++ = image->palette->colour[image->palette->index[i]][c];
}

static void
close_reader (Reader *reader)
{
  png_destroy_read_struct (&reader->png, &reader->info, NULL);
  g_free (reader->row);
  image_free (reader->image);
  g_clear_pointer (&reader->chunks, g_ptr_array_unref);
}

static gboolean
finish_image (Reader *reader)
{
  ImageMeta *meta = &reader->image->meta;

  if (reader->image->palette != NULL)
    apply_palette (reader->image);
  if (!meta->interlaced && reader->rows_done < (gsize) reader->image->height)
    meta->stored_rows = (int) reader->rows_done;
  meta->chunks = g_steal_pointer (&reader->chunks);
  return pngmeta_interpret (
    meta, reader->limits->max_metadata - reader->metadata, &reader->error);
}

Image *
pngcodec_read (const guint8 *data, gsize size, const ImageLimits *limits,
               GError **error)
{
  Reader reader = {
    .data = data,
    .size = size,
    .limits = limits,
    .chunks = image_chunks_new (),
  };
  Image *image = NULL;

  if (((open_reader (&reader) && read_file (&reader))
       || image_limits_forgive (limits, reader.rows_done, &reader.error))
      && finish_image (&reader))
    image = g_steal_pointer (&reader.image);
  else
    g_propagate_error (error, reader.error);
  close_reader (&reader);
  return image;
}
