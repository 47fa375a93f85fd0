/* test_codec.c - what PNG and JPEG have in common: metadata that crosses over,
 * orientation, broken files, limits */
#include "imaging/codec/orient.h"
#include "imaging/codec/pngmeta.h"
#include "tests/pictures.h"

static void
test_crossing (void)
{
  g_test_summary ("Profile, EXIF and density cross from PNG to JPEG and back");

  g_autoptr (Image) png = random_picture (30, 20, 3, 8);

  png->meta.icc = random_profile (70000);
  png->meta.exif = exif_with (6);
  png->meta.orientation = 6;
  png->meta.density_unit = DENSITY_PER_METRE;
  png->meta.density_x = png->meta.density_y = 11811;
  add_chunk (png, "tEXt", PLACE_BEFORE_PLTE, "stays behind");

  g_autoptr (Image) read = through_file (png, TESSERA_PNG);
  assert_same_common_meta (&png->meta, &read->meta);
  g_autoptr (Image) jpeg = through_file (read, TESSERA_JPEG);
  g_assert_cmpint (jpeg->meta.density_unit, ==, DENSITY_PER_INCH);
  g_assert_cmpuint (jpeg->meta.density_x, ==, 300);
  g_autoptr (Image) back = through_file (jpeg, TESSERA_PNG);
  assert_same_common_meta (&png->meta, &back->meta);
  g_assert_null (image_chunks_find (back->meta.chunks, "tEXt"));
}

/* All formats that are built in. */
static const TesseraFormat formats[] = { TESSERA_PNG, TESSERA_JPEG,
#ifdef HAVE_TIFF
                                         TESSERA_TIFF,
#endif
#ifdef HAVE_WEBP
                                         TESSERA_WEBP,
#endif
};

static void
test_false_profile (void)
{
  g_test_summary ("A profile whose length lies is left out once and for all");

  static const struct {
    guint32 size, claimed, kept;
  } cases[] = { { 132, 0x30303030, 0 }, { 132, 133, 0 }, { 132, 127, 0 },
                { 60, 60, 0 },          { 132, 131, 131 }, { 132, 132, 132 } };

  for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
    for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
      g_autoptr (Image) image = random_picture (8, 8, 3, 8);
      g_autoptr (Image) first = NULL;

      image->meta.icc = false_profile (cases[k].size, cases[k].claimed);
      first = through_file (image, formats[f]);
      g_assert_cmpuint (
        first->meta.icc != NULL ? g_bytes_get_size (first->meta.icc) : 0, ==,
        cases[k].kept);
      g_assert_cmpint (first->meta.left_out != NULL, ==, cases[k].kept == 0);
      for (gsize g = 0; g < G_N_ELEMENTS (formats); g++) {
        g_autoptr (Image) second = through_file (first, formats[g]);

        assert_same_bytes (first->meta.icc, second->meta.icc);
        g_assert_null (second->meta.left_out);
      }
    }
}

static void
test_orientation (void)
{
  g_test_summary ("Files hold the turned picture, we see the upright one");

  for (int orientation = 1; orientation <= 8; orientation++) {
    g_autoptr (Image) upright = random_picture (9, 5, 3, 8);
    const guint8 *header;

    upright->meta.exif = exif_with (orientation);
    upright->meta.orientation = orientation;
    g_autoptr (GBytes) file = encode (upright, TESSERA_PNG);
    g_autoptr (Image) again = decode (file);

    assert_same_samples (upright, again);
    g_assert_cmpint (again->meta.orientation, ==, orientation);
    header = g_bytes_get_data (file, NULL);
    g_assert_cmpint (header[19], ==, orientation < 5 ? 9 : 5);

    /* Without orientation we get what is in the file. */
    g_autoptr (Image) stored = orient_stored (upright, orientation, NULL);
    stored->meta.orientation = 1;
    g_clear_pointer (&stored->meta.exif, g_bytes_unref);
    g_autoptr (GBytes) plain = encode (stored, TESSERA_PNG);
    g_autoptr (Image) turned = decode (plain);
    assert_same_samples (stored, turned);
  }
}

/* Every proper prefix of a file must be an error, and a lenient decoder must
 * get through it. */
static void
check_truncation (GBytes *whole)
{
  ImageLimits lenient = IMAGE_LIMITS_DEFAULTS;
  gsize size = g_bytes_get_size (whole);

  lenient.lenient = TRUE;
  for (gsize length = 0; length < size; length++) {
    /* A block of just this size, so that a sanitizer sees its end. */
    g_autoptr (GBytes) part = g_bytes_new_take (
      g_memdup2 (g_bytes_get_data (whole, NULL), length), length);
    g_autoptr (Image) rest = image_decode (part, "part", &lenient, NULL);

    assert_fails (part, &IMAGE_LIMITS_DEFAULTS, TESSERA_ERROR_INPUT);
    if (length == size - 1)
      g_assert_nonnull (rest);
  }
}

