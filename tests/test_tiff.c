/* test_tiff.c - pictures through TIFF and back, TIFFs of every kind as libtiff
 * writes them, and TIFFs that lie */
#include "tests/pictures.h"

#ifdef HAVE_TIFF
#include "imaging/codec/pages.h"
#include "imaging/codec/tiffcodec.h"

#include <malloc.h>

static void
test_samples (void)
{
  g_test_summary ("Samples of every type come back bit for bit");

  for (int depth = 1; depth <= 16; depth *= 2)
    for (int channels = 1; channels <= (depth >= 8 ? 4 : 1); channels++)
      for (int width = 1; width < 40; width += 12) {
        g_autoptr (Image) image = random_picture (width, 21, channels, depth);
        g_autoptr (Image) again = through_file (image, TESSERA_TIFF);

        assert_same_size (image, again);
        g_assert_cmpint (again->channels, ==, channels);
        g_assert_cmpint (again->depth, ==, depth);
        assert_same_memory (image->samples, again->samples,
                            image_pixels (image) * (gsize) channels * 2);
      }
}

/* ---- files as libtiff writes them ---- */

/* How a file is stored. */
typedef struct {
  int compression, tile, planar, photometric;
} Store;

/* Writes @image with libtiff alone; the oracle of the reader. */
static GBytes *
write_plainly (const Image *image, const Store *store)
{
  TiffFile file;
  TIFF *tiff;
  gsize sample = image->depth == 16 ? 2 : 1;
  int planes = store->planar == PLANARCONFIG_SEPARATE ? image->channels : 1;
  gsize each = (gsize) (image->channels / planes);
  int side = store->tile > 0 ? store->tile : image->width;
  int rows = store->tile > 0 ? store->tile : 7;
  g_autofree guint8 *block =
    g_malloc0 ((gsize) side * (gsize) rows * each * sample);

  g_assert_true (tiff_file_create (&file, &(PageSink){ 0 }));
  tiff = file.tiff;
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, image->width);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, image->height);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, image->depth);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, image->channels);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, store->planar);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, store->photometric);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, store->compression);
  if (store->tile > 0) {
    TIFFSetField (tiff, TIFFTAG_TILEWIDTH, side);
    TIFFSetField (tiff, TIFFTAG_TILELENGTH, rows);
  } else
    TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, rows);
  for (int plane = 0; plane < planes; plane++)
    for (int y = 0; y < image->height; y += rows)
      for (int x = 0; x < image->width; x += side) {
        int height = MIN (rows, image->height - y);

        for (int j = 0; j < height; j++)
          for (int i = 0; i < MIN (side, image->width - x); i++)
            for (gsize c = 0; c < each; c++) {
              guint16 value =
                image_pixel (image, x + i, y + j)[(gsize) plane + c];
              gsize at = ((gsize) (j * side + i)) * each + c;

              if (sample == 2)
                memcpy (block + 2 * at, &value, 2);
              else
                block[at] = (guint8) value;
            }
        if (store->tile > 0)
          g_assert_cmpint (
            TIFFWriteEncodedTile (tiff,
                                  TIFFComputeTile (tiff, (guint32) x,
                                                   (guint32) y, 0,
                                                   (guint16) plane),
                                  block, TIFFTileSize (tiff)),
            >, 0);
        else
          g_assert_cmpint (
            TIFFWriteEncodedStrip (
              tiff, TIFFComputeStrip (tiff, (guint32) y, (guint16) plane),
              block, TIFFScanlineSize (tiff) * height),
            >, 0);
      }
  TIFFWriteDirectory (tiff);
  TIFFClose (tiff);
  file.tiff = NULL;
  GBytes *bytes = byte_sink_finish (&file.sink);
  tiff_file_close (&file);
  return bytes;
}

