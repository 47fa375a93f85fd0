/* test_png.c - pictures through PNG and back, and PNGs that lie */
#include "base/parallel.h"
#include "imaging/codec/pngmeta.h"
#include "tests/pictures.h"

/* Where the header of a PNG ends, and has these numbers. */
enum { IHDR_END = 33, IHDR_DEPTH = 24, IHDR_TYPE = 25, IHDR_INTERLACE = 28 };

/* The checksum of PNG chunks, bit by bit. */
static guint32
crc_of (const guint8 *data, gsize size)
{
  guint32 crc = 0xffffffff;

  for (gsize i = 0; i < size; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

static void
append_u32 (GByteArray *array, guint32 value)
{
  guint32 stored = GUINT32_TO_BE (value);

  g_byte_array_append (array, (const guint8 *) &stored, sizeof stored);
}

static void
append_chunk (GByteArray *file, const char *name, const guint8 *data,
              guint size, guint32 damage)
{
  guint start = file->len + 4;

  append_u32 (file, size);
  g_byte_array_append (file, (const guint8 *) name, 4);
  g_byte_array_append (file, data, size);
  append_u32 (file, crc_of (file->data + start, 4 + size) + damage);
}

/* @png with a chunk behind its header; @damage is added to the checksum. */
static GBytes *
with_chunk (GBytes *png, const char *name, const char *text, guint32 damage)
{
  GByteArray *file = g_byte_array_new ();
  const guint8 *data = g_bytes_get_data (png, NULL);

  g_byte_array_append (file, data, IHDR_END);
  append_chunk (file, name, (const guint8 *) text, (guint) strlen (text),
                damage);
  g_byte_array_append (file, data + IHDR_END,
                       (guint) g_bytes_get_size (png) - IHDR_END);
  return g_byte_array_free_to_bytes (file);
}

/* @png, whose only IDAT chunk follows the header, with a checksum of the
 * unpacked pixels that is wrong by @damage and stands in a chunk of its own.
 */
static GBytes *
with_pixel_checksum (GBytes *png, guint8 damage)
{
  GByteArray *file = g_byte_array_new ();
  const guint8 *data = g_bytes_get_data (png, NULL);
  const guint8 *packed = data + IHDR_END + 8;
  guint size = (guint) packed[-6] << 8 | packed[-5];
  guint8 checksum[4];

  memcpy (checksum, packed + size - 4, 4);
  checksum[3] = (guint8) (checksum[3] ^ damage);
  g_byte_array_append (file, data, IHDR_END);
  append_chunk (file, "IDAT", packed, size - 4, 0);
  append_chunk (file, "IDAT", checksum, 4, 0);
  append_chunk (file, "IEND", NULL, 0, 0);
  return g_byte_array_free_to_bytes (file);
}

/* @png whose header claims another size. */
static GBytes *
with_size (GBytes *png, guint32 width, guint32 height)
{
  gsize size = g_bytes_get_size (png);
  guint8 *data = g_memdup2 (g_bytes_get_data (png, NULL), size);
  guint32 numbers[2] = { GUINT32_TO_BE (width), GUINT32_TO_BE (height) };

  memcpy (data + 16, numbers, sizeof numbers);
  guint32 crc = GUINT32_TO_BE (crc_of (data + 12, 17));
  memcpy (data + 29, &crc, sizeof crc);
  return g_bytes_new_take (data, size);
}

static void
assert_header (GBytes *png, int depth, int type, gboolean interlaced)
{
  const guint8 *data = g_bytes_get_data (png, NULL);

  g_assert_cmpint (data[IHDR_DEPTH], ==, depth);
  g_assert_cmpint (data[IHDR_TYPE], ==, type);
  g_assert_cmpint (data[IHDR_INTERLACE], ==, interlaced);
}

static void
check_png_type (int size, int channels, int depth, gboolean interlaced)
{
  static const int types[] = { 0, 0, 4, 2, 6 };
  g_autoptr (Image) image = random_picture (size, 35 - size, channels, depth);

  image->meta.interlaced = interlaced;
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (Image) again = decode (png);

  assert_same_samples (image, again);
  assert_same_meta (&image->meta, &again->meta);
  assert_header (png, depth, types[channels], interlaced);
}

static void
test_types (void)
{
  g_test_summary ("Every kind of PNG comes back bit for bit");

  for (int size = 1; size < 35; size += g_test_rand_int_range (1, 5))
    for (int interlaced = 0; interlaced < 2; interlaced++)
      for (int channels = 1; channels <= 4; channels++)
        for (int depth = channels == 1 ? 1 : 8; depth <= 16; depth *= 2)
          check_png_type (size, channels, depth, interlaced);
}

/* A page with a line every few rows, which repeats, or that with noise. */
static Image *
large_picture (gboolean noisy)
{
  Image *image = image_new (2048, 1100, 1, 8, NULL);

  for (gsize i = 0; i < image_pixels (image); i++) {
    gsize text = i % 2048 * 2654435761u >> 8 & 127;
    int noise = noisy ? g_test_rand_int_range (0, 30) : 0;

    image->samples[i] =
      (guint16) ((i / 2048 % 7 == 0 ? (int) text : 200) + noise);
  }
  return image;
}

static void
test_large (void)
{
  g_test_summary ("Large pictures come back, and repeats are made use of");

  /* Bytes per pixel; a search that does not suit them packs them to 0.029 and
   * 0.74. */
  const double most[] = { 0.015, 0.725 };

  for (int noisy = 0; noisy < 2; noisy++) {
    g_autoptr (Image) image = large_picture (noisy);
    g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
    g_autoptr (Image) again = decode (png);

    assert_same_samples (image, again);
    g_assert_cmpfloat ((double) g_bytes_get_size (png), <,
                       most[noisy] * (double) image_pixels (image));
  }
}

/* Waves and a little noise, of many bands of rows.  Filters that look left, up
 * and both ways each suit a part of it. */
static Image *
many_bands (int channels, int depth)
{
  Image *image = image_new (2048, 1040, channels, depth, NULL);
  int peak = image_peak (image);
  guint32 state = 1;

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < channels; c++) {
        int wave = y < 300 ? x * (c + 3) : y < 600 ? 5 * y : x + y * (c + 1);

        state = state * 1664525 + 1013904223;
        image_pixel (image, x, y)[c] =
          (guint16) ((wave * (peak / 255) + (int) (state >> 29)) & peak);
      }
  return image;
}

static void
test_threads (void)
{
  static const int types[][2] = { { 1, 8 }, { 2, 16 }, { 3, 8 }, { 4, 16 } };

  g_test_summary ("Large pictures come back, the same file for any threads");
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++) {
    g_autoptr (Image) image = many_bands (types[i][0], types[i][1]);
    g_autoptr (GBytes) one = NULL;
    g_autoptr (GBytes) four = NULL;
    g_autoptr (Image) again = NULL;

    parallel_init (1);
    one = encode (image, TESSERA_PNG);
    parallel_init (4);
    four = encode (image, TESSERA_PNG);
    assert_same_bytes (one, four);
    again = decode (four);
    assert_same_samples (image, again);
  }
}

