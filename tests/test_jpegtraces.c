/* test_jpegtraces.c - pictures that were JPEGs before */
#include "imaging/codec/codec.h"
#include "tests/pictures.h"
#include "tests/support.h"

#include <string.h>

/* Decodes @image from a JPEG of that quality; and that once more, from a PNG
 * that was made of it. */
static Image *
as_jpeg (const Image *image, int quality)
{
  const EncodeOptions options = { .jpeg_quality = quality };
  g_autoptr (GBytes) bytes =
    image_encode (image, TESSERA_JPEG, &options, NULL);

  return decode (bytes);
}

static Image *
as_png (const Image *image)
{
  g_autoptr (GBytes) bytes = encode (image, TESSERA_PNG);

  return decode (bytes);
}

static Image *
grey_of (const Image *image)
{
  Image *grey = image_new (image->width, image->height, 1, 8, NULL);

  for (gsize i = 0; i < image_pixels (image); i++)
    grey->samples[i] = image->samples[3 * i + 1];
  return grey;
}

static void
check_quality (const Image *image, int quality)
{
  g_autoptr (Image) jpeg = as_jpeg (image, quality);
  g_autoptr (Image) png = as_png (jpeg);
  int size = (int) sizeof jpeg->meta.steps[0];

  g_assert_true (png->meta.has_steps);
  g_assert_cmpmem (png->meta.steps[0], size, jpeg->meta.steps[0], size);
  g_assert_cmpint (png->meta.format, ==, TESSERA_PNG);
}

static void
test_steps_are_found (void)
{
  const int qualities[] = { 10, 15, 30, 50, 60, 75, 80 };
  g_autoptr (Image) image = load_photo ("city10");
  g_autoptr (Image) grey = grey_of (image);

  g_test_summary ("A PNG that was made of a JPEG has its steps");

  for (gsize i = 0; i < G_N_ELEMENTS (qualities); i++) {
    check_quality (image, qualities[i]);
    check_quality (grey, qualities[i]);
  }
}

static void
test_nothing_else (void)
{
  const char *names[] = { "badlands5", "city10", "fog4", "lava0", "snow4" };

  g_test_summary ("Other pictures have none, and a JPEG that was cut neither");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (Image) image = load_photo (names[i]);
    g_autoptr (Image) jpeg = as_jpeg (image, 50);
    const ImageArea area = { 3, 5, jpeg->width - 3, jpeg->height - 5 };
    g_autoptr (Image) cut = image_new (area.width, area.height, 3, 8, NULL);
    g_autoptr (Image) again = NULL;

    for (int y = 0; y < area.height; y++)
      memcpy (image_pixel (cut, 0, y), image_pixel (jpeg, area.x, y + area.y),
              (gsize) area.width * 3 * sizeof *cut->samples);
    again = as_png (cut);
    g_assert_false (image->meta.has_steps);
    g_assert_false (again->meta.has_steps);
  }
}

/* As inpaint leaves it. */
static void
test_some_blocks_changed (void)
{
  g_autoptr (Image) image = load_photo ("city10");
  g_autoptr (Image) jpeg = as_jpeg (image, 30);
  g_autoptr (Image) png = NULL;

  for (int y = 0; y < jpeg->height; y++)
    for (int x = 100; x < 103; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (jpeg, x, y)[c] = (guint16) (90 + (x * y + c) % 40);
  png = as_png (jpeg);
  g_assert_true (png->meta.has_steps);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/jpegtraces/steps", test_steps_are_found);
  g_test_add_func ("/jpegtraces/nothing", test_nothing_else);
  g_test_add_func ("/jpegtraces/changed", test_some_blocks_changed);
  return g_test_run ();
}