static void
test_stores (void)
{
  g_test_summary ("Strips and tiles, planes, compressions as libtiff has them");

  static const int compressions[] = { COMPRESSION_NONE, COMPRESSION_LZW,
                                      COMPRESSION_PACKBITS,
                                      COMPRESSION_ADOBE_DEFLATE,
                                      COMPRESSION_DEFLATE, COMPRESSION_LZMA,
                                      COMPRESSION_ZSTD };
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  for (gsize k = 0; k < G_N_ELEMENTS (compressions); k++)
    for (int tile = 0; tile <= 32; tile += 16)
      for (int depth = 8; depth <= 16; depth += 8)
        for (int planar = PLANARCONFIG_CONTIG; planar <= PLANARCONFIG_SEPARATE;
             planar++) {
          g_autoptr (Image) image = random_picture (45, 37, 3, depth);
          Store store = { .compression = compressions[k],
                          .tile = tile,
                          .planar = planar,
                          .photometric = PHOTOMETRIC_RGB };

          if (!TIFFIsCODECConfigured ((guint16) compressions[k]))
            continue;
          g_autoptr (GBytes) bytes = write_plainly (image, &store);
          g_autoptr (Image) again =
            image_decode (bytes, "plain", &limits, NULL);

          g_assert_nonnull (again);
          assert_same_memory (image->samples, again->samples,
                              image_pixels (image) * 3 * 2);
          g_autoptr (Image) twice = through_file (again, TESSERA_TIFF);
          assert_same_memory (image->samples, twice->samples,
                              image_pixels (image) * 3 * 2);
          g_assert_cmpint (
            tiff_store_get (&twice->meta, TIFFTAG_COMPRESSION, 0), ==,
            compressions[k]);
          g_assert_cmpint (tiff_store_get (&twice->meta, TIFFTAG_TILEWIDTH, 0),
                           ==, tile);
        }
}

static void
test_refused (void)
{
  g_test_summary ("Inks and L*a*b* are refused, with the way out");

  static const int photometrics[] = { PHOTOMETRIC_SEPARATED,
                                      PHOTOMETRIC_CIELAB, PHOTOMETRIC_CFA };
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  for (gsize k = 0; k < G_N_ELEMENTS (photometrics); k++) {
    g_autoptr (Image) image = random_picture (8, 8, k == 0 ? 4 : 3, 8);
    Store store = { .compression = COMPRESSION_NONE,
                    .planar = PLANARCONFIG_CONTIG,
                    .photometric = photometrics[k] };
    g_autoptr (GBytes) bytes = write_plainly (image, &store);
    g_autoptr (GError) error = NULL;

    g_assert_null (image_decode (bytes, "odd", &limits, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
    g_assert_nonnull (strstr (error->message, "convert"));
  }
}

static void
put_number (GByteArray *file, guint32 number, guint size)
{
  guint32 stored = GUINT32_TO_LE (number);

  g_byte_array_append (file, (const guint8 *) &stored, size);
}

/* A grey picture of @width x @height pixels in one strip, which holds @data;
 * nothing in it is made by libtiff. */
static GBytes *
bare_tiff (int compression, int bits, guint32 width, guint32 height,
           GBytes *data)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (data, &size);
  const struct {
    guint32 tag, value;
  } fields[] = { { TIFFTAG_IMAGEWIDTH, width },
                 { TIFFTAG_IMAGELENGTH, height },
                 { TIFFTAG_BITSPERSAMPLE, (guint32) bits },
                 { TIFFTAG_COMPRESSION, (guint32) compression },
                 { TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK },
                 { TIFFTAG_STRIPOFFSETS, 8 },
                 { TIFFTAG_SAMPLESPERPIXEL, 1 },
                 { TIFFTAG_ROWSPERSTRIP, height },
                 { TIFFTAG_STRIPBYTECOUNTS, (guint32) size } };
  GByteArray *file = g_byte_array_new ();

  g_byte_array_append (file, (const guint8 *) "II*", 4);
  put_number (file, (guint32) (8 + size + size % 2), 4);
  g_byte_array_append (file, bytes, (guint) size);
  put_number (file, 0, size % 2);
  put_number (file, G_N_ELEMENTS (fields), 2);
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++) {
    put_number (file, fields[i].tag, 2);
    put_number (file, TIFF_LONG, 2);
    put_number (file, 1, 4);
    put_number (file, fields[i].value, 4);
  }
  put_number (file, 0, 4);
  return g_byte_array_free_to_bytes (file);
}

