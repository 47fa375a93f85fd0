/* test_border.c - torn corners and frames are found, skies and backdrops are
 * left alone */
#include "base/random.h"
#include "imaging/detect/detect.h"
#include "tests/hits.h"
#include "tests/jpegs.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

static void
test_torn_corner_is_found (void)
{
  g_autoptr (Image) image = load_photo ("canyon7");
  g_autoptr (Mask) truth = mask_new (image->width, image->height, NULL);
  g_autoptr (Mask) found = NULL;

  g_test_summary ("A white corner is found to the pixel");
  for (int y = 0; y < 50; y++)
    for (int x = 0; x < 50 - y + y % 3; x++) {
      truth->missing[y * image->width + x] = 1;
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = 255;
    }
  found = detector_border.find (image, 1, NULL, NULL);
  g_assert_cmpuint (common (found, truth), ==, mask_count (truth));
  g_assert_cmpuint (mask_count (found), ==, mask_count (truth));
}

/* Covers what lies within @reach of the lower right corner of @image, by rows
 * and columns together, by @shade with @slope levels to a column; with grain,
 * and an edge that mixes. */
static void
cover_corner (Image *image, int reach, double shade, double slope, Mask *truth)
{
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) {
      int far = image->width - 1 - x + image->height - 1 - y;
      gsize i = (gsize) (y * image->width + x);
      double share =
        CLAMP (reach + 4 * sin (0.2 * x) + random_uniform (4, 0, i) - far, 0, 1);
      double grain = 1.2 * random_normal (4, 1, i);

      truth->missing[i] = share > 0;
      for (int c = 0; c < 3; c++) {
        guint16 *sample = &image_pixel (image, x, y)[c];
        double paper = shade - 3 * c + slope * far + grain;

        *sample = (guint16) floor ((1 - share) * *sample
                                   + share * CLAMP (paper, 0, 255) + 0.5);
      }
    }
}

static void
assert_found (const Mask *found, const Mask *truth)
{
  g_assert_cmpuint (common (found, truth), >=, mask_count (truth) * 96 / 100);
  g_assert_cmpuint (mask_count (found), <=, mask_count (truth) * 110 / 100);
}

static void
test_torn_paper_is_found (void)
{
  g_autoptr (Image) image = load_photo ("canyon7");
  g_autoptr (Image) sloping = load_photo ("canyon7");
  g_autoptr (Mask) truth = mask_new (image->width, image->height, NULL);
  g_autoptr (Mask) unused = mask_new (image->width, image->height, NULL);
  g_autoptr (Image) jpeg = NULL;
  g_autoptr (Mask) torn = NULL;
  g_autoptr (Mask) from_jpeg = NULL;
  g_autoptr (Mask) sky = NULL;

  g_test_summary ("Paper with grain and a soft edge is found, in a JPEG too; "
                  "what slopes as skies do is left");
  cover_corner (image, 70, 240, 0, truth);
  torn = detector_border.find (image, 1, NULL, NULL);
  assert_found (torn, truth);
  jpeg = through_jpeg (image, 85);
  from_jpeg = detector_border.find (jpeg, 1, NULL, NULL);
  assert_found (from_jpeg, truth);
  cover_corner (sloping, 70, 240, -0.3, unused);
  sky = detector_border.find (sloping, 1, NULL, NULL);
  g_assert_cmpuint (mask_count (sky), ==, 0);
}

/* A dark picture in a frame of @shade with grain; if @ragged, the frame ends
 * elsewhere in each column, as a shadow does. */
static Image *
framed (double shade, gboolean ragged, Mask *truth)
{
  Image *image = load_photo ("forest3");

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) {
      gsize i = (gsize) (y * image->width + x);
      int depth = ragged ? 6 + (int) (50 * random_uniform (5, 1, (guint64) x))
                         : 14;

      if (y >= depth && y < image->height - depth)
        continue;
      truth->missing[i] = 1;
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          (guint16) floor (shade + 2 * random_uniform (5, 0, 3 * i + (gsize) c));
    }
  return image;
}

static void
test_film_is_found (void)
{
  g_autoptr (Mask) truth = NULL;
  g_autoptr (Mask) unused = NULL;
  g_autoptr (Mask) frame = NULL;
  g_autoptr (Mask) shadow = NULL;
  g_autoptr (Image) photo = load_photo ("forest3");
  g_autoptr (Image) film = NULL;
  g_autoptr (Image) dark = NULL;

  g_test_summary ("A frame of film is found; a shadow that ends raggedly is "
                  "left");
  truth = mask_new (photo->width, photo->height, NULL);
  unused = mask_new (photo->width, photo->height, NULL);
  film = framed (6, FALSE, truth);
  frame = detector_border.find (film, 1, NULL, NULL);
  assert_found (frame, truth);
  dark = framed (6, TRUE, unused);
  shadow = detector_border.find (dark, 1, NULL, NULL);
  g_assert_cmpuint (mask_count (shadow), ==, 0);
}