static void
test_truncation (void)
{
  g_test_summary ("A file that is cut off anywhere is an error");

  g_autoptr (Image) colour = random_picture (17, 9, 3, 8);
  g_autoptr (Image) indexed = random_palette_picture (17, 9, 4, 3);

  add_chunk (colour, "tEXt", PLACE_BEFORE_PLTE, "some text");
  colour->meta.exif = exif_with (3);
  indexed->meta.interlaced = TRUE;
  GBytes *files[] = {
    encode (colour, TESSERA_PNG),
    encode (indexed, TESSERA_PNG),
    encode (colour, TESSERA_JPEG),
    foreign_jpeg (JCS_RGB, 3, TRUE),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++) {
    check_truncation (files[i]);
    g_bytes_unref (files[i]);
  }
}

static void
test_damage (void)
{
  g_test_summary ("Flipped bits give a picture or an error, never a crash");

  g_autoptr (Image) image = random_palette_picture (30, 20, 4, 3);
  g_autoptr (Image) opaque = random_picture (30, 20, 3, 8);

  image->meta.icc = random_profile (300);
  image->meta.interlaced = TRUE;
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (GBytes) jpeg = encode (opaque, TESSERA_JPEG);
  g_autoptr (GBytes) progressive = foreign_jpeg (JCS_RGB, 3, TRUE);
  GBytes *files[] = { png, jpeg, progressive };
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  for (int round = 0; round < 3000; round++) {
    gsize size = g_bytes_get_size (files[round % 3]);
    guint8 *data = g_memdup2 (g_bytes_get_data (files[round % 3], NULL), size);
    g_autoptr (GBytes) broken = g_bytes_new_take (data, size);
    g_autoptr (GError) error = NULL;

    limits.lenient = round % 2;
    for (int i = 0; i <= round % 5; i++)
      data[g_test_rand_int_range (0, (gint32) size)] ^=
        (guint8) (1 << g_test_rand_int_range (0, 8));
    g_autoptr (Image) result = image_decode (broken, "x", &limits, &error);
    g_assert_true ((result == NULL) == (error != NULL));
  }
}

static void
test_lenient (void)
{
  g_test_summary ("A lenient decoder keeps the rows that are there");

  g_autoptr (Image) image = random_picture (200, 200, 3, 8);
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (GBytes) half =
    g_bytes_new_from_bytes (png, 0, g_bytes_get_size (png) / 2);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  limits.lenient = TRUE;
  g_autoptr (Image) rest = image_decode (half, "half", &limits, NULL);
  g_assert_nonnull (rest);
  assert_same_memory (image->samples, rest->samples,
                      80 * 200 * 3 * sizeof *image->samples);
  g_assert_cmpint (image_pixel (rest, 0, 120)[0], ==, 0);
}

/* A picture whose file is turned by @orientation and cut in half. */
static Image *
decode_half (TesseraFormat format, int orientation)
{
  g_autoptr (Image) image = random_picture (160, 208, 3, 8);
  g_autoptr (GBytes) whole = NULL, half = NULL;
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  image->meta.exif = exif_with (orientation);
  image->meta.orientation = orientation;
  whole = encode (image, format);
  half = g_bytes_new_from_bytes (whole, 0, g_bytes_get_size (whole) / 2);
  limits.lenient = TRUE;
  return image_decode (half, "half", &limits, NULL);
}

/* Whether all samples are equal. */
static gboolean
is_flat (const Image *image, const ImageArea *area)
{
  const guint16 *first = image_pixel (image, area->x, area->y);

  for (int y = area->y; y < area->y + area->height; y++)
    for (int x = area->x; x < area->x + area->width; x++)
      for (int c = 0; c < image->channels; c++)
        if (image_pixel (image, x, y)[c] != first[c])
          return FALSE;
  return TRUE;
}