static void
check_palette (int depth, int alpha_entries, gboolean interlaced)
{
  g_autoptr (Image) image =
    random_palette_picture (13, 11, depth, alpha_entries);

  image->meta.interlaced = interlaced;
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (Image) again = decode (png);

  assert_same_samples (image, again);
  assert_same_palette (image, again);
  assert_same_meta (&image->meta, &again->meta);
  assert_header (png, depth, 3, interlaced);
}

static void
test_palette (void)
{
  g_test_summary ("Palette pictures keep colours, indices and depth");

  for (int depth = 1; depth <= 8; depth *= 2)
    for (int alpha_entries = 0; alpha_entries <= 2; alpha_entries++)
      for (int interlaced = 0; interlaced < 2; interlaced++)
        check_palette (depth, alpha_entries, interlaced);
}

static void
test_palette_nearest (void)
{
  g_test_summary ("A colour outside of the palette becomes the nearest entry");

  g_autoptr (Image) image = random_palette_picture (16, 16, 4, 5);
  const ImagePalette *palette = image->palette;

  fill_randomly (image);
  g_autoptr (Image) again = through_file (image, TESSERA_PNG);

  for (gsize i = 0; i < image_pixels (image); i++)
    for (int entry = 0; entry < palette->entries; entry++) {
      int chosen = 0, other = 0;

      for (gsize c = 0; c < 4; c++) {
        int wanted = image->samples[4 * i + c];
        int got = again->samples[4 * i + c];

        chosen += (wanted - got) * (wanted - got);
        other += (wanted - palette->colour[entry][c])
                 * (wanted - palette->colour[entry][c]);
      }
      g_assert_cmpint (chosen, <=, other);
    }
}

