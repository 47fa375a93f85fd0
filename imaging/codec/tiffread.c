/* tiffread.c - reading TIFF with libtiff
 *
 * A page is stored in blocks: tiles, or strips of whole rows; with each sample
 * of a pixel after the other, or each in blocks of its own.  Blocks are decoded
 * one by one, so libtiff never has more than one of them.
 *
 * Decoders of libtiff may leave parts of a block as they were and say so in a
 * warning at most.  Blocks are black before they are decoded, and a block with
 * a warning is broken: an error, unless what there is of it is wanted.
 */
#include "imaging/codec/tiffcodec.h"

#include <string.h>
#include <zlib.h>

/* One page. */
typedef struct {
  TiffFile file;
  const ImageLimits *limits;
  guint32 width, height;
  guint32 block_width, block_height;
  guint16 bits, samples; /* samples per pixel, all kinds */
  guint16 photometric, compression, planar, alpha;
  gboolean is_tiled;
  guint16 *map[3]; /* of a palette */
  int shift;       /* of the entries of the palette */
} Reader;

static gboolean
refuse (GError **error, const char *what)
{
  return tessera_fail (error, TESSERA_ERROR_INPUT,
                       "the TIFF %s, which is not supported; convert it "
                       "first, for example with convert of ImageMagick",
                       what);
}

/* ---- what it is ---- */

/* Whether the tiles are not much more than the picture: each takes as long as
 * its size, however few of its pixels count. */
static gboolean
check_tiles (const Reader *reader, GError **error)
{
  guint64 across =
    (reader->width + (guint64) reader->block_width - 1) / reader->block_width;
  guint64 down = (reader->height + (guint64) reader->block_height - 1)
                 / reader->block_height;
  guint64 most = 2 * (guint64) reader->limits->max_pixels;

  if (!image_limits_allow (reader->limits, reader->block_width,
                           reader->block_height, error))
    return FALSE;
  return across * reader->block_width
             <= most / (down * reader->block_height)
         || tessera_fail (error, TESSERA_ERROR_LIMIT,
                          "the tiles of the TIFF are much larger than its "
                          "picture");
}

static gboolean
read_size (Reader *reader, GError **error)
{
  TIFF *tiff = reader->file.tiff;

  if (!TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &reader->width)
      || !TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &reader->height)
      || reader->width == 0 || reader->height == 0)
    return tessera_fail (error, TESSERA_ERROR_INPUT, "the TIFF has no size");
  if (!image_limits_allow (reader->limits, reader->width, reader->height,
                           error))
    return FALSE;
  reader->is_tiled = TIFFIsTiled (tiff);
  reader->block_width = reader->width;
  if (!reader->is_tiled) {
    TIFFGetFieldDefaulted (tiff, TIFFTAG_ROWSPERSTRIP, &reader->block_height);
    reader->block_height = CLAMP (reader->block_height, 1, reader->height);
    return TRUE;
  }
  if (!TIFFGetField (tiff, TIFFTAG_TILEWIDTH, &reader->block_width)
      || !TIFFGetField (tiff, TIFFTAG_TILELENGTH, &reader->block_height)
      || reader->block_width == 0 || reader->block_height == 0)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "the tiles of the TIFF have no size");
  return check_tiles (reader, error);
}

/* Cameras put a small preview first, and the picture where only they find
 * it. */
static gboolean
check_page (Reader *reader, gboolean is_first, GError **error)
{
  guint32 type = 0;
  guint16 count;
  guint64 *places;

  TIFFGetFieldDefaulted (reader->file.tiff, TIFFTAG_SUBFILETYPE, &type);
  if (is_first && (type & FILETYPE_REDUCEDIMAGE) != 0
      && TIFFGetField (reader->file.tiff, TIFFTAG_SUBIFD, &count, &places))
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "the raw data of a camera; convert it first, for "
                         "example with darktable-cli");
  return TRUE;
}

