/* test_eye.c - eyes are told from dust */
#include "imaging/detect/detect.h"
#include "imaging/detect/eye.h"
#include "tests/support.h"

#include <math.h>

enum { SIDE = 60, MIDDLE = 30 };

/* How much a disc of @radius covers of a pixel. */
static double
cover_at (double x, double y, double radius)
{
  return CLAMP (radius + 0.5 - hypot (x - MIDDLE, y - MIDDLE), 0, 1);
}

static Image *
make_picture (double iris, double shade, double pupil)
{
  Image *image = image_new (SIDE, SIDE, 3, 8, NULL);

  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      double ring = cover_at (x, y, iris), disc = cover_at (x, y, pupil);
      double value = 190 + 0.3 * x - 0.2 * y;

      value += ring * (shade - value);
      value += disc * (20 - value);
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = (guint16) floor (value + 0.5);
    }
  return image;
}

static int
disc_pixels (double radius)
{
  return (int) (G_PI * radius * radius + 0.5);
}

static gboolean
is_sure (const Image *image, double x, double y, double radius)
{
  return eye_directions (image, x, y, disc_pixels (radius)) >= EYE_SURE;
}

static gboolean
is_likely (const Image *image, double x, double y, double radius)
{
  return eye_directions (image, x, y, disc_pixels (radius)) >= EYE_LIKELY;
}

static void
test_eye (void)
{
  g_test_summary ("Pupil and iris are known as such, up to 2 pixels off, and "
                  "with a light in them");

  for (int pupil = 2; pupil <= 5; pupil++) {
    g_autoptr (Image) image = make_picture (2.5 * pupil + 1, 110, pupil);

    for (int c = 0; c < 3; c++)
      image_pixel (image, MIDDLE + 1, MIDDLE - 1)[c] = 240;
    g_assert_true (is_sure (image, MIDDLE, MIDDLE, pupil));
    g_assert_true (is_sure (image, MIDDLE + 1, MIDDLE - 2, pupil));
    g_assert_true (is_sure (image, MIDDLE, MIDDLE, 2.5 * pupil + 1));
  }
}

static void
test_speck (void)
{
  g_test_summary ("A speck is no eye, however soft its edge");

  for (int radius = 1; radius <= 7; radius++) {
    g_autoptr (Image) sharp = make_picture (0, 0, radius);
    g_autoptr (Image) soft = make_picture (radius + 1, 110, radius);

    g_assert_false (is_likely (sharp, MIDDLE, MIDDLE, radius));
    g_assert_false (is_likely (soft, MIDDLE, MIDDLE, radius));
  }
}

static void
test_edge (void)
{
  g_autoptr (Image) image = make_picture (9, 110, 3);

  g_test_summary ("What reaches beyond the picture is no eye");
  for (int x = 0; x < 3; x++)
    g_assert_false (is_likely (image, x, MIDDLE, 3));
}

/* A picture of 240 x 160 that slopes, with dark specks. */
static Image *
dusty_picture (void)
{
  Image *image = image_new (240, 160, 3, 8, NULL);

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          (guint16) (hypot (x % 40 - 20, y % 40 - 20) < 3 ? 20
                                                           : 150 + x / 4);
  return image;
}

static void
test_pupil_is_left (void)
{
  g_autoptr (Image) image = dusty_picture ();
  g_autoptr (Image) eye = make_picture (8.5, 110, 3);
  g_autoptr (Mask) found = NULL;

  g_test_summary ("Among specks that are found a pupil is left");
  for (int y = -11; y <= 11; y++)
    for (int x = -11; x <= 11; x++)
      for (int c = 0; c < 3; c++)
        if (hypot (x, y) < 11)
          image_pixel (image, 100 + x, 100 + y)[c] =
            *image_pixel (eye, MIDDLE + x, MIDDLE + y);
  found = detector_dust.find (image, 1, NULL, NULL);
  g_assert_true (found->missing[60 * 240 + 100]);
  g_assert_true (found->missing[100 * 240 + 140]);
  g_assert_false (found->missing[100 * 240 + 100]);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/eye/eye", test_eye);
  g_test_add_func ("/eye/speck", test_speck);
  g_test_add_func ("/eye/edge", test_edge);
  g_test_add_func ("/eye/left", test_pupil_is_left);
  return g_test_run ();
}
