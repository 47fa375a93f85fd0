/* test_webp.c - pictures through WebP and back, and WebPs that lie */
#include "tests/pictures.h"

#ifdef HAVE_WEBP

static void
test_lossless (void)
{
  g_test_summary ("Samples come back bit for bit, hidden colours too");

  for (int channels = 3; channels <= 4; channels++)
    for (int width = 1; width <= 65; width += 16) {
      g_autoptr (Image) image = random_picture (width, 30, channels, 8);

      if (channels == 4)
        image->samples[3] = 0; /* at least one pixel is hidden */
      g_autoptr (Image) again = through_file (image, TESSERA_WEBP);

      assert_same_size (image, again);
      assert_same_memory (image->samples, again->samples,
                          image_pixels (image) * (gsize) channels * 2);
      g_assert_false (image_is_lossy (again));
    }
}

static void
test_grey (void)
{
  g_test_summary ("Grey becomes colour with equal samples, of any depth");

  for (int depth = 1; depth <= 8; depth *= 2) {
    g_autoptr (Image) image = random_picture (20, 10, 1, depth);
    g_autoptr (Image) again = through_file (image, TESSERA_WEBP);
    int scale = 255 / image_peak (image);

    g_assert_cmpint (again->channels, ==, 3);
    for (gsize i = 0; i < image_pixels (image); i++)
      for (gsize c = 0; c < 3; c++)
        g_assert_cmpint (again->samples[3 * i + c], ==,
                         image->samples[i] * scale);
  }
}

static void
test_lossy (void)
{
  g_test_summary ("A quality makes it smaller, and it is known as lossy");

  g_autoptr (Image) image = random_picture (64, 64, 3, 8);
  EncodeOptions options = ENCODE_DEFAULTS;
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (GBytes) lossless =
    image_encode (image, TESSERA_WEBP, &options, NULL);

  options.webp_quality = 50;
  g_autoptr (GBytes) lossy = image_encode (image, TESSERA_WEBP, &options, NULL);
  g_autoptr (Image) again = image_decode (lossy, "lossy", &limits, NULL);

  g_assert_cmpuint (g_bytes_get_size (lossy), <, g_bytes_get_size (lossless));
  g_assert_true (image_is_lossy (again));
}

static void
test_meta (void)
{
  g_test_summary ("Profile, EXIF, XMP and orientation come back");

  g_autoptr (Image) image = random_picture (20, 10, 3, 8);

  image->meta.icc = random_profile (3000);
  image->meta.exif = exif_with (6);
  image->meta.orientation = 6;
  g_autoptr (Image) first = through_file (image, TESSERA_WEBP);
  g_assert_true (g_bytes_equal (image->meta.icc, first->meta.icc));
  g_assert_true (g_bytes_equal (image->meta.exif, first->meta.exif));
  g_assert_cmpint (first->meta.orientation, ==, 6);
  assert_same_size (image, first);

  add_chunk (first, "XMP ", 0, "<x:xmpmeta/>");
  g_autoptr (Image) second = through_file (first, TESSERA_WEBP);
  g_assert_nonnull (image_chunks_find (second->meta.chunks, "XMP "));
  g_assert_true (g_bytes_equal (
    image_chunks_find (first->meta.chunks, "XMP ")->data,
    image_chunks_find (second->meta.chunks, "XMP ")->data));
}

static void
test_density (void)
{
  g_test_summary ("A density that WebP cannot hold is named");

  static const struct {
    DensityUnit unit;
    guint32 x, y;
    gboolean in_exif;
    const char *left_out;
  } cases[] = { { DENSITY_NONE, 0, 0, FALSE, NULL },
                { DENSITY_ASPECT, 1, 1, FALSE, NULL },
                { DENSITY_ASPECT, 2, 1, FALSE, "the resolution" },
                { DENSITY_PER_METRE, 11811, 11811, FALSE, "the resolution" },
                { DENSITY_PER_METRE, 11811, 11811, TRUE, NULL } };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    /* 300 pixels to an inch, and no other field. */
    static const guint8 exif[] = "II*\0\10\0\0\0\1\0\x1a\1\5\0\1\0\0\0\x1a\0\0"
                                 "\0\0\0\0\0\x2c\1\0\0\1\0\0";
    g_autoptr (Image) image = random_picture (20, 10, 3, 8);

    image->meta.density_unit = cases[k].unit;
    image->meta.density_x = cases[k].x;
    image->meta.density_y = cases[k].y;
    image->meta.exif =
      cases[k].in_exif ? g_bytes_new_static (exif, sizeof exif) : exif_with (1);

    g_autofree char *words = image_left_out_words (image, TESSERA_WEBP);
    g_autofree char *none = image_left_out_words (image, TESSERA_PNG);

    g_assert_cmpstr (words, ==, cases[k].left_out);
    g_assert_null (none);
  }
}

static void
test_refused (void)
{
  g_test_summary ("What WebP cannot hold is refused");

  g_autoptr (Image) deep = random_picture (4, 4, 3, 16);
  g_autoptr (Image) wide = random_picture (16384, 1, 3, 8);
  g_autoptr (GError) error = NULL;

  g_assert_null (image_encode (deep, TESSERA_WEBP, &ENCODE_DEFAULTS, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (image_encode (wide, TESSERA_WEBP, &ENCODE_DEFAULTS, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
}

static void
test_limits (void)
{
  g_test_summary ("Every prefix fails cleanly; limits hold");

  g_autoptr (Image) image = random_picture (40, 30, 4, 8);
  g_autoptr (GBytes) bytes =
    image_encode (image, TESSERA_WEBP, &ENCODE_DEFAULTS, NULL);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (GError) error = NULL;

  for (gsize size = 1; size < g_bytes_get_size (bytes);
       size += size + 40 < g_bytes_get_size (bytes) ? 7 : 1)
    for (int lenient = 0; lenient < 2; lenient++) {
      g_autoptr (GBytes) part = g_bytes_new_from_bytes (bytes, 0, size);
      g_autoptr (GError) why = NULL;

      limits.lenient = lenient;
      g_autoptr (Image) some = image_decode (part, "part", &limits, &why);

      g_assert_true ((some != NULL) == (why == NULL));
      g_assert_true (lenient || some == NULL);
    }
  limits.lenient = FALSE;
  limits.max_pixels = 40 * 30 - 1;
  g_assert_null (image_decode (bytes, "large", &limits, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT);
}

#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#ifdef HAVE_WEBP
  g_test_add_func ("/webp/lossless", test_lossless);
  g_test_add_func ("/webp/grey", test_grey);
  g_test_add_func ("/webp/lossy", test_lossy);
  g_test_add_func ("/webp/meta", test_meta);
  g_test_add_func ("/webp/density", test_density);
  g_test_add_func ("/webp/refused", test_refused);
  g_test_add_func ("/webp/limits", test_limits);
#endif
  return g_test_run ();
}