static gboolean
check_photometric (Reader *reader, GError **error)
{
  switch (reader->photometric) {
  case PHOTOMETRIC_MINISBLACK:
  case PHOTOMETRIC_MINISWHITE:
  case PHOTOMETRIC_RGB:
  case PHOTOMETRIC_PALETTE:
    return TRUE;
  case PHOTOMETRIC_YCBCR:
    if (reader->compression != COMPRESSION_JPEG)
      return refuse (error, "has YCbCr colors without being a JPEG");
    TIFFSetField (reader->file.tiff, TIFFTAG_JPEGCOLORMODE,
                  JPEGCOLORMODE_RGB);
    reader->photometric = PHOTOMETRIC_RGB;
    return TRUE;
  case PHOTOMETRIC_SEPARATED:
    return refuse (error, "has the colors of inks (CMYK)");
  case PHOTOMETRIC_CFA:
  case 34892: /* LinearRaw of DNG */
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "the raw data of a camera; convert it first, for "
                         "example with darktable-cli");
  case PHOTOMETRIC_CIELAB:
  case PHOTOMETRIC_ICCLAB:
  case PHOTOMETRIC_ITULAB:
    return refuse (error, "has L*a*b* colors");
  default:
    return refuse (error, "has colors of an unknown kind");
  }
}

static gboolean
check_samples (const Reader *reader, GError **error)
{
  guint16 format = SAMPLEFORMAT_UINT;
  gboolean few = reader->bits == 1 || reader->bits == 2 || reader->bits == 4;

  TIFFGetFieldDefaulted (reader->file.tiff, TIFFTAG_SAMPLEFORMAT, &format);
  if (format == SAMPLEFORMAT_IEEEFP)
    return refuse (error, "has floating-point samples");
  if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
    return refuse (error, "has signed or complex samples");
  if (reader->bits != 8 && reader->bits != 16
      && !(few && reader->samples == 1))
    return refuse (error, "has an unusual number of bits per sample");
  if (reader->photometric == PHOTOMETRIC_PALETTE
      && (reader->samples != 1 || reader->bits > 8))
    return refuse (error, "has an unusual palette");
  return TRUE;
}

/* The number of colours, and whether the rest is alpha. */
static gboolean
check_channels (Reader *reader, GError **error)
{
  int colours = reader->photometric == PHOTOMETRIC_RGB ? 3 : 1;
  guint16 count = 0;
  guint16 *kinds = NULL;

  if (reader->samples < colours || reader->samples > colours + 1)
    return refuse (error, "has an unusual number of channels");
  if (reader->samples == colours)
    return TRUE;
  reader->alpha = EXTRASAMPLE_UNSPECIFIED;
  if (TIFFGetField (reader->file.tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds)
      && count > 0)
    reader->alpha = kinds[0];
  return TRUE;
}

/* Old files have palettes of 8 bits, new ones of 16. */
static gboolean
read_palette (Reader *reader, GError **error)
{
  if (reader->photometric != PHOTOMETRIC_PALETTE)
    return TRUE;
  if (!TIFFGetField (reader->file.tiff, TIFFTAG_COLORMAP, &reader->map[0],
                     &reader->map[1], &reader->map[2]))
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "the TIFF lacks its palette");
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 1 << reader->bits; i++)
      if (reader->map[c][i] > 255)
        reader->shift = 8;
  return TRUE;
}

/* Compressions whose decoders keep to the size of a block and report what is
 * wrong.  Others of libtiff do not: that of JBIG ends the process when the data
 * claim a huge picture. */
static const guint16 compressions[] = {
  COMPRESSION_NONE,          COMPRESSION_CCITTRLE,  COMPRESSION_CCITTRLEW,
  COMPRESSION_CCITTFAX3,     COMPRESSION_CCITTFAX4, COMPRESSION_LZW,
  COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,   COMPRESSION_PACKBITS,
  COMPRESSION_JPEG,          COMPRESSION_ZSTD,      COMPRESSION_LZMA,
  COMPRESSION_WEBP,
};

static gboolean
check_compression (const Reader *reader, GError **error)
{
  const TIFFCodec *codec = TIFFFindCODEC (reader->compression);
  g_autofree char *what =
    codec != NULL
      ? g_strdup_printf ("has the compression %s", codec->name)
      : g_strdup_printf ("has compression number %d", reader->compression);

  for (gsize i = 0; i < G_N_ELEMENTS (compressions); i++)
    if (reader->compression == compressions[i]
        && TIFFIsCODECConfigured (reader->compression))
      return TRUE;
  return refuse (error, what);
}

