/* tiffwrite.c - writing TIFF with libtiff, always without loss
 *
 * A picture that came from a TIFF goes back in the same way: tiles or strips,
 * and the same compression if that loses nothing.  All others are deflated.
 */
#include "imaging/codec/tiffcodec.h"

#include <string.h>

/* Bytes of a strip, before compression. */
#define STRIP_BYTES (256 * 1024)

/* The largest file with offsets of 32 bits, with some room for fields. */
#define SMALL_BYTES ((gsize) 3 << 30)

typedef struct {
  TiffFile file;
  const Image *image;
  guint32 block_width, block_height;
  gboolean is_tiled, inverted;
} Writer;

/* A compression for @image: that of its file, or deflate.  Not the plain runs of
 * CCITT: libtiff counts bits behind the end of a strip when it looks for the
 * byte where the last row begins, and reads another row. */
static int
choose_compression (const Image *image)
{
  guint32 own = tiff_store_get (&image->meta, TIFFTAG_COMPRESSION,
                                COMPRESSION_ADOBE_DEFLATE);

  switch (own) {
  case COMPRESSION_CCITTRLE:
    own = COMPRESSION_CCITTFAX4;
    /* fall through */
  case COMPRESSION_CCITTFAX3:
  case COMPRESSION_CCITTFAX4:
    if (image->depth != 1 || image->channels != 1)
      break;
    return (int) own;
  case COMPRESSION_NONE:
  case COMPRESSION_LZW:
  case COMPRESSION_PACKBITS:
  case COMPRESSION_DEFLATE:
  case COMPRESSION_LZMA:
  case COMPRESSION_ZSTD:
    if (TIFFIsCODECConfigured ((guint16) own))
      return (int) own;
    break;
  default:
    break;
  }
  return COMPRESSION_ADOBE_DEFLATE;
}

static gboolean
has_predictor (int compression)
{
  return compression == COMPRESSION_LZW || compression == COMPRESSION_DEFLATE
         || compression == COMPRESSION_ADOBE_DEFLATE
         || compression == COMPRESSION_LZMA || compression == COMPRESSION_ZSTD;
}

static void
set_blocks (Writer *writer)
{
  const Image *image = writer->image;
  TIFF *tiff = writer->file.tiff;
  guint32 width = tiff_store_get (&image->meta, TIFFTAG_TILEWIDTH, 0);
  guint32 height = tiff_store_get (&image->meta, TIFFTAG_TILELENGTH, 0);
  gsize row = ((gsize) image->width * (gsize) image->channels
                 * (gsize) image->depth
               + 7)
              / 8;

  writer->is_tiled =
    width >= 16 && height >= 16 && width % 16 == 0 && height % 16 == 0;
  if (writer->is_tiled) {
    TIFFSetField (tiff, TIFFTAG_TILEWIDTH, width);
    TIFFSetField (tiff, TIFFTAG_TILELENGTH, height);
  } else {
    width = (guint32) image->width;
    height = (guint32) CLAMP (STRIP_BYTES / row, 1, (gsize) image->height);
    TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, height);
  }
  writer->block_width = width;
  writer->block_height = height;
}

static void
set_type (Writer *writer)
{
  const Image *image = writer->image;
  TIFF *tiff = writer->file.tiff;
  int compression = choose_compression (image);
  guint16 alpha = (guint16) tiff_store_get (
    &image->meta, TIFFTAG_EXTRASAMPLES, EXTRASAMPLE_UNASSALPHA);
  guint32 photometric = tiff_store_get (&image->meta, TIFFTAG_PHOTOMETRIC,
                                        PHOTOMETRIC_MINISBLACK);

  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, image->width);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, image->height);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, image->depth);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, image->channels);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, compression);
  if (has_predictor (compression) && image->depth >= 8)
    TIFFSetField (tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
  writer->inverted =
    image_colours (image) == 1 && photometric == PHOTOMETRIC_MINISWHITE;
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC,
                image_colours (image) == 3 ? PHOTOMETRIC_RGB
                : writer->inverted         ? PHOTOMETRIC_MINISWHITE
                                           : PHOTOMETRIC_MINISBLACK);
  if (image_has_alpha (image))
    TIFFSetField (tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
}

/* ---- pixels ---- */

static void
put_sample (guint8 *row, gsize i, int bits, guint16 value)
{
  if (bits == 8)
    row[i] = (guint8) value;
  else if (bits == 16)
    memcpy (row + 2 * i, &value, sizeof value);
  else {
    gsize bit = i * (gsize) bits;

    row[bit / 8] |= (guint8) (value << (8 - bits - (int) (bit % 8)));
  }
}