static void
test_compressions (void)
{
  g_test_summary ("Other compressions are refused by name, before decoding");

  /* The header of JBIG: layers, planes, then 2^30 x 2^30 in one stripe.
   * Its decoder calls abort(). */
  static const guint8 jbig[40] = { 0,  0, 1, 0, 0x40, 0,   0, 0,
                                   0x40, 0, 0, 0, 0,    0x80, 0, 0 };
  static const struct {
    int number;
    const char *name;
  } others[] = { { COMPRESSION_JBIG, "JBIG" },
                 { COMPRESSION_OJPEG, "Old-style JPEG" },
                 { COMPRESSION_NEXT, "NeXT" },
                 { COMPRESSION_THUNDERSCAN, "ThunderScan" },
                 { COMPRESSION_PIXARLOG, "PixarLog" },
                 { COMPRESSION_SGILOG, "SGILog" },
                 { COMPRESSION_LERC, "LERC" },
                 { 12345, "12345" } };
  g_autoptr (GBytes) data = g_bytes_new_static (jbig, sizeof jbig);

  for (gsize k = 0; k < G_N_ELEMENTS (others); k++)
    for (int lenient = 0; lenient < 2; lenient++) {
      g_autoptr (GBytes) bytes = bare_tiff (others[k].number, 1, 16, 16, data);
      ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
      g_autoptr (GError) error = NULL;

      limits.lenient = lenient;
      g_assert_null (image_decode (bytes, "odd", &limits, &error));
      g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
      g_test_message ("%s", error->message);
      g_assert_true (strstr (error->message, others[k].name) != NULL
                     || !TIFFIsCODECConfigured ((guint16) others[k].number));
    }
}

/* Decodes @bytes with @filling in all memory that is not written to. */
static Image *
decode_over (GBytes *bytes, const ImageLimits *limits, int filling)
{
  Image *image;

  mallopt (M_PERTURB, filling);
  image = image_decode (bytes, "broken", limits, NULL);
  mallopt (M_PERTURB, 0);
  return image;
}

/* Whether @bytes decode; the result must not depend on old memory. */
static Image *
decode_twice (GBytes *bytes, gboolean lenient)
{
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (Image) one = NULL, other = NULL;

  limits.lenient = lenient;
  one = decode_over (bytes, &limits, 0x55);
  other = decode_over (bytes, &limits, 0xaa);
  g_assert_true ((one != NULL) == (other != NULL));
  if (one != NULL)
    assert_same_samples (one, other);
  return g_steal_pointer (&one);
}

/* A file of @image with one byte in its strips changed. */
static GBytes *
with_change (GBytes *good, gsize at, guint8 change)
{
  gsize size;
  guint8 *copy = g_memdup2 (g_bytes_get_data (good, &size),
                            g_bytes_get_size (good));

  copy[at] ^= change;
  return g_bytes_new_take (copy, g_bytes_get_size (good));
}