static gboolean
is_deflated (const Reader *reader)
{
  return reader->compression == COMPRESSION_ADOBE_DEFLATE
         || reader->compression == COMPRESSION_DEFLATE;
}

static gboolean
read_type (Reader *reader, gboolean is_first, GError **error)
{
  TIFF *tiff = reader->file.tiff;

  TIFFGetFieldDefaulted (tiff, TIFFTAG_BITSPERSAMPLE, &reader->bits);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLESPERPIXEL, &reader->samples);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_PLANARCONFIG, &reader->planar);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_COMPRESSION, &reader->compression);
  if (!TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &reader->photometric))
    reader->photometric =
      reader->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  /* The other one, libdeflate, leaves the end of a block undone if a broken
   * stream runs past it. */
  if (is_deflated (reader))
    TIFFSetField (tiff, TIFFTAG_DEFLATE_SUBCODEC, DEFLATE_SUBCODEC_ZLIB);
  return check_page (reader, is_first, error)
         && check_compression (reader, error)
         && check_photometric (reader, error)
         && check_samples (reader, error) && check_channels (reader, error)
         && read_palette (reader, error);
}

/* ---- pixels ---- */

/* Where a block goes in the picture. */
typedef struct {
  guint32 x, y, columns, rows;
  int first, count; /* samples of each pixel that it has */
} Block;

static guint16
get_sample (const guint8 *row, gsize i, int bits)
{
  if (bits == 8)
    return row[i];
  if (bits == 16) {
    guint16 value;

    memcpy (&value, row + 2 * i, sizeof value);
    return value;
  }
  gsize bit = i * (gsize) bits;

  return (guint16) (row[bit / 8] >> (8 - bits - (int) (bit % 8))
                    & ((1 << bits) - 1));
}

/* A pixel of a palette. */
static void
put_colour (const Reader *reader, guint16 index, guint16 *pixel)
{
  for (int c = 0; c < 3; c++)
    pixel[c] = (guint16) (reader->map[c][index] >> reader->shift);
}

static void
store_block (const Reader *reader, const guint8 *data, gsize row_bytes,
             const Block *block, Image *image)
{
  int peak = image_peak (image);
  gboolean invert = reader->photometric == PHOTOMETRIC_MINISWHITE;

  for (guint32 y = 0; y < block->rows; y++) {
    const guint8 *row = data + y * row_bytes;
    guint16 *pixel =
      image_pixel (image, (int) block->x, (int) (block->y + y));

    for (gsize x = 0; x < block->columns; x++, pixel += image->channels)
      for (int c = 0; c < block->count; c++) {
        guint16 value = get_sample (
          row, x * (gsize) block->count + (gsize) c, reader->bits);

        if (reader->map[0] != NULL)
          put_colour (reader, value, pixel);
        else
          pixel[block->first + c] =
            invert && block->first + c == 0 ? (guint16) (peak - value) : value;
      }
  }
}

/* Whether a deflated block ends with the right checksum, which zlib in libtiff
 * does not come to.  Some writers put more rows into the last strip than count:
 * of what goes on behind the block, the end is not looked for. */
static gboolean
is_checksum_right (Reader *reader, guint32 number, gsize size)
{
  guint64 offset = TIFFGetStrileOffset (reader->file.tiff, number);
  guint64 count = TIFFGetStrileByteCount (reader->file.tiff, number);
  guint16 order = FILLORDER_MSB2LSB;
  guint8 part[16 * 1024];
  z_stream stream = { 0 };
  int status;

  TIFFGetFieldDefaulted (reader->file.tiff, TIFFTAG_FILLORDER, &order);
  if (order != FILLORDER_MSB2LSB || count > G_MAXUINT
      || offset > reader->file.size || count > reader->file.size - offset
      || inflateInit (&stream) != Z_OK)
    return TRUE;
  stream.next_in = (Bytef *) reader->file.data + offset;
  stream.avail_in = (uInt) count;
  do {
    stream.next_out = part;
    stream.avail_out = sizeof part;
    status = inflate (&stream, Z_NO_FLUSH);
  } while (status == Z_OK && stream.total_out <= size);
  inflateEnd (&stream);
  return status == Z_STREAM_END || (status == Z_OK && stream.avail_in > 0);
}

