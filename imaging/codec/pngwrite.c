/* pngwrite.c - writing PNG with libpng
 *
 * The file gets the colour type, the depth, the interlacing and the chunks
 * that it came with.  The pixels of large photographs are packed by
 * pngpack.h, all others by libpng.
 *
 * libpng leaves by longjmp() on errors.  All that is owned hangs on a Writer,
 * which is freed outside of the function that calls setjmp().
 */
#include "imaging/codec/pngcodec.h"

#include <string.h>
#include <zlib.h>

#include "imaging/codec/bytesink.h"
#include "imaging/codec/pngmeta.h"
#include "imaging/codec/pngpack.h"
#include "imaging/codec/pngrows.h"

/* Level of zlib for photographs.  After filtering, repeats are short: on 28 of
 * them, level 3 gave files 1 % smaller than the usual 6, twice as fast. */
enum { PHOTO_LEVEL = 3 };

/* Photographs with so many pixels are worth several threads. */
enum {
  LARGE_PIXELS = 1 << 21,
  MOST_WIDTH = 1 << 24,
  MOST_HEIGHT = 1 << 30
};

/* In noise there are no repeats but runs.  Without a search for others, large
 * photographs with noise take 0.6 of the time, in files that are 3 to 11 %
 * smaller; those without noise would be up to 8 % larger.  So both are tried
 * on bands of rows of a picture that is large enough for it to matter and so
 * high that the bands are a small part of it. */
enum { TRIAL_BANDS = 8, BAND_ROWS = 8 };
#define LEAST_HEIGHT (16 * TRIAL_BANDS * BAND_ROWS)

typedef struct {
  png_structp png;
  png_infop info;
  const Image *image;
  int strategy; /* of zlib, for photographs */
  guint8 *row;
  GPtrArray *packed; /* contents of IDAT chunks; NULL for libpng's */
  GPtrArray *chunks;
  ByteSink sink;
  GError *error;
} Writer;

static void G_GNUC_NORETURN
on_write_error (png_structp png, png_const_charp message)
{
  pngcodec_note (png_get_error_ptr (png), TESSERA_ERROR_FAILED,
                 "cannot make a PNG: %s", message);
  png_longjmp (png, 1);
}

static void
on_write_warning (png_structp png, png_const_charp message)
{
  (void) png;
  (void) message;
}

static void
on_write (png_structp png, png_bytep data, size_t size)
{
  Writer *writer = png_get_io_ptr (png);

  if (!byte_sink_append (&writer->sink, data, size)) {
    pngcodec_note_no_memory (&writer->error);
    png_error (png, "memory");
  }
}

static void
on_flush (png_structp png)
{
  (void) png;
}

static gboolean
open_writer (Writer *writer)
{
  const Image *image = writer->image;
  gsize row_size = (gsize) image->width * (gsize) image->channels * 2;

  writer->png = png_create_write_struct_2 (
    PNG_LIBPNG_VER_STRING, &writer->error, on_write_error, on_write_warning,
    &writer->error, pngcodec_allocate, pngcodec_free);
  if (writer->png != NULL)
    writer->info = png_create_info_struct (writer->png);
  writer->row = g_try_malloc (row_size);
  if (writer->info != NULL && writer->row != NULL)
    return TRUE;
  pngcodec_note_no_memory (&writer->error);
  return FALSE;
}

static int
colour_type (const Image *image)
{
  static const int types[] = { 0, PNG_COLOR_TYPE_GRAY,
                               PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGB_ALPHA };

  return image->palette != NULL ? PNG_COLOR_TYPE_PALETTE
                                : types[image->channels];
}

static gboolean
is_photograph (const Image *image)
{
  return image->palette == NULL && image->depth >= 8;
}