static void
test_key (void)
{
  g_test_summary ("The transparent colour of a PNG comes back");

  for (int channels = 1; channels <= 3; channels += 2)
    for (int depth = channels == 1 ? 1 : 8; depth <= 16; depth *= 2) {
      g_autoptr (Image) image = random_picture (9, 9, channels, depth);

      image->meta.has_key = TRUE;
      memcpy (image->meta.key, image->samples,
              (gsize) channels * sizeof *image->samples);
      g_autoptr (Image) again = through_file (image, TESSERA_PNG);

      assert_same_meta (&image->meta, &again->meta);
      g_assert_true (image_is_transparent (again, 0));
    }
}

static void
test_chunks (void)
{
  g_test_summary ("Metadata chunks come back with bytes, order and place");

  g_autoptr (Image) image = random_palette_picture (5, 5, 2, 0);

  add_chunk (image, "gAMA", PLACE_BEFORE_PLTE, "....");
  add_chunk (image, "tEXt", PLACE_BEFORE_PLTE, "not even valid");
  add_chunk (image, "prVt", PLACE_BEFORE_PLTE, "");
  add_chunk (image, "hIST", PLACE_BEFORE_IDAT, "12345678");
  add_chunk (image, "tEXt", PLACE_BEFORE_IDAT, "again");
  add_chunk (image, "zTXt", PLACE_AFTER_IDAT, "late");
  g_autoptr (Image) again = through_file (image, TESSERA_PNG);

  assert_same_meta (&image->meta, &again->meta);
}

/* Whether a chunk put into a PNG is there after reading it. */
static gboolean
is_kept (const char *name, guint32 damage)
{
  g_autoptr (Image) image = random_picture (3, 3, 1, 8);
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (GBytes) changed = with_chunk (png, name, "text", damage);
  g_autoptr (Image) again = decode (changed);

  assert_same_samples (image, again);
  return image_chunks_find (again->meta.chunks, name) != NULL;
}

static void
test_odd_chunks (void)
{
  g_test_summary ("Chunks that are broken or tied to the pixels are left out");

  g_assert_true (is_kept ("tEXt", 0));
  g_assert_false (is_kept ("tEXt", 1)); /* wrong checksum */
  g_assert_false (is_kept ("tRNS", 1));
  g_assert_false (is_kept ("iCCP", 0)); /* no profile */
  g_assert_true (is_kept ("vpAg", 0));
  g_assert_true (is_kept ("sBIT", 0));
  g_assert_false (is_kept ("iDOT", 0)); /* points into the packed pixels */
}

static void
test_refused_chunks (void)
{
  g_test_summary ("Animations, and chunks one must understand, are errors");

  g_autoptr (Image) image = random_picture (3, 3, 1, 8);
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (GBytes) animated = with_chunk (png, "acTL", "12345678", 0);
  g_autoptr (GBytes) critical = with_chunk (png, "CgBI", "1234", 0);

  assert_fails (animated, &IMAGE_LIMITS_DEFAULTS, TESSERA_ERROR_INPUT);
  assert_fails (critical, &IMAGE_LIMITS_DEFAULTS, TESSERA_ERROR_INPUT);
}

static void
test_checksum (void)
{
  g_test_summary ("Pixels that do not match their checksum are an error");

  g_autoptr (Image) image = random_picture (3, 3, 1, 8);
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (GBytes) right = with_pixel_checksum (png, 0);
  g_autoptr (GBytes) wrong = with_pixel_checksum (png, 1);
  g_autoptr (Image) again = decode (right);

  assert_same_samples (image, again);
  assert_fails (wrong, &IMAGE_LIMITS_DEFAULTS, TESSERA_ERROR_INPUT);
}