/* Has libtiff decode block number @number, of which @wanted bytes count, to
 * @buffer.  FALSE if it is broken; then *@is_usable says if there is a part of
 * it, with black for the rest. */
static gboolean
decode_block (Reader *reader, guint32 number, tmsize_t wanted, guint8 *buffer,
              gboolean *is_usable)
{
  TiffFile *file = &reader->file;
  tmsize_t size = reader->is_tiled ? TIFFTileSize (file->tiff) : wanted;
  gboolean inverted = reader->photometric == PHOTOMETRIC_MINISWHITE;
  tmsize_t got;

  g_clear_pointer (&file->message, g_free);
  g_clear_pointer (&file->warning, g_free);
  memset (buffer, inverted ? 0xff : 0, (gsize) size);
  got = reader->is_tiled
          ? TIFFReadEncodedTile (file->tiff, number, buffer, size)
          : TIFFReadEncodedStrip (file->tiff, number, buffer, size);
  *is_usable = got >= wanted;
  return *is_usable && file->message == NULL && file->warning == NULL
         && (reader->limits->lenient || !is_deflated (reader)
             || is_checksum_right (reader, number, (gsize) size));
}

/* Reads the block at (x, y) of plane @plane; *@has_pixels is set if there are
 * any. */
static gboolean
read_block (Reader *reader, guint32 x, guint32 y, guint16 plane,
            guint8 *buffer, Image *image, gboolean *has_pixels)
{
  TIFF *tiff = reader->file.tiff;
  gboolean separate = reader->planar == PLANARCONFIG_SEPARATE;
  Block block = { x, y, MIN (reader->block_width, reader->width - x),
                  MIN (reader->block_height, reader->height - y),
                  separate ? plane : 0, separate ? 1 : reader->samples };
  tmsize_t row_bytes =
    reader->is_tiled ? TIFFTileRowSize (tiff) : TIFFScanlineSize (tiff);
  guint32 number = reader->is_tiled ? TIFFComputeTile (tiff, x, y, 0, plane)
                                    : TIFFComputeStrip (tiff, y, plane);
  gboolean is_usable;
  gboolean ok = decode_block (reader, number,
                              row_bytes * (tmsize_t) block.rows, buffer,
                              &is_usable);

  if (is_usable)
    store_block (reader, buffer, (gsize) row_bytes, &block, image);
  *has_pixels |= is_usable;
  return ok;
}

/* The bytes of one block, as far as they agree with its size. */
static gsize
block_bytes (Reader *reader, GError **error)
{
  TIFF *tiff = reader->file.tiff;
  tmsize_t row =
    reader->is_tiled ? TIFFTileRowSize (tiff) : TIFFScanlineSize (tiff);
  tmsize_t all = reader->is_tiled ? TIFFTileSize (tiff)
                                  : row * (tmsize_t) reader->block_height;
  gsize samples =
    reader->planar == PLANARCONFIG_SEPARATE ? 1 : reader->samples;
  gsize least = ((gsize) reader->block_width * samples * reader->bits + 7) / 8;

  if (row > 0 && (gsize) row >= least && all / row >= reader->block_height)
    return (gsize) all;
  tiff_file_fail (&reader->file, TESSERA_ERROR_INPUT, "the TIFF is broken",
                  error);
  return 0;
}

static gboolean
fail_broken (const Reader *reader, GError **error)
{
  return tiff_file_fail (&reader->file, TESSERA_ERROR_INPUT,
                         "the TIFF is broken or truncated", error);
}

/* Reads all blocks, or, unless broken ones are to be kept, those up to the
 * first that is broken. */
static gboolean
read_blocks (Reader *reader, Image *image, GError **error)
{
  gsize size = block_bytes (reader, error);
  guint16 planes =
    reader->planar == PLANARCONFIG_SEPARATE ? reader->samples : 1;
  gboolean has_pixels = FALSE;
  g_autofree guint8 *buffer = NULL;

  if (size == 0)
    return FALSE;
  buffer = tessera_try_new (guint8, size, "the TIFF", error);
  if (buffer == NULL)
    return FALSE;
  for (guint16 plane = 0; plane < planes; plane++)
    for (guint32 y = 0; y < reader->height; y += reader->block_height)
      for (guint32 x = 0; x < reader->width; x += reader->block_width)
        if (!read_block (reader, x, y, plane, buffer, image, &has_pixels)
            && !reader->limits->lenient)
          return fail_broken (reader, error);
  return has_pixels || fail_broken (reader, error);
}