/* A picture whose first and last rows are of @shade and fade into 128. */
static Image *
faded (double shade)
{
  Image *image = image_new (300, 200, 3, 8, NULL);

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < 3; c++) {
        double part = CLAMP (MIN (y, image->height - 1 - y) - 8, 0, 40) / 40.;

        image_pixel (image, x, y)[c] =
          (guint16) floor (shade + part * (128 - shade) + 0.5);
      }
  return image;
}

static void
test_fades_are_left (void)
{
  g_test_summary ("A backdrop that fades is no frame, in a JPEG neither");

  for (int light = 0; light < 2; light++) {
    g_autoptr (Image) image = faded (light ? 250 : 4);
    g_autoptr (Image) jpeg = through_jpeg (image, 90);
    g_autoptr (Mask) none = detector_border.find (image, 1, NULL, NULL);
    g_autoptr (Mask) none_either = detector_border.find (jpeg, 1, NULL, NULL);

    g_assert_cmpuint (mask_count (none), ==, 0);
    g_assert_cmpuint (mask_count (none_either), ==, 0);
  }
}

/* The photograph with @rows of @shade at the bottom and, if @both, at the
 * top. */
static Image *
with_strips (int rows, guint16 shade, gboolean both)
{
  Image *image = load_photo ("forest3");

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < 3; c++)
        if (y >= image->height - rows || (both && y < rows))
          image_pixel (image, x, y)[c] = (guint16) (shade + (x + y) % 2);
  return image;
}

static void
test_one_side_is_left (void)
{
  g_autoptr (Image) floor_only = with_strips (14, 8, FALSE);
  g_autoptr (Image) frame = with_strips (14, 8, TRUE);
  g_autoptr (Mask) none = detector_border.find (floor_only, 1, NULL, NULL);
  g_autoptr (Mask) both = detector_border.find (frame, 1, NULL, NULL);

  g_test_summary ("A dark floor is left, film at two opposite sides is found");
  g_assert_cmpuint (mask_count (none), ==, 0);
  g_assert_cmpuint (mask_count (both), >=, (gsize) (2 * 14 * frame->width));
}

static void
test_transparent_margin_is_left (void)
{
  g_autoptr (Image) photo = load_photo ("forest3");
  g_autoptr (Image) image =
    image_new (photo->width, photo->height, 4, 8, NULL);
  g_autoptr (Mask) none = NULL;

  g_test_summary ("A margin that cannot be seen is no frame");
  for (int y = 14; y < photo->height - 14; y++)
    for (int x = 14; x < photo->width - 14; x++) {
      memcpy (image_pixel (image, x, y), image_pixel (photo, x, y),
              3 * sizeof (guint16));
      image_pixel (image, x, y)[3] = 255;
    }
  none = detector_border.find (image, 1, NULL, NULL);
  g_assert_cmpuint (mask_count (none), ==, 0);
}

/* Two white corners; every @soft-th column ends in a pixel that is nearly white,
 * none if it is 0. */
static Image *
white_corners (int soft)
{
  Image *image = load_photo ("city10");

  for (int x = 0; x < image->width; x++) {
    int height = MAX (70 - x, 60 - (image->width - 1 - x));

    for (int y = 0; y <= height; y++)
      for (int c = 0; c < 3 && height > 0; c++)
        image_pixel (image, x, y)[c] =
          y < height ? 255 : soft > 0 && x % soft == 0 ? 240 : 60;
  }
  return image;
}

static void
test_sky_in_corners_is_left (void)
{
  g_autoptr (Image) torn = white_corners (0);
  g_autoptr (Image) sky = white_corners (4);
  g_autoptr (Mask) both = detector_border.find (torn, 1, NULL, NULL);
  g_autoptr (Mask) none = detector_border.find (sky, 1, NULL, NULL);

  g_test_summary ("Torn corners are found; a sky that fades here and there is "
                  "left");
  g_assert_true (both->missing[0]);
  g_assert_true (both->missing[torn->width - 1]);
  g_assert_cmpuint (mask_count (none), ==, 0);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/border/found", test_torn_corner_is_found);
  g_test_add_func ("/border/paper", test_torn_paper_is_found);
  g_test_add_func ("/border/film", test_film_is_found);
  g_test_add_func ("/border/fades", test_fades_are_left);
  g_test_add_func ("/border/one-side", test_one_side_is_left);
  g_test_add_func ("/border/transparent", test_transparent_margin_is_left);
  g_test_add_func ("/border/sky", test_sky_in_corners_is_left);
  return g_test_run ();
}