static void
test_old_memory (void)
{
  g_test_summary ("No change of a byte brings back old memory, and none that "
                  "a checksum covers changes pixels");

  static const int compressions[] = {
    COMPRESSION_ADOBE_DEFLATE, COMPRESSION_LZW,       COMPRESSION_PACKBITS,
    COMPRESSION_CCITTRLE,      COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4,
    COMPRESSION_ZSTD,          COMPRESSION_LZMA
  };

  for (gsize k = 0; k < G_N_ELEMENTS (compressions); k++) {
    int compression = compressions[k];
    gboolean fax = compression == COMPRESSION_CCITTRLE
                   || compression == COMPRESSION_CCITTFAX3
                   || compression == COMPRESSION_CCITTFAX4;
    g_autoptr (Image) image = random_picture (40, 33, 1, fax ? 1 : 8);
    int read = 0;

    if (!TIFFIsCODECConfigured ((guint16) compression))
      continue;
    /* Something to compress. */
    for (gsize i = 0; i < image_pixels (image); i += 7)
      memset (image->samples + i, 0, 3 * sizeof *image->samples);
    image->meta.format = TESSERA_TIFF;
    image->meta.chunks = image_chunks_new ();
    tiff_store_set (&image->meta, TIFFTAG_COMPRESSION, (guint32) compression);
    g_autoptr (GBytes) good = encode (image, TESSERA_TIFF);

    for (gsize at = 8; at < g_bytes_get_size (good); at++) {
      g_autoptr (GBytes) bad =
        with_change (good, at, (guint8) g_test_rand_int_range (1, 256));
      g_autoptr (Image) strict = decode_twice (bad, FALSE);
      g_autoptr (Image) lenient = decode_twice (bad, TRUE);

      g_assert_true (strict == NULL || lenient != NULL);
      read += strict != NULL;
      /* The directory stands behind the strips. */
      if (strict != NULL && compression == COMPRESSION_ADOBE_DEFLATE
          && at < 8 + 200)
        assert_same_samples (strict, image);
    }
    g_test_message ("compression %d: %d of %d read", compression, read,
                    (int) g_bytes_get_size (good) - 8);
  }
}

static void
test_small_block (void)
{
  g_test_summary ("A JPEG smaller than its strip is an error, or black");

  g_autoptr (Image) image = random_picture (16, 16, 1, 8);
  g_autoptr (GBytes) jpeg = encode (image, TESSERA_JPEG);
  g_autoptr (GBytes) bytes = bare_tiff (COMPRESSION_JPEG, 8, 64, 64, jpeg);
  g_autoptr (Image) strict = decode_twice (bytes, FALSE);
  g_autoptr (Image) lenient = decode_twice (bytes, TRUE);
  g_autoptr (Image) alone = decode (jpeg);

  g_assert_null (strict);
  g_assert_nonnull (lenient);
  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 64; x++)
      if (y >= 16)
        g_assert_cmpint (*image_pixel (lenient, x, y), ==, 0);
  g_assert_cmpint (*image_pixel (lenient, 0, 0), ==,
                   *image_pixel (alone, 0, 0));
}