/* Fills @buffer with the block at (x, y); what lies outside is zero. */
static void
fill_block (const Writer *writer, guint32 x, guint32 y, gsize row_bytes,
            guint8 *buffer)
{
  const Image *image = writer->image;
  guint32 columns = MIN (writer->block_width, (guint32) image->width - x);
  guint32 rows = MIN (writer->block_height, (guint32) image->height - y);
  gsize channels = (gsize) image->channels;
  int peak = image_peak (image);

  memset (buffer, 0, row_bytes * writer->block_height);
  for (guint32 j = 0; j < rows; j++) {
    const guint16 *from = image_pixel (image, (int) x, (int) (y + j));
    guint8 *row = buffer + j * row_bytes;

    for (gsize i = 0; i < columns * channels; i++)
      put_sample (row, i, image->depth,
                  writer->inverted && i % channels == 0
                    ? (guint16) (peak - from[i])
                    : from[i]);
  }
}

static gboolean
write_block (Writer *writer, guint32 x, guint32 y, guint8 *buffer)
{
  TIFF *tiff = writer->file.tiff;
  guint32 rows =
    MIN (writer->block_height, (guint32) writer->image->height - y);
  tmsize_t row_bytes =
    writer->is_tiled ? TIFFTileRowSize (tiff) : TIFFScanlineSize (tiff);

  fill_block (writer, x, y, (gsize) row_bytes, buffer);
  if (writer->is_tiled)
    return TIFFWriteEncodedTile (tiff, TIFFComputeTile (tiff, x, y, 0, 0),
                                 buffer, TIFFTileSize (tiff))
           >= 0;
  return TIFFWriteEncodedStrip (tiff, TIFFComputeStrip (tiff, y, 0), buffer,
                                row_bytes * (tmsize_t) rows)
         >= 0;
}

static gboolean
write_blocks (Writer *writer)
{
  TIFF *tiff = writer->file.tiff;
  const Image *image = writer->image;
  tmsize_t row =
    writer->is_tiled ? TIFFTileRowSize (tiff) : TIFFScanlineSize (tiff);
  g_autofree guint8 *buffer =
    g_try_malloc ((gsize) row * writer->block_height);

  if (buffer == NULL)
    writer->file.is_full = TRUE;
  for (guint32 y = 0; y < (guint32) image->height; y += writer->block_height)
    for (guint32 x = 0; x < (guint32) image->width; x += writer->block_width)
      if (buffer == NULL || !write_block (writer, x, y, buffer))
        return FALSE;
  return TRUE;
}

/* ---- */

static gboolean
write_page (Writer *writer)
{
  const ImageMeta *meta = &writer->image->meta;
  g_autoptr (GPtrArray) fields = tiffmeta_fields (meta);
  TiffPlaces places;

  if (!tiffmeta_write_extras (&writer->file, fields, &places))
    return FALSE;
  set_type (writer);
  set_blocks (writer);
  tiffmeta_set (&writer->file, meta);
  tiffmeta_set_fields (&writer->file, fields, &places);
  /* A field that libtiff does not want to write is left out. */
  g_clear_pointer (&writer->file.message, g_free);
  return write_blocks (writer)
         && TIFFWriteDirectory (writer->file.tiff) != 0;
}

static gboolean
fits (const Image *image, const PageSink *pages, GError **error)
{
  if (image->meta.has_key)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "TIFF cannot hold a transparent color; write a PNG "
                         "instead");

  gsize bytes = image_pixels (image) * (gsize) image->channels
                * (image->depth == 16 ? 2 : 1);

  return bytes + pages->bytes.size < SMALL_BYTES
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "a TIFF cannot hold that much; write a PNG instead");
}

gboolean
tiffcodec_append (const Image *image, PageSink *pages,
                  const EncodeOptions *options, GError **error)
{
  Writer writer = { .image = image };
  gboolean ok;

  (void) options;
  if (!fits (image, pages, error))
    return FALSE;
  ok = tiff_file_create (&writer.file, pages) && write_page (&writer)
       && tiff_file_finish (&writer.file, pages);
  if (!ok && writer.file.is_full)
    tessera_fail (error, TESSERA_ERROR_MEMORY,
                  "not enough memory for the TIFF");
  else if (!ok)
    tiff_file_fail (&writer.file, TESSERA_ERROR_FAILED, "cannot make a TIFF",
                    error);
  tiff_file_close (&writer.file);
  return ok;
}