static void
set_header (Writer *writer)
{
  const Image *image = writer->image;

  png_set_write_fn (writer->png, writer, on_write, on_flush);
  png_set_user_limits (writer->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR (writer->png, writer->info, (png_uint_32) image->width,
                (png_uint_32) image->height,
                image->palette != NULL ? image->palette->depth : image->depth,
                colour_type (image),
                image->meta.interlaced ? PNG_INTERLACE_ADAM7
                                       : PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (is_photograph (image)) {
    png_set_compression_level (writer->png, PHOTO_LEVEL);
    png_set_compression_strategy (writer->png, writer->strategy);
  }
}

static void
set_palette (Writer *writer)
{
  const ImagePalette *palette = writer->image->palette;
  png_color colours[256];
  guint8 alpha[256];

  for (int i = 0; i < 256; i++) {
    memcpy (&colours[i], palette->colour[i], 3);
    alpha[i] = palette->colour[i][3];
  }
  png_set_PLTE (writer->png, writer->info, colours, palette->entries);
  if (palette->alpha_entries > 0)
    png_set_tRNS (writer->png, writer->info, alpha, palette->alpha_entries,
                  NULL);
  /* Indices past the palette came with the file, and are written back. */
  png_set_check_for_invalid_index (writer->png, 0);
}

static void
set_key (Writer *writer)
{
  const guint16 *key = writer->image->meta.key;
  png_color_16 colour = {
    .gray = key[0], .red = key[0], .green = key[1], .blue = key[2]
  };

  png_set_tRNS (writer->png, writer->info, NULL, 1, &colour);
}

static void
write_chunks (Writer *writer, PngPlace place)
{
  for (guint i = 0; i < writer->chunks->len; i++) {
    const ImageChunk *chunk = writer->chunks->pdata[i];
    gsize size;
    const guint8 *data = g_bytes_get_data (chunk->data, &size);

    if (chunk->place == (int) place)
      png_write_chunk (writer->png, (png_const_bytep) chunk->name, data, size);
  }
}

/* Squared distance of @pixel from a palette entry. */
static int
distance (const guint16 *pixel, const guint8 *entry, int channels)
{
  int sum = 0;

  for (int c = 0; c < channels; c++)
    sum += (pixel[c] - entry[c]) * (pixel[c] - entry[c]);
  return sum;
}

/* The entry that the pixel came with if it still has that colour, else the
 * nearest one. */
static guint8
best_index (const Image *image, gsize number)
{
  const ImagePalette *palette = image->palette;
  int channels = image->channels;
  const guint16 *pixel = image->samples + number * (gsize) channels;
  int own = palette->index[number], best = 0, nearest = G_MAXINT;

  if (distance (pixel, palette->colour[own], channels) == 0)
    return (guint8) own;
  for (int i = 0; i < palette->entries; i++) {
    int d = distance (pixel, palette->colour[i], channels);

    if (d < nearest) {
      nearest = d;
      best = i;
    }
  }
  return (guint8) best;
}

static void
load_samples (const Image *image, const PngRow *row, guint8 *bytes)
{
  gsize channels = (gsize) image->channels;

  for (int i = 0; i < row->columns; i++) {
    const guint16 *pixel =
      image->samples + pngrow_pixel (row, image, i) * channels;

    for (gsize c = 0; c < channels; c++) {
      if (image->depth == 16)
        *bytes++ = (guint8) (pixel[c] >> 8);
      *bytes++ = (guint8) pixel[c];
    }
  }
}

static void
write_row (const PngRow *row, gpointer user_data)
{
  Writer *writer = user_data;
  const Image *image = writer->image;

  if (image->palette == NULL)
    load_samples (image, row, writer->row);
  else
    for (int i = 0; i < row->columns; i++)
      writer->row[i] = best_index (image, pngrow_pixel (row, image, i));
  png_write_row (writer->png, writer->row);
}

static void
write_packed (Writer *writer)
{
  for (guint i = 0; i < writer->packed->len; i++) {
    gsize size;
    const guint8 *data = g_bytes_get_data (writer->packed->pdata[i], &size);

    png_write_chunk (writer->png, (png_const_bytep) "IDAT", data, size);
    /* It is in the file now, which grows. */
    g_clear_pointer ((GBytes **) &writer->packed->pdata[i], g_bytes_unref);
  }
}

/* Writes the file.  An error inside libpng comes back to the setjmp() here. */
static gboolean
write_file (Writer *writer)
{
  if (setjmp (png_jmpbuf (writer->png)))
    return FALSE;
  set_header (writer);
  if (writer->image->palette != NULL)
    set_palette (writer);
  else if (writer->image->meta.has_key)
    set_key (writer);
  png_write_info_before_PLTE (writer->png, writer->info);
  write_chunks (writer, PLACE_BEFORE_PLTE);
  png_write_info (writer->png, writer->info);
  write_chunks (writer, PLACE_BEFORE_IDAT);
  png_set_packing (writer->png);
  if (writer->packed != NULL)
    write_packed (writer);
  else
    pngrows_visit (writer->image, write_row, writer);
  write_chunks (writer, PLACE_AFTER_IDAT);
  /* png_write_end() would miss pixels that went through libpng. */
  png_write_chunk (writer->png, (png_const_bytep) "IEND", NULL, 0);
  return writer->error == NULL;
}

static gboolean
is_large (const Image *image)
{
  return is_photograph (image) && image_pixels (image) >= LARGE_PIXELS
         && image->width <= MOST_WIDTH && image->height <= MOST_HEIGHT
         && !image->meta.interlaced;
}

/* Packs the pixels of a large photograph. */
static gboolean
pack (Writer *writer)
{
  if (!is_large (writer->image))
    return TRUE;
  writer->packed = pngpack_rows (writer->image, PHOTO_LEVEL, writer->strategy,
                                 &writer->error);
  return writer->packed != NULL;
}

/* @chunks are used up. */
static GBytes *
write_with (const Image *image, int strategy, GPtrArray *chunks,
            GError **error)
{
  Writer writer = { .image = image, .strategy = strategy, .chunks = chunks };
  GBytes *bytes = NULL;

  if (open_writer (&writer) && pack (&writer) && write_file (&writer))
    bytes = byte_sink_finish (&writer.sink);
  else
    g_propagate_error (error, writer.error);
  png_destroy_write_struct (&writer.png, &writer.info);
  g_free (writer.row);
  g_clear_pointer (&writer.packed, g_ptr_array_unref);
  g_ptr_array_unref (writer.chunks);
  byte_sink_clear (&writer.sink);
  return bytes;
}

/* ---- how to pack ---- */

/* Bands of @image, one below the other; NULL without memory. */
static Image *
cut_bands (const Image *image)
{
  Image *bands = image_new (image->width, TRIAL_BANDS * BAND_ROWS,
                            image->channels, image->depth, NULL);

  for (int i = 0; bands != NULL && i < TRIAL_BANDS; i++) {
    int from =
      (int) ((gint64) (image->height - BAND_ROWS) * i / (TRIAL_BANDS - 1));

    memcpy (image_pixel (bands, 0, i * BAND_ROWS),
            image_pixel (image, 0, from),
            BAND_ROWS * (gsize) image->width * (gsize) image->channels
              * sizeof (guint16));
  }
  return bands;
}

/* G_MAXSIZE if it cannot be packed. */
static gsize
packed_size (const Image *image, int strategy)
{
  g_autoptr (GPtrArray) parts =
    pngpack_rows (image, PHOTO_LEVEL, strategy, NULL);
  gsize size = 0;

  if (parts == NULL)
    return G_MAXSIZE;
  for (guint i = 0; i < parts->len; i++)
    size += g_bytes_get_size (parts->pdata[i]);
  return size;
}

static int
best_strategy (const Image *image)
{
  g_autoptr (Image) bands = NULL;

  if (!is_large (image) || image->height < LEAST_HEIGHT)
    return Z_FILTERED;
  bands = cut_bands (image);
  return bands != NULL
             && packed_size (bands, Z_RLE) < packed_size (bands, Z_FILTERED)
           ? Z_RLE
           : Z_FILTERED;
}

GBytes *
pngcodec_write (const Image *image, const EncodeOptions *options,
                GError **error)
{
  (void) options;
  return write_with (image, best_strategy (image),
                     pngmeta_chunks (&image->meta), error);
}
