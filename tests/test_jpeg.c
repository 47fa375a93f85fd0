/* test_jpeg.c - pictures through JPEG and back, and JPEGs that lie */
#include "tests/pictures.h"

static void
test_pixels (void)
{
  g_test_summary ("Smooth pictures survive JPEG, also those of few bits");

  for (int depth = 1; depth <= 8; depth *= 2)
    for (int channels = 1; channels <= (depth == 8 ? 3 : 1); channels += 2) {
      g_autoptr (Image) image = image_new (40, 30, channels, depth, NULL);
      int peak = image_peak (image);
      gsize count = image_pixels (image) * (gsize) channels;

      for (gsize i = 0; i < count; i++)
        image->samples[i] = (guint16) (i * (gsize) (peak + 1) / count);
      g_autoptr (Image) again = through_file (image, TESSERA_JPEG);

      assert_same_size (image, again);
      g_assert_cmpint (again->depth, ==, 8);
      for (gsize i = 0; depth == 8 && i < count; i++)
        g_assert_cmpint (ABS (again->samples[i] - image->samples[i]), <=, 6);
      g_assert_cmpint (again->samples[0], <=, 6);
      g_assert_cmpint (again->samples[count - 1], >=, 249);
    }
}

static void
test_markers (void)
{
  g_test_summary ("Markers, profile, EXIF and density of a JPEG come back");

  g_autoptr (Image) image = random_picture (20, 10, 3, 8);

  image->meta.icc = random_profile (150000); /* needs three markers */
  image->meta.exif = exif_with (8);
  image->meta.orientation = 8;
  image->meta.density_unit = DENSITY_PER_INCH;
  image->meta.density_x = 300;
  image->meta.density_y = 150;
  g_autoptr (Image) first = through_file (image, TESSERA_JPEG);
  assert_same_common_meta (&image->meta, &first->meta);

  g_assert_cmpint (first->meta.format, ==, TESSERA_JPEG);
  add_chunk (first, "APP1", JPEG_APP0 + 1, "http://ns.adobe.com/xap/1.0/");
  add_chunk (first, "APP13", JPEG_APP0 + 13, "Photoshop 3.0");
  add_chunk (first, "COM", JPEG_COM, "a comment");
  g_autoptr (Image) second = through_file (first, TESSERA_JPEG);
  assert_same_meta (&first->meta, &second->meta);
}

static void
test_density (void)
{
  g_test_summary ("JPEG brings back densities in all its units");

  for (DensityUnit unit = DENSITY_NONE; unit <= DENSITY_PER_INCH; unit++) {
    g_autoptr (Image) image = random_picture (8, 8, 1, 8);

    image->meta.format = TESSERA_JPEG;
    image->meta.density_unit = unit;
    image->meta.density_x = unit == DENSITY_NONE ? 0 : 7200;
    image->meta.density_y = unit == DENSITY_NONE ? 0 : 9600;
    g_autoptr (Image) again = through_file (image, TESSERA_JPEG);

    if (unit != DENSITY_PER_METRE) {
      assert_same_common_meta (&image->meta, &again->meta);
      continue;
    }
    g_assert_cmpint (again->meta.density_unit, ==, DENSITY_PER_CM);
    g_assert_cmpuint (again->meta.density_x, ==, 72);
    g_assert_cmpuint (again->meta.density_y, ==, 96);
  }
}