static void
test_key_bits (void)
{
  g_test_summary ("Only the bits of a sample count in a transparent colour");

  g_autoptr (Image) image = random_picture (3, 3, 1, 8);
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (GBytes) keyed = with_chunk (png, "tRNS", "\1\3", 0);
  g_autoptr (Image) again = decode (keyed);

  g_assert_true (again->meta.has_key);
  g_assert_cmpuint (again->meta.key[0], ==, 3);
}

static void
test_suggested_palette (void)
{
  g_test_summary ("A palette that a colour PNG only suggests comes back");

  g_autoptr (Image) image = random_picture (3, 3, 3, 8);
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (GBytes) changed = with_chunk (png, "PLTE", "redgrn", 0);
  g_autoptr (Image) first = decode (changed);
  g_autoptr (Image) second = through_file (first, TESSERA_PNG);

  assert_same_samples (image, second);
  g_assert_nonnull (image_chunks_find (second->meta.chunks, "PLTE"));
  assert_same_meta (&first->meta, &second->meta);
}

static void
check_stray_index (int depth)
{
  g_autoptr (Image) image = random_palette_picture (8, 8, depth, 0);
  int last = (1 << depth) - 1;

  image->palette->entries = 2;
  memset (image->palette->colour[2], 0, sizeof image->palette->colour[2]);
  memset (image->palette->colour[last], 0, sizeof image->palette->colour[2]);
  for (gsize i = 0; i < image_pixels (image); i++) {
    image->palette->index[i] = (guint8) (i % 2 == 0 ? last : 2);
    memset (image->samples + 3 * i, 0, 3 * sizeof *image->samples);
  }
  g_autoptr (Image) again = through_file (image, TESSERA_PNG);

  assert_same_samples (image, again);
  assert_same_palette (image, again);
}

static void
test_stray_index (void)
{
  g_test_summary ("Indices past the end of the palette are black, and stay");

  for (int depth = 2; depth <= 8; depth *= 2)
    check_stray_index (depth);
}

static void
test_profile_limit (void)
{
  g_test_summary ("A profile that unpacks to too much is refused");

  g_autofree guint8 *zeros = g_malloc0 (1000 * 1000);
  g_autoptr (Image) image = random_picture (5, 5, 1, 8);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  zeros[1] = 0x0f; /* 1000000 = 0x000f4240 */
  zeros[2] = 0x42;
  zeros[3] = 0x40;
  image->meta.icc = g_bytes_new (zeros, 1000 * 1000);
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_assert_cmpuint (g_bytes_get_size (png), <, 10000);
  limits.max_metadata = 500 * 1000;
  assert_fails (png, &limits, TESSERA_ERROR_LIMIT);
}

static void
test_lying_size (void)
{
  g_test_summary ("A small PNG that claims a huge picture is found out");

  g_autoptr (Image) image = random_picture (8, 8, 1, 8);
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (GBytes) large = with_size (png, 14000, 14000);
  g_autoptr (GBytes) empty = with_size (png, 0, 8);

  assert_found_truncated (large);
  assert_fails (empty, &IMAGE_LIMITS_DEFAULTS, TESSERA_ERROR_INPUT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/png/types", test_types);
  g_test_add_func ("/png/large", test_large);
  g_test_add_func ("/png/threads", test_threads);
  g_test_add_func ("/png/palette", test_palette);
  g_test_add_func ("/png/palette-nearest", test_palette_nearest);
  g_test_add_func ("/png/key", test_key);
  g_test_add_func ("/png/chunks", test_chunks);
  g_test_add_func ("/png/odd-chunks", test_odd_chunks);
  g_test_add_func ("/png/refused-chunks", test_refused_chunks);
  g_test_add_func ("/png/checksum", test_checksum);
  g_test_add_func ("/png/key-bits", test_key_bits);
  g_test_add_func ("/png/suggested-palette", test_suggested_palette);
  g_test_add_func ("/png/stray-index", test_stray_index);
  g_test_add_func ("/png/profile-limit", test_profile_limit);
  g_test_add_func ("/png/lying-size", test_lying_size);
  return g_test_run ();
}