/* ---- */

/* How much smaller than the picture its colours are kept. */
static void
note_cells (const Reader *reader, ImageMeta *meta)
{
  TIFF *tiff = reader->file.tiff;
  guint16 photometric = PHOTOMETRIC_RGB, width = 1, height = 1;

  TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &photometric);
  if (photometric != PHOTOMETRIC_YCBCR)
    return;
  TIFFGetFieldDefaulted (tiff, TIFFTAG_YCBCRSUBSAMPLING, &width, &height);
  meta->cell_width = width;
  meta->cell_height = height;
}

/* What writing needs to know to store it in the same way. */
static void
note_storage (const Reader *reader, ImageMeta *meta)
{
  tiff_store_set (meta, TIFFTAG_COMPRESSION, reader->compression);
  if (reader->photometric == PHOTOMETRIC_MINISWHITE)
    tiff_store_set (meta, TIFFTAG_PHOTOMETRIC, reader->photometric);
  tiff_store_set (meta, TIFFTAG_EXTRASAMPLES, reader->alpha);
  if (reader->is_tiled) {
    tiff_store_set (meta, TIFFTAG_TILEWIDTH, reader->block_width);
    tiff_store_set (meta, TIFFTAG_TILELENGTH, reader->block_height);
  }
  meta->is_premultiplied =
    reader->samples % 2 == 0 && reader->alpha == EXTRASAMPLE_ASSOCALPHA;
  meta->is_lossy = reader->compression == COMPRESSION_JPEG;
  note_cells (reader, meta);
}

static Image *
make_image (const Reader *reader, GError **error)
{
  gboolean palette = reader->photometric == PHOTOMETRIC_PALETTE;
  Image *image =
    image_new ((int) reader->width, (int) reader->height,
               palette ? 3 : reader->samples, palette ? 8 : reader->bits,
               error);

  if (image == NULL)
    return NULL;
  image->meta.format = TESSERA_TIFF;
  image->meta.chunks = image_chunks_new ();
  note_storage (reader, &image->meta);
  return image;
}

/* Whether the file goes on to where the next page is. */
static gboolean
check_rest (const Reader *reader, guint64 place, ImageMeta *meta,
            GError **error)
{
  const TiffFile *file = &reader->file;
  guint64 next = tiff_next_page (file->data, file->size, place);

  if (next == 0 || tiff_is_page (file->data, file->size, next))
    return TRUE;
  image_leave_out (meta, "pages that are missing in the file");
  return reader->limits->lenient
         || tessera_fail (error, TESSERA_ERROR_INPUT,
                          "the TIFF is broken or truncated: a page is missing");
}

static Image *
read_page (Reader *reader, guint64 place, GError **error)
{
  TiffFile *file = &reader->file;
  gboolean is_first = place == tiff_first_page (file->data, file->size);
  g_autoptr (Image) image = NULL;

  if (!TIFFSetSubDirectory (file->tiff, place)) {
    tiff_file_fail (file, TESSERA_ERROR_INPUT, "the TIFF is broken", error);
    return NULL;
  }
  if (!read_size (reader, error) || !read_type (reader, is_first, error))
    return NULL;
  image = make_image (reader, error);
  if (image == NULL || !read_blocks (reader, image, error))
    return NULL;
  g_clear_pointer (&file->message, g_free);
  return tiffmeta_read (file, reader->limits, &image->meta, error)
             && check_rest (reader, place, &image->meta, error)
           ? g_steal_pointer (&image)
           : NULL;
}

Image *
tiffcodec_read (const guint8 *data, gsize size, guint64 place,
                const ImageLimits *limits, GError **error)
{
  Reader reader = { .limits = limits };
  Image *image = NULL;
  gsize pixels = MIN (limits->max_pixels, G_MAXSSIZE / 16);

  if (tiff_file_open (&reader.file, data, size,
                      8 * pixels + limits->max_metadata + (1 << 20)))
    image = read_page (&reader, place, error);
  else
    tiff_file_fail (&reader.file, TESSERA_ERROR_INPUT, "the TIFF is broken",
                    error);
  tiff_file_close (&reader.file);
  return image;
}