static void
test_known_area (void)
{
  g_test_summary ("A lenient decoder knows which rows are there");

  for (int format = 0; format < 2; format++)
    for (int orientation = 1; orientation <= 8; orientation++) {
      g_autoptr (Image) image =
        decode_half (format == 0 ? TESSERA_PNG : TESSERA_JPEG, orientation);
      const ImageArea known = orient_known_area (image);
      gboolean is_turned = orientation > 4;
      int length = is_turned ? known.width : known.height;
      int whole = is_turned ? image->width : image->height;
      int start = is_turned ? known.x : known.y;
      /* The side of the rest that is farthest from what is known. */
      int far = start > 0 ? 0 : whole - 1;
      ImageArea edge = is_turned ? (ImageArea){ far, 0, 1, image->height }
                                 : (ImageArea){ 0, far, image->width, 1 };

      g_assert_cmpint (length, >, whole / 3);
      g_assert_cmpint (length, <, whole * 2 / 3);
      g_assert_false (is_flat (image, &known));
      g_assert_true (is_flat (image, &edge));
    }
}

static void
test_whole_area (void)
{
  g_test_summary ("A whole file has no rows missing");

  g_autoptr (Image) image = random_picture (40, 30, 3, 8);
  g_autoptr (GBytes) jpeg = encode (image, TESSERA_JPEG);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (Image) decoded = NULL;

  limits.lenient = TRUE;
  decoded = image_decode (jpeg, "whole", &limits, NULL);
  g_assert_cmpint (decoded->meta.stored_rows, ==, 0);
  g_assert_cmpint (orient_known_area (decoded).height, ==, 30);
}

static void
test_limits (void)
{
  g_test_summary ("Pictures beyond a limit are refused as such");

  g_autoptr (Image) image = random_picture (20, 10, 1, 8);
  image->meta.exif = exif_with (1);
  g_autoptr (GBytes) png = encode (image, TESSERA_PNG);
  g_autoptr (GBytes) jpeg = encode (image, TESSERA_JPEG);
  ImageLimits side = IMAGE_LIMITS_DEFAULTS, pixels = side, metadata = side;

  side.max_side = 19;
  pixels.max_pixels = 199;
  metadata.max_metadata = 20;
  assert_fails (png, &side, TESSERA_ERROR_LIMIT);
  assert_fails (jpeg, &side, TESSERA_ERROR_LIMIT);
  assert_fails (png, &pixels, TESSERA_ERROR_LIMIT);
  assert_fails (jpeg, &pixels, TESSERA_ERROR_LIMIT);
  assert_fails (png, &metadata, TESSERA_ERROR_LIMIT);
  assert_fails (jpeg, &metadata, TESSERA_ERROR_LIMIT);

  side.max_side = 20;
  side.max_pixels = 200;
  g_autoptr (Image) just_fits = image_decode (png, "x", &side, NULL);
  g_assert_nonnull (just_fits);
}

static void
test_not_a_picture (void)
{
  g_test_summary ("Other files, and empty ones, are input errors");

  g_autoptr (GBytes) empty = g_bytes_new (NULL, 0);
  g_autoptr (GBytes) text = g_bytes_new_static ("hello world", 11);
  g_autoptr (GBytes) gif = g_bytes_new_static ("GIF89a", 6);

  assert_fails (empty, &IMAGE_LIMITS_DEFAULTS, TESSERA_ERROR_INPUT);
  assert_fails (text, &IMAGE_LIMITS_DEFAULTS, TESSERA_ERROR_INPUT);
  assert_fails (gif, &IMAGE_LIMITS_DEFAULTS, TESSERA_ERROR_INPUT);
}

static void
test_endings (void)
{
  g_test_summary ("The ending of a name says the format");

  TesseraFormat format = TESSERA_JPEG;

  g_assert_true (image_format_from_path ("a.b/c.PNG", &format));
  g_assert_cmpint (format, ==, TESSERA_PNG);
  g_assert_true (image_format_from_path ("photo.Jpeg", &format));
  g_assert_cmpint (format, ==, TESSERA_JPEG);
  g_assert_false (image_format_from_path ("photo.gif", &format));
  g_assert_false (image_format_from_path ("png", &format));
  g_assert_false (image_format_from_path ("folder.png/photo", &format));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/codec/crossing", test_crossing);
  g_test_add_func ("/codec/false-profile", test_false_profile);
  g_test_add_func ("/codec/orientation", test_orientation);
  g_test_add_func ("/codec/truncation", test_truncation);
  g_test_add_func ("/codec/damage", test_damage);
  g_test_add_func ("/codec/lenient", test_lenient);
  g_test_add_func ("/codec/known-area", test_known_area);
  g_test_add_func ("/codec/whole-area", test_whole_area);
  g_test_add_func ("/codec/limits", test_limits);
  g_test_add_func ("/codec/not-a-picture", test_not_a_picture);
  g_test_add_func ("/codec/endings", test_endings);
  return g_test_run ();
}
