/* test_finecolours.c - fine colours of JPEGs that keep them at half the size */
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/denoise/finecolours.h"
#include "imaging/halve.h"
#include "tests/pictures.h"
#include "tests/support.h"

#include <math.h>

static float
brightness (const guint16 *rgb)
{
  return 0.299f * (float) rgb[0] + 0.587f * (float) rgb[1]
         + 0.114f * (float) rgb[2];
}

/* @image as a JPEG without rounding would keep it: its own brightness, and the
 * colours of half the size, interpolated. */
static Image *
with_halved_colours (const Image *image)
{
  const float hidden[3] = { 0 };
  g_autoptr (Image) half = image_halve (image, 3, hidden, NULL);
  g_autoptr (Planes) planes =
    planes_new (half->width, half->height, 3, NULL);
  Image *result = image_copy (image, NULL);

  for (int c = 0; c < 3; c++)
    for (int y = 0; y < half->height; y++)
      for (int x = 0; x < half->width; x++)
        *planes_at (planes, c, x, y) =
          ((float) image_pixel (half, x, y)[c]
           - brightness (image_pixel (half, x, y)))
          / 65535;
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (result, x, y)[c] = planes_to_sample (
          result, brightness (image_pixel (image, x, y))
                      / (float) image_peak (image)
                    + planes_between (planes, c, x, y));
  return result;
}

/* Colours that follow the brightness of a photograph: from blue to
 * orange. */
static Image *
toned_photo (void)
{
  Image *image = load_photo ("city11");

  for (gsize i = 0; i < image_pixels (image); i++) {
    guint16 *rgb = image->samples + i * (gsize) image->channels;
    float bright = brightness (rgb);

    rgb[0] = (guint16) (0.9f * bright);
    rgb[1] = (guint16) (0.4f * bright + 60);
    rgb[2] = (guint16) (0.1f * bright + 90);
  }
  return image;
}

static void
test_colours_that_follow_brightness (void)
{
  g_autoptr (Image) truth = toned_photo ();
  g_autoptr (Image) image = with_halved_colours (truth);
  double before = psnr (truth, image);

  g_assert_true (image_add_fine_colours (image, NULL));
  g_test_message ("%.2f -> %.2f dB", before, psnr (truth, image));
  g_assert_cmpfloat (psnr (truth, image), >, before + 3);
}

/* The colours of photographs follow brightness less strictly. */
static void
test_photographs (void)
{
  static const char *const names[] = { "beach0", "city11", "fields7",
                                       "forest3", "mountain5" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (Image) truth = load_photo (names[i]);
    g_autoptr (Image) image = with_halved_colours (truth);
    double before = psnr (truth, image);

    g_assert_true (image_add_fine_colours (image, NULL));
    g_test_message ("%s: %.2f -> %.2f dB", names[i], before,
                    psnr (truth, image));
    g_assert_cmpfloat (psnr (truth, image), >, before + 0.2);
  }
}

/* Where colours were smooth before, next to nothing is added to them. */
static void
test_smooth_colours (void)
{
  g_autoptr (Image) photo = load_photo ("city11");
  g_autoptr (Image) once = with_halved_colours (photo);
  g_autoptr (Image) twice = NULL;

  for (int y = 0; y < once->height; y++)
    for (int x = 0; x < once->width; x++) {
      guint16 *rgb = image_pixel (once, x, y);
      float bright = 0.8f * brightness (rgb) + 20;

      rgb[0] = (guint16) (bright + 15 * sinf ((float) x / 40));
      rgb[1] = (guint16) bright;
      rgb[2] = (guint16) (bright + 15 * sinf ((float) y / 40));
    }
  twice = image_copy (once, NULL);
  g_assert_true (image_add_fine_colours (twice, NULL));
  g_test_message ("%.2f dB", psnr (once, twice));
  g_assert_cmpfloat (psnr (once, twice), >, 50);
}

/* Rounding moves each sample by half a level at most. */
static void
test_brightness_stays (void)
{
  g_autoptr (Image) truth = toned_photo ();
  g_autoptr (Image) before = with_halved_colours (truth);
  g_autoptr (Image) after = image_copy (before, NULL);
  gsize changed = 0;

  g_assert_true (image_add_fine_colours (after, NULL));
  for (int y = 0; y < before->height; y++)
    for (int x = 0; x < before->width; x++) {
      const guint16 *from = image_pixel (before, x, y);
      const guint16 *to = image_pixel (after, x, y);

      changed += from[0] != to[0] || from[2] != to[2];
      if (MIN (MIN (to[0], to[1]), to[2]) > 0
          && MAX (MAX (to[0], to[1]), to[2]) < 255)
        g_assert_cmpfloat (fabsf (brightness (to) - brightness (from)), <,
                           0.51f);
    }
  g_assert_cmpuint (changed, >, image_pixels (before) / 4);
}

static void
test_threads (void)
{
  g_autoptr (Image) photo = load_photo ("forest3");
  g_autoptr (Image) one = with_halved_colours (photo);
  g_autoptr (Image) three = image_copy (one, NULL);
  int threads = parallel_threads ();

  parallel_init (1);
  g_assert_true (image_add_fine_colours (one, NULL));
  parallel_init (3);
  g_assert_true (image_add_fine_colours (three, NULL));
  parallel_init (threads);
  assert_same_samples (one, three);
}

/* Sides that are odd, grey, and too small to tell. */
static void
test_sizes (void)
{
  static const int sizes[][3] = { { 65, 67, 3 }, { 64, 64, 3 }, { 63, 90, 3 },
                                  { 80, 80, 1 }, { 1, 1, 3 } };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (Image) image =
      random_picture (sizes[i][0], sizes[i][1], sizes[i][2], 8);
    g_autoptr (Image) before = image_copy (image, NULL);

    g_assert_true (image_add_fine_colours (image, NULL));
    if (sizes[i][2] == 1 || sizes[i][0] < 64)
      assert_same_samples (before, image);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/finecolours/toned", test_colours_that_follow_brightness);
  g_test_add_func ("/finecolours/photographs", test_photographs);
  g_test_add_func ("/finecolours/smooth", test_smooth_colours);
  g_test_add_func ("/finecolours/brightness", test_brightness_stays);
  g_test_add_func ("/finecolours/threads", test_threads);
  g_test_add_func ("/finecolours/sizes", test_sizes);
  return g_test_run ();
}