static void
assert_cannot_be_jpeg (const Image *image)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (image_encode (image, TESSERA_JPEG, &ENCODE_DEFAULTS, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_assert_nonnull (strstr (error->message, "PNG instead"));
}

static void
test_refuses (void)
{
  g_test_summary ("What JPEG cannot hold is refused, with advice");

  g_autoptr (Image) deep = random_picture (8, 8, 3, 16);
  g_autoptr (Image) alpha = random_picture (8, 8, 4, 8);
  g_autoptr (Image) key = random_picture (8, 8, 1, 8);
  g_autoptr (Image) wide = random_picture (65501, 1, 1, 8);
  g_autoptr (Image) exif = random_picture (8, 8, 1, 8);

  key->meta.has_key = TRUE;
  exif->meta.exif = random_profile (65528);
  assert_cannot_be_jpeg (deep);
  assert_cannot_be_jpeg (alpha);
  assert_cannot_be_jpeg (key);
  assert_cannot_be_jpeg (wide);
  assert_cannot_be_jpeg (exif);
}

static void
test_kinds (void)
{
  g_test_summary ("Progressive JPEG is read, CMYK is not");

  g_autoptr (GBytes) progressive = foreign_jpeg (JCS_RGB, 3, TRUE);
  g_autoptr (GBytes) cmyk = foreign_jpeg (JCS_CMYK, 4, FALSE);
  g_autoptr (Image) image = decode (progressive);

  g_assert_cmpint (image->channels, ==, 3);
  assert_fails (cmyk, &IMAGE_LIMITS_DEFAULTS, TESSERA_ERROR_INPUT);
}

static void
test_scan_limit (void)
{
  g_test_summary ("A JPEG of too many scans is refused");

  g_autoptr (GBytes) jpeg = foreign_jpeg (JCS_RGB, 3, TRUE);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  limits.max_scans = 9; /* libjpeg's usual script has ten */
  assert_fails (jpeg, &limits, TESSERA_ERROR_LIMIT);
  limits.max_scans = 10;
  g_autoptr (Image) image = image_decode (jpeg, "x", &limits, NULL);
  g_assert_nonnull (image);
}

static void
test_lying_size (void)
{
  g_test_summary ("A small JPEG that claims a huge picture is found out");

  g_autoptr (Image) image = random_picture (8, 8, 1, 8);
  g_autoptr (GBytes) jpeg = encode (image, TESSERA_JPEG);
  gsize size = g_bytes_get_size (jpeg);
  guint8 *data = g_memdup2 (g_bytes_get_data (jpeg, NULL), size);
  g_autoptr (GBytes) large = g_bytes_new_take (data, size);

  for (gsize i = 0; i + 9 < size; i++) /* 14000 = 0x36b0 in the SOF0 marker */
    if (data[i] == 0xff && data[i + 1] == 0xc0) {
      data[i + 5] = data[i + 7] = 0x36;
      data[i + 6] = data[i + 8] = 0xb0;
    }
  assert_found_truncated (large);
}

/* A JPEG of one colour with @count segments like the @size bytes at @segment
 * in front of all others, up to the length @end. */
static GBytes *
jpeg_with_segments (const char *segment, gsize size, int count, gsize end)
{
  g_autoptr (Image) image = random_picture (8, 8, 1, 8);
  g_autoptr (GBytes) jpeg = encode (image, TESSERA_JPEG);
  GByteArray *file = g_byte_array_new ();
  gsize length;
  const guint8 *data = g_bytes_get_data (jpeg, &length);

  g_byte_array_append (file, data, 2); /* the start marker */
  for (int i = 0; i < count; i++)
    g_byte_array_append (file, (const guint8 *) segment, (guint) size);
  g_byte_array_append (file, data + 2, (guint) (MIN (length, end) - 2));
  return g_byte_array_free_to_bytes (file);
}

#define EMPTY_COMMENT "\xff\xfe\0\2"
#define JFIF_SEGMENT "\xff\xe0\0\20JFIF\0\1\1\1\0\1\0\1\0\0"

static void
test_many_markers (void)
{
  g_test_summary ("A megabyte of empty comments is read as fast as it comes");

  int count = 1 << 18;
  g_autoptr (GBytes) jpeg =
    jpeg_with_segments (EMPTY_COMMENT, 4, count, G_MAXSIZE);
  g_autoptr (Image) image = decode (jpeg);

  g_assert_cmpuint (image->meta.chunks->len, ==, count);
}

static void
test_marker_limit (void)
{
  g_test_summary ("Reading stops at the marker that is beyond the limit");

  static const struct {
    const char *segment;
    gsize size;
  } kinds[] = { { EMPTY_COMMENT, 4 }, { JFIF_SEGMENT, 18 } };
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  limits.max_metadata = 100000;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    /* The file ends with the segments: whoever reads on finds that out. */
    g_autoptr (GBytes) many =
      jpeg_with_segments (kinds[i].segment, kinds[i].size, 1000, 2);
    g_autoptr (GBytes) few =
      jpeg_with_segments (kinds[i].segment, kinds[i].size, 500, G_MAXSIZE);
    g_autoptr (Image) image = image_decode (few, "x", &limits, NULL);

    assert_fails (many, &limits, TESSERA_ERROR_LIMIT);
    g_assert_nonnull (image);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jpeg/pixels", test_pixels);
  g_test_add_func ("/jpeg/markers", test_markers);
  g_test_add_func ("/jpeg/density", test_density);
  g_test_add_func ("/jpeg/refuses", test_refuses);
  g_test_add_func ("/jpeg/kinds", test_kinds);
  g_test_add_func ("/jpeg/scan-limit", test_scan_limit);
  g_test_add_func ("/jpeg/lying-size", test_lying_size);
  g_test_add_func ("/jpeg/many-markers", test_many_markers);
  g_test_add_func ("/jpeg/marker-limit", test_marker_limit);
  return g_test_run ();
}
