/* test_corpora.c - files of others: PngSuite, EXIF samples, fuzzers' finds
 *
 * The corpora are not part of the project; where they are missing, these
 * tests are skipped.
 */
#include "base/error.h"
#include "tests/pictures.h"

#define CORPORA "../shared/corpora/"

typedef void (*FileFunc) (const char *name, GBytes *bytes);

/* Calls @func for all files of a corpus; skips the test if it is not there. */
static void
for_each_file (const char *corpus, FileFunc func)
{
  g_autofree char *folder = g_build_filename (CORPORA, corpus, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (dir == NULL) {
    g_test_skip_printf ("there is no %s", folder);
    return;
  }
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_autoptr (GError) error = NULL;
    char *data;
    gsize size;

    g_file_get_contents (path, &data, &size, &error);
    g_assert_no_error (error);
    g_autoptr (GBytes) bytes = g_bytes_new_take (data, size);
    g_test_message ("%s", path);
    func (name, bytes);
  }
}

static void
check_suite_file (const char *name, GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Image) image =
    image_decode (bytes, name, &IMAGE_LIMITS_DEFAULTS, &error);

  if (name[0] == 'x') { /* broken on purpose */
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
    return;
  }
  g_assert_no_error (error);

  g_autoptr (GBytes) written = encode (image, TESSERA_PNG);
  g_autoptr (Image) again = decode (written);

  assert_same_samples (image, again);
  assert_same_palette (image, again);
  assert_same_meta (&image->meta, &again->meta);
  /* Size, depth, colour type and interlacing: the header but for its CRC. */
  assert_same_memory (g_bytes_get_data (bytes, NULL),
                      g_bytes_get_data (written, NULL), 29);
}

static void
test_png_suite (void)
{
  g_test_summary ("Each file of PngSuite comes back, each broken one fails");
  for_each_file ("png", check_suite_file);
}

static Image *first_upright;

/* The files are JPEGs of their own, so equal only up to coding noise, which is
 * below 4 levels; a wrong turn makes it more than 70. */
static void
check_exif_file (const char *name, GBytes *bytes)
{
  g_autoptr (Image) image = decode (bytes);
  gsize count = image_pixels (image) * 3;
  double sum = 0;

  g_assert_cmpint (image->meta.orientation, ==,
                   g_ascii_digit_value (name[strlen ("Landscape_")]));
  if (first_upright == NULL) {
    first_upright = g_steal_pointer (&image);
    return;
  }
  assert_same_size (first_upright, image);
  for (gsize i = 0; i < count; i++)
    sum += ABS (image->samples[i] - first_upright->samples[i]);
  g_assert_cmpfloat (sum / (double) count, <, 5.0);
}

static void
test_exif (void)
{
  g_test_summary ("One photograph in eight orientations is one picture");
  for_each_file ("exif", check_exif_file);
  g_clear_pointer (&first_upright, image_free);
}

static void
check_fuzz_file (const char *name, GBytes *bytes)
{
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  for (int lenient = 0; lenient < 2; lenient++) {
    g_autoptr (GError) error = NULL;

    limits.lenient = lenient;
    g_autoptr (Image) image = image_decode (bytes, name, &limits, &error);

    if (image == NULL) {
      g_assert_cmpint (error->code, >=, TESSERA_ERROR_INPUT);
      g_assert_cmpint (error->code, <=, TESSERA_ERROR_LIMIT);
    } else {
      g_autoptr (GBytes) written = encode (image, image->meta.format);
      g_autoptr (Image) again = decode (written);

      assert_same_size (image, again);
      assert_same_meta (&image->meta, &again->meta);
      if (image->meta.format == TESSERA_PNG)
        assert_same_samples (image, again);
    }
  }
}

static void
test_png_fuzz (void)
{
  g_test_summary ("Hostile PNGs decode, and come back, or fail cleanly");
  for_each_file ("png-fuzz", check_fuzz_file);
}

static void
test_jpeg_fuzz (void)
{
  g_test_summary ("Hostile JPEGs decode, and come back, or fail cleanly");
  for_each_file ("jpeg-fuzz", check_fuzz_file);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/corpora/png-suite", test_png_suite);
  g_test_add_func ("/corpora/exif", test_exif);
  g_test_add_func ("/corpora/png-fuzz", test_png_fuzz);
  g_test_add_func ("/corpora/jpeg-fuzz", test_jpeg_fuzz);
  return g_test_run ();
}
