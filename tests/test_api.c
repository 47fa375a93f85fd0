/* test_api.c - the public interface: options, errors, pictures and masks */
#include "tests/apiphoto.h"
#include "tests/support.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ---- options ---- */

static void
test_options (void)
{
  struct {
    TesseraReadOptions known;
    int later;
  } newer = { { .size = sizeof newer }, 0 };
  TesseraReadOptions unset = { 0 };
  TesseraReadOptions shorter = { .size = sizeof (gsize), .max_side = 1 };
  GError *error = NULL;
  TesseraImage *image;

  g_test_summary ("A struct may be older or newer, but must have a size");
  g_assert_null (tessera_image_read (PHOTO, &unset, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  image = tessera_image_read (PHOTO, &shorter, &error);
  g_assert_no_error (error); /* max_side is beyond its size */
  tessera_image_free (image);
  image = tessera_image_read (PHOTO, &newer.known, &error);
  g_assert_no_error (error);
  tessera_image_free (image);
  newer.later = 1;
  g_assert_null (tessera_image_read (PHOTO, &newer.known, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
}

static void
test_reports (void)
{
  struct {
    TesseraScore known;
    int later;
  } newer = { { .size = sizeof newer }, 7 };
  struct {
    gsize size;
    double psnr, not_written;
  } older = { .size = sizeof (gsize) + sizeof (double), .not_written = -1 };
  TesseraScore unset = { 0 };
  TesseraImage *image = read_photo ();
  GError *error = NULL;

  g_assert_true (tessera_score (image, image, NULL, &newer.known, NULL));
  g_assert_true (isinf (newer.known.psnr));
  g_assert_cmpint (newer.later, ==, 0);
  g_assert_cmpuint (newer.known.size, ==, sizeof newer);
  g_assert_true (
    tessera_score (image, image, NULL, (TesseraScore *) &older, NULL));
  g_assert_true (isinf (older.psnr));
  g_assert_cmpfloat (older.not_written, ==, -1);
  g_assert_false (tessera_score (image, image, NULL, &unset, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  tessera_image_free (image);
}

/* ---- images and masks ---- */

static void
test_pixels (void)
{
  static const TesseraType types[] = { TESSERA_UINT8, TESSERA_UINT16,
                                       TESSERA_FLOAT32, TESSERA_FLOAT64 };
  static const int sizes[] = { 1, 2, 4, 8 };
  TesseraImage *image = read_photo ();
  int width = tessera_image_width (image);
  int height = tessera_image_height (image);
  g_autoptr (GBytes) expected = png_of (image);

  g_test_summary ("Out and in again by any type and strides is the same");
  for (int t = 0; t < 4; t++) {
    gsize bytes = (gsize) (width * height * 3 * sizes[t]);
    g_autofree guint8 *data = g_malloc (bytes + 1);
    TesseraImage *copy = tessera_image_copy (image, NULL);
    TesseraImage *black = tessera_image_new (width, height, 3, 8, NULL);
    g_autoptr (GBytes) got = NULL;
    TesseraScore score = { .size = sizeof score };
    /* Upside down, plane after plane, not aligned. */
    TesseraPixels pixels = { .data =
                               data + 1 + (height - 1) * width * sizes[t],
                             .type = types[t],
                             .row_stride = -width * sizes[t],
                             .pixel_stride = sizes[t],
                             .channel_stride = width * height * sizes[t] };

    g_assert_true (tessera_image_get_pixels (image, &pixels, NULL));
    g_assert_true (tessera_image_set_pixels (black, &pixels, NULL));
    g_assert_true (tessera_score (image, black, NULL, &score, NULL));
    g_assert_true (isinf (score.psnr));
    g_assert_true (tessera_image_set_pixels (copy, &pixels, NULL));
    got = png_of (copy);
    g_assert_true (g_bytes_equal (got, expected));
    tessera_image_free (copy);
    tessera_image_free (black);
  }
  tessera_image_free (image);
}

static void
test_pixel_ranges (void)
{
  TesseraImage *deep = tessera_image_new (2, 1, 1, 16, NULL);
  float values[] = { -0.5f, 1.5f };
  guint16 samples[2];
  TesseraPixels floats = { values, TESSERA_FLOAT32, 8, 4, 4 };
  TesseraPixels shorts = { samples, TESSERA_UINT16, 4, 2, 2 };
  TesseraPixels bytes = { samples, TESSERA_UINT8, 2, 1, 1 };
  GError *error = NULL;

  g_assert_true (tessera_image_set_pixels (deep, &floats, NULL));
  g_assert_true (tessera_image_get_pixels (deep, &shorts, NULL));
  g_assert_cmpint (samples[0], ==, 0);
  g_assert_cmpint (samples[1], ==, 65535);
  g_assert_false (tessera_image_get_pixels (deep, &bytes, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  values[1] = NAN;
  g_assert_false (tessera_image_set_pixels (deep, &floats, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  tessera_image_free (deep);
  g_assert_null (tessera_image_new (2, 1, 3, 4, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
}

static void
test_pages (void)
{
  g_test_summary ("Pages of a TIFF are written, counted and read");

#ifdef HAVE_TIFF
  g_autofree char *folder = g_dir_make_tmp ("tessera-XXXXXX", NULL);
  g_autofree char *tiff = g_build_filename (folder, "a.tif", NULL);
  g_autofree char *png = g_build_filename (folder, "a.png", NULL);
  TesseraImage *pages[3];
  const TesseraImage *const *list = (const TesseraImage *const *) pages;
  GError *error = NULL;

  for (int i = 0; i < 3; i++) {
    pages[i] = tessera_image_new (4 + i, 5, 3, 8, NULL);
    g_assert_cmpint (tessera_image_pages (pages[i]), ==, 1);
  }
  g_assert_true (tessera_image_write_pages (list, 1, png, NULL, NULL));
  g_assert_false (tessera_image_write_pages (list, 3, png, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_true (tessera_image_write_pages (list, 3, tiff, NULL, NULL));
  for (size_t i = 0; i < 4; i++) {
    TesseraReadOptions options = { .size = sizeof options, .page = i };
    TesseraImage *back = tessera_image_read (tiff, &options, NULL);

    g_assert_cmpint (back != NULL, ==, i < 3);
    if (back != NULL) {
      g_assert_cmpint (tessera_image_width (back), ==, 4 + (int) i);
      g_assert_cmpint (tessera_image_pages (back), ==, 3);
      g_assert_null (tessera_image_left_out (back, TESSERA_FORMAT_AUTO));
    }
    tessera_image_free (back);
  }
  for (int i = 0; i < 3; i++)
    tessera_image_free (pages[i]);
  g_remove (tiff);
  g_remove (png);
  g_rmdir (folder);
#else
  g_test_skip ("built without TIFF");
#endif
}

static void
test_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tessera-XXXXXX", NULL);
  g_autofree char *png = g_build_filename (folder, "a.png", NULL);
  g_autofree char *jpeg = g_build_filename (folder, "a.jpg", NULL);
  g_autofree char *other = g_build_filename (folder, "a.gif", NULL);
  TesseraImage *image = read_photo (), *back;
  g_autoptr (GBytes) before = png_of (image), after = NULL;
  GError *error = NULL;

  for (int i = 0; i < 2; i++) /* the second time it exists */
    g_assert_true (tessera_image_write (image, png, NULL, NULL));
  g_assert_true (tessera_image_write (image, jpeg, NULL, NULL));
  g_assert_false (tessera_image_write (image, other, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  back = tessera_image_read (png, NULL, NULL);
  after = png_of (back);
  g_assert_true (g_bytes_equal (before, after));
  g_assert_null (tessera_image_read (other, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, other));
  g_clear_error (&error);
  g_remove (png);
  g_remove (jpeg);
  g_rmdir (folder);
  tessera_image_free (back);
  tessera_image_free (image);
}

static void
test_masks (void)
{
  guint8 bytes[] = { 0, 1, 255, /* row */ 2, 16, 8 }, back[6];
  TesseraMask *mask = tessera_mask_new (3, 2, NULL), *copy, *picture_mask;
  TesseraMask *small = tessera_mask_new (2, 2, NULL);
  TesseraImage *picture;
  GError *error = NULL;

  tessera_mask_set (mask, bytes, 3);
  g_assert_cmpuint (tessera_mask_count (mask), ==, 4);
  copy = tessera_mask_copy (mask, NULL);
  tessera_mask_get (copy, back, 3);
  g_assert_cmpint (back[2], ==, 31); /* unknown bits are gone */
  g_assert_cmpint (back[4], ==, 0);  /* nothing is missing */
  g_assert_cmpint (back[3], ==, TESSERA_MASK_CHANNEL (0));
  picture = tessera_mask_to_image (mask, NULL);
  g_assert_cmpint (tessera_image_channels (picture), ==, 3);
  picture_mask =
    tessera_mask_from_image (picture, TESSERA_MASK_TOGETHER, NULL);
  g_assert_cmpuint (tessera_mask_count (picture_mask), ==, 4);
  g_assert_false (tessera_mask_add (mask, small, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  tessera_mask_free (mask);
  tessera_mask_free (copy);
  tessera_mask_free (small);
  tessera_mask_free (picture_mask);
  tessera_image_free (picture);
}

static void
test_version (void)
{
  g_autofree char *header =
    g_strdup_printf ("%d.%d.%d", TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR,
                     TESSERA_VERSION_MICRO);

  g_assert_cmpstr (tessera_version (), ==, header);
  g_assert_true (g_str_has_prefix (tessera_blas_name (), "OpenBLAS"));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/api/version", test_version);
  g_test_add_func ("/api/options", test_options);
  g_test_add_func ("/api/reports", test_reports);
  g_test_add_func ("/api/pixels", test_pixels);
  g_test_add_func ("/api/pixel-ranges", test_pixel_ranges);
  g_test_add_func ("/api/files", test_files);
  g_test_add_func ("/api/pages", test_pages);
  g_test_add_func ("/api/masks", test_masks);
  return g_test_run ();
}