static void
test_huge_tiles (void)
{
  g_test_summary ("Tiles that take far more time than the picture are refused");

  g_autoptr (Image) image = random_picture (4, 600, 1, 8);
  Store store = { .compression = COMPRESSION_NONE,
                  .tile = 16,
                  .planar = PLANARCONFIG_CONTIG,
                  .photometric = PHOTOMETRIC_MINISBLACK };
  g_autoptr (GBytes) bytes = write_plainly (image, &store);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (Image) again = image_decode (bytes, "tiles", &limits, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (again);
  limits.max_pixels = 4 * 600; /* the tiles have 16 x 608 */
  g_assert_null (image_decode (bytes, "tiles", &limits, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT);
}

static void
test_meta (void)
{
  g_test_summary ("Profile, orientation, density and texts come back");

  for (int orientation = 1; orientation <= 8; orientation++) {
    g_autoptr (Image) image = random_picture (20, 10, 3, 8);

    image->meta.icc = random_profile (3000);
    image->meta.orientation = orientation;
    image->meta.density_unit = DENSITY_PER_INCH;
    image->meta.density_x = 300;
    image->meta.density_y = 150;
    g_autoptr (Image) first = through_file (image, TESSERA_TIFF);
    g_assert_true (g_bytes_equal (image->meta.icc, first->meta.icc));
    g_assert_cmpint (first->meta.orientation, ==, orientation);
    g_assert_cmpint (first->meta.density_unit, ==, DENSITY_PER_INCH);
    g_assert_cmpint (first->meta.density_x, ==, 300);
    g_assert_cmpint (first->meta.density_y, ==, 150);
    assert_same_size (image, first);
    assert_same_memory (image->samples, first->samples,
                        image_pixels (image) * 3 * 2);

    /* Upright where the format has no EXIF to say otherwise. */
    g_autoptr (Image) png = through_file (first, TESSERA_PNG);
    assert_same_memory (image->samples, png->samples,
                        image_pixels (image) * 3 * 2);
  }
}

static void
add_field (Image *image, const char *name, int tag, gconstpointer values,
           gsize size)
{
  g_ptr_array_add (image->meta.chunks,
                   image_chunk_new (name, tag, g_bytes_new (values, size)));
}

/* A picture from a TIFF that says a lot. */
static Image *
talkative_picture (int orientation)
{
  g_autoptr (Image) plain = random_picture (20, 10, 3, 8);
  Image *image = through_file (plain, TESSERA_TIFF);
  const guint16 iso = 400;
  const double latitude[3] = { 52, 30, 15.5 };
  const float white[2] = { 0.3127f, 0.329f };
  const float primaries[6] = { 0.64f, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f };

  image->meta.orientation = orientation;
  add_field (image, TIFF_CHUNK, TIFFTAG_ARTIST, "a painter", 10);
  add_field (image, TIFF_CHUNK, TIFFTAG_XMLPACKET, "<xmp/>", 6);
  add_field (image, TIFF_CHUNK, TIFFTAG_PHOTOSHOP, "8BIM\4\4\0\0\0\0\0", 12);
  add_field (image, TIFF_CHUNK, TIFFTAG_WHITEPOINT, white, sizeof white);
  add_field (image, TIFF_CHUNK, TIFFTAG_PRIMARYCHROMATICITIES, primaries,
             sizeof primaries);
  add_field (image, TIFF_CHUNK_EXIF, EXIFTAG_DATETIMEORIGINAL,
             "2026:01:02 03:04:05", 20);
  add_field (image, TIFF_CHUNK_EXIF, EXIFTAG_ISOSPEEDRATINGS, &iso, 2);
  add_field (image, TIFF_CHUNK_GPS, GPSTAG_LATITUDEREF, "N", 2);
  add_field (image, TIFF_CHUNK_GPS, GPSTAG_LATITUDE, latitude,
             sizeof latitude);
  return image;
}

static gboolean
has_field (const Image *image, const ImageChunk *field)
{
  for (guint i = 0; i < image->meta.chunks->len; i++) {
    const ImageChunk *other = image->meta.chunks->pdata[i];

    if (g_str_equal (field->name, other->name)
        && field->place == other->place
        && g_bytes_equal (field->data, other->data))
      return TRUE;
  }
  return FALSE;
}

static void
test_fields (void)
{
  g_test_summary ("Texts, XMP, colours, EXIF and GPS fields come back");

  g_autoptr (Image) first = talkative_picture (1);
  g_autoptr (Image) second = through_file (first, TESSERA_TIFF);
  g_autoptr (Image) third = through_file (second, TESSERA_TIFF);

  for (guint i = 0; i < first->meta.chunks->len; i++) {
    const ImageChunk *chunk = first->meta.chunks->pdata[i];

    g_test_message ("%s %d", chunk->name, chunk->place);
    g_assert_true (has_field (third, chunk));
  }
  g_assert_null (third->meta.left_out);
}

/* Whether a field of a TIFF comes back by way of that format. */
static gboolean
crosses (const ImageChunk *chunk, TesseraFormat format)
{
  if (g_str_equal (chunk->name, TIFF_CHUNK_STORE))
    return FALSE;
  switch (g_str_equal (chunk->name, TIFF_CHUNK) ? chunk->place : 0) {
  case TIFFTAG_WHITEPOINT:
  case TIFFTAG_PRIMARYCHROMATICITIES:
    return FALSE;
  case TIFFTAG_PHOTOSHOP:
    return format == TESSERA_JPEG;
  default:
    return TRUE;
  }
}

static void
test_crossing (void)
{
  g_test_summary ("What other formats have crosses over; the rest is named");

  static const struct {
    TesseraFormat format;
    const char *left_out;
  } cases[] = { { TESSERA_PNG, "IPTC data, white point and primaries" },
                { TESSERA_JPEG, "white point and primaries" },
#ifdef HAVE_WEBP
                { TESSERA_WEBP, "IPTC data, white point and primaries" },
#endif
  };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    for (int orientation = 1; orientation <= 8; orientation++) {
      TesseraFormat format = cases[k].format;
      g_autoptr (Image) image = talkative_picture (orientation);
      g_autoptr (Image) tiff = through_file (image, TESSERA_TIFF);
      g_autoptr (Image) there = through_file (tiff, format);
      g_autoptr (Image) back = through_file (there, TESSERA_TIFF);
      g_autofree char *words = image_left_out_words (tiff, format);

      g_assert_cmpstr (words, ==, cases[k].left_out);
      g_assert_null (image_left_out_words (there, TESSERA_TIFF));
      g_assert_cmpint (back->meta.orientation, ==, orientation);
      assert_same_size (image, back);
      for (guint i = 0; i < image->meta.chunks->len; i++) {
        const ImageChunk *chunk = image->meta.chunks->pdata[i];

        g_test_message ("%s %d", chunk->name, chunk->place);
        g_assert_true (!crosses (chunk, format) || has_field (back, chunk));
      }
    }
}

/* IPTC data have a field of their own in a TIFF, and are a resource of
 * Photoshop in a JPEG. */
static void
test_iptc (void)
{
  static const struct {
    const char *field, *data;
  } cases[] = { { "\x1c\2\5\0\3xyz", "\x1c\2\5\0\3xyz" },
                { "\0\5\2\x1czyx\3", "\x1c\2\5\0\3xyz" } };

  g_test_summary ("IPTC data of a TIFF are in a JPEG, whatever the order of "
                  "their bytes");
  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autoptr (Image) plain = random_picture (20, 10, 3, 8);
    g_autoptr (Image) image = through_file (plain, TESSERA_TIFF);
    g_autoptr (GByteArray) resource = g_byte_array_new ();
    g_autoptr (Image) tiff = NULL;
    g_autoptr (Image) jpeg = NULL;

    add_field (image, TIFF_CHUNK, TIFFTAG_RICHTIFFIPTC, cases[k].field, 8);
    tiff = through_file (image, TESSERA_TIFF);
    g_assert_null (image_left_out_words (tiff, TESSERA_JPEG));
    jpeg = through_file (tiff, TESSERA_JPEG);
    g_byte_array_append (resource, (const guint8 *) "8BIM\4\4\0\0\0\0\0\10",
                         12);
    g_byte_array_append (resource, (const guint8 *) cases[k].data, 8);
    g_assert_nonnull (jpeg->meta.resources);
    g_assert_cmpmem (g_bytes_get_data (jpeg->meta.resources, NULL),
                     (int) g_bytes_get_size (jpeg->meta.resources),
                     resource->data, resource->len);
  }
}

static void
test_transparent_colour (void)
{
  g_test_summary ("A transparent colour is refused, not shown");

  g_autoptr (Image) image = random_picture (5, 5, 3, 8);
  g_autoptr (GError) error = NULL;

  image->meta.has_key = TRUE;
  g_assert_null (
    image_encode (image, TESSERA_TIFF, &ENCODE_DEFAULTS, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
}

static void
assert_same_pixels (const Image *a, const Image *b)
{
  assert_same_size (a, b);
  assert_same_memory (a->samples, b->samples,
                      image_pixels (a) * (gsize) a->channels * 2);
}

static void
test_pages (void)
{
  g_test_summary ("Pages of different types come back one by one");

  Image *pages[3] = { random_picture (20, 10, 3, 8),
                      random_picture (7, 9, 1, 16),
                      random_picture (33, 5, 4, 8) };
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (PageWriter) writer =
    page_writer_new (TESSERA_TIFF, &ENCODE_DEFAULTS);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PageReader) reader = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 3; i++)
    g_assert_true (page_writer_add (writer, pages[i], NULL));
  bytes = page_writer_finish (writer);
  reader = page_reader_new (bytes);
  g_assert_cmpint (page_reader_count (reader), ==, 3);
  for (int i = 2; i >= 0; i--) {
    g_autoptr (Image) again =
      page_reader_decode (reader, i, "page", &limits, NULL);

    assert_same_pixels (pages[i], again);
  }
  g_assert_null (page_reader_decode (reader, 3, "page", &limits, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  for (int i = 0; i < 3; i++)
    image_free (pages[i]);
}

static void
test_one_page (void)
{
  g_test_summary ("A PNG takes one page and refuses another");

  g_autoptr (Image) image = random_picture (5, 5, 3, 8);
  g_autoptr (PageWriter) writer =
    page_writer_new (TESSERA_PNG, &ENCODE_DEFAULTS);
  g_autoptr (GError) error = NULL;

  g_assert_null (page_writer_finish (writer));
  g_assert_true (page_writer_add (writer, image, NULL));
  g_assert_false (page_writer_add (writer, image, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
}

static void
test_bilevel (void)
{
  g_test_summary ("Black and white comes back, however few bits the end has");

  static const guint16 compressions[] = { COMPRESSION_CCITTRLE,
                                          COMPRESSION_CCITTFAX3,
                                          COMPRESSION_CCITTFAX4 };

  for (gsize k = 0; k < G_N_ELEMENTS (compressions); k++)
    for (int round = 0; round < 300; round++) {
      g_autoptr (Image) image =
        random_picture (1 + round % 20, 1 + round % 7, 1, 1);

      image->meta.format = TESSERA_TIFF;
      image->meta.chunks = image_chunks_new ();
      tiff_store_set (&image->meta, TIFFTAG_COMPRESSION, compressions[k]);
      g_autoptr (Image) again = through_file (image, TESSERA_TIFF);

      assert_same_pixels (image, again);
    }
}

/* A page of one pixel that says which it is. */
static Image *
numbered_page (int number)
{
  Image *image = image_new (1, 1, 1, 16, NULL);

  image->samples[0] = (guint16) number;
  return image;
}

static void
test_many_pages (void)
{
  g_test_summary ("No page is lost, however many there are");

  enum { PAGES = 12000 };
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (PageWriter) writer =
    page_writer_new (TESSERA_TIFF, &ENCODE_DEFAULTS);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PageReader) reader = NULL;

  for (int i = 0; i < PAGES; i++) {
    g_autoptr (Image) page = numbered_page (i);

    g_assert_true (page_writer_add (writer, page, NULL));
  }
  bytes = page_writer_finish (writer);
  reader = page_reader_new (bytes);
  g_assert_cmpint (page_reader_count (reader), ==, PAGES);
  for (int i = 0; i < PAGES; i++) {
    g_autoptr (Image) again =
      page_reader_decode (reader, i, "page", &limits, NULL);

    g_assert_cmpint (again->samples[0], ==, i);
  }
}

static void
test_lost_pages (void)
{
  g_test_summary ("A file that ends before its last page is an error");

  g_autoptr (PageWriter) writer =
    page_writer_new (TESSERA_TIFF, &ENCODE_DEFAULTS);
  g_autoptr (Image) page = random_picture (30, 30, 3, 8);
  g_autoptr (GBytes) one = encode (page, TESSERA_TIFF);
  g_autoptr (GBytes) two = NULL;
  g_autoptr (GBytes) cut = NULL;
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (GError) error = NULL;
  g_autoptr (Image) rest = NULL;

  for (int i = 0; i < 2; i++)
    g_assert_true (page_writer_add (writer, page, NULL));
  two = page_writer_finish (writer);
  cut = g_bytes_new_from_bytes (two, 0, g_bytes_get_size (one) + 50);
  g_assert_null (image_decode (cut, "cut", &limits, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  limits.lenient = TRUE;
  rest = image_decode (cut, "cut", &limits, NULL);
  assert_same_pixels (page, rest);
  g_assert_cmpuint (rest->meta.left_out->len, ==, 1);
}

static void
test_circle (void)
{
  g_test_summary ("Pages in a circle are read once");

  g_autoptr (Image) page = numbered_page (7);
  g_autoptr (GBytes) bytes = encode (page, TESSERA_TIFF);
  gsize size;
  guint8 *data = g_bytes_unref_to_data (g_steal_pointer (&bytes), &size);
  g_autoptr (PageReader) reader = NULL;
  guint32 first;
  guint16 fields;

  memcpy (&first, data + 4, sizeof first);
  memcpy (&fields, data + first, sizeof fields);
  memcpy (data + first + 2 + 12 * fields, &first, sizeof first);
  bytes = g_bytes_new_take (data, size);
  reader = page_reader_new (bytes);
  g_assert_cmpint (page_reader_count (reader), ==, 1);
}

static void
test_limits (void)
{
  g_test_summary ("Every prefix fails cleanly; limits hold");

  g_autoptr (Image) image = random_picture (40, 30, 3, 8);
  g_autoptr (GBytes) bytes =
    image_encode (image, TESSERA_TIFF, &ENCODE_DEFAULTS, NULL);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (GError) error = NULL;

  for (gsize size = 1; size < g_bytes_get_size (bytes); size += 5) {
    g_autoptr (GBytes) part = g_bytes_new_from_bytes (bytes, 0, size);
    g_autoptr (GError) why = NULL;
    g_autoptr (Image) some = image_decode (part, "part", &limits, &why);

    g_assert_true ((some != NULL) == (why == NULL));
  }
  limits.max_pixels = 40 * 30 - 1;
  g_assert_null (image_decode (bytes, "large", &limits, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT);
}

#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#ifdef HAVE_TIFF
  g_test_add_func ("/tiff/samples", test_samples);
  g_test_add_func ("/tiff/stores", test_stores);
  g_test_add_func ("/tiff/refused", test_refused);
  g_test_add_func ("/tiff/compressions", test_compressions);
  g_test_add_func ("/tiff/old-memory", test_old_memory);
  g_test_add_func ("/tiff/small-block", test_small_block);
  g_test_add_func ("/tiff/huge-tiles", test_huge_tiles);
  g_test_add_func ("/tiff/meta", test_meta);
  g_test_add_func ("/tiff/fields", test_fields);
  g_test_add_func ("/tiff/crossing", test_crossing);
  g_test_add_func ("/tiff/iptc", test_iptc);
  g_test_add_func ("/tiff/transparent-colour", test_transparent_colour);
  g_test_add_func ("/tiff/pages", test_pages);
  g_test_add_func ("/tiff/one-page", test_one_page);
  g_test_add_func ("/tiff/bilevel", test_bilevel);
  g_test_add_func ("/tiff/many-pages", test_many_pages);
  g_test_add_func ("/tiff/lost-pages", test_lost_pages);
  g_test_add_func ("/tiff/circle", test_circle);
  g_test_add_func ("/tiff/limits", test_limits);
#endif
  return g_test_run ();
}
