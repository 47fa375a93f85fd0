/* test_deadpixels.c - dead pixels are found, whatever looks like them is left */
#include "base/random.h"
#include "imaging/damage/damage.h"
#include "imaging/detect/detect.h"
#include "tests/hits.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

static void
test_dead_pixels_of_one_colour (void)
{
  const double shares[] = { 0.02, 0.3, 0.5, 0.8, 0.9 };

  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++)
    for (gsize s = 0; s < G_N_ELEMENTS (shares); s++) {
      g_autoptr (Image) photo = load_photo (photos[i]);
      g_autoptr (Mask) truth = NULL;
      DamageOptions options = { .missing = shares[s], .seed = i };
      g_autoptr (Image) damaged = image_damage (photo, &options, &truth, NULL);
      g_autoptr (Mask) mask = detector_dead_pixels.find (damaged, 1, NULL, NULL);
      Hits hits = compare (mask, truth);

      g_test_message ("%s %.2f: found %.4f, false %.5f", photos[i], shares[s],
                      hits.found, hits.false_alarms);
      g_assert_cmpfloat (hits.found, ==, 1);
      g_assert_cmpfloat (hits.false_alarms, ==, 0);
    }
}

static void
test_random_values (void)
{
  const double shares[] = { 0.0, 0.05, 0.2 };

  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++)
    for (gsize s = 0; s < G_N_ELEMENTS (shares); s++) {
      g_autoptr (Image) photo = load_photo (photos[i]);
      g_autoptr (Mask) truth = mask_new (photo->width, photo->height, NULL);
      g_autoptr (Mask) mask = NULL;
      Hits hits;

      for (gsize p = 0; p < image_pixels (photo); p++)
        if (random_uniform (i, 0, p) < shares[s]) {
          truth->missing[p] = 1;
          for (gsize c = 0; c < 3; c++)
            photo->samples[3 * p + c] =
              (guint16) random_below (i, 1, 3 * p + c, 256);
        }
      mask = detector_dead_pixels.find (photo, 1, NULL, NULL);
      hits = compare (mask, truth);
      g_test_message ("%s %.2f: found %.4f, false %.5f", photos[i], shares[s],
                      hits.found, hits.false_alarms);
      g_assert_cmpfloat (hits.found, >=, 0.8);
      g_assert_cmpfloat (hits.false_alarms, <=, shares[s] == 0 ? 0 : 0.03);
    }
}

/* A black line at the edge, as scanners leave it, is not damage. */
static void
test_line_is_not_dead (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    g_autoptr (Mask) mask = NULL;

    memset (photo->samples, 0, 3 * (gsize) photo->width * sizeof (guint16));
    mask = detector_dead_pixels.find (photo, 1, NULL, NULL);
    g_assert_cmpuint (mask_count (mask), ==, 0);
  }
}

/* Noise alone makes no pixel dead, in colour or grey; dead ones are found in
 * it. */
static void
test_noise_is_not_dead (void)
{
  const double levels[] = { 5, 15, 25, 50 };

  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++)
    for (gsize l = 0; l < G_N_ELEMENTS (levels); l++) {
      g_autoptr (Image) photo = load_photo (photos[i]);
      g_autoptr (Mask) truth = NULL;
      DamageOptions options = { .noise = levels[l], .seed = i };
      g_autoptr (Image) noisy = image_damage (photo, &options, NULL, NULL);
      g_autoptr (Mask) mask = detector_dead_pixels.find (noisy, 1, NULL, NULL);
      g_autoptr (Image) damaged = NULL;
      g_autoptr (Mask) found = NULL;
      Hits hits;

      assert_at_most ((double) mask_count (mask),
                      0.002 * (double) image_pixels (photo));
      options.missing = 0.2;
      damaged = image_damage (photo, &options, &truth, NULL);
      found = detector_dead_pixels.find (damaged, 1, NULL, NULL);
      hits = compare (found, truth);
      g_test_message ("%s %g: %d without damage; found %.4f, false %.5f",
                      photos[i], levels[l], (int) mask_count (mask),
                      hits.found, hits.false_alarms);
      if (levels[l] <= 25)
        g_assert_cmpfloat (hits.found, ==, 1);
      g_assert_cmpfloat (hits.false_alarms, <=, 0.02);
    }
}

/* Grey in three colours is judged like grey in one. */
static void
test_grey_in_three_colours (void)
{
  g_autoptr (Image) photo = load_photo ("city10");
  g_autoptr (Image) grey = image_new (photo->width, photo->height, 1, 8, NULL);
  g_autoptr (Image) three =
    image_new (photo->width, photo->height, 3, 8, NULL);
  DamageOptions options = { .noise = 25, .missing = 0.1, .seed = 1 };
  g_autoptr (Image) damaged = NULL;
  g_autoptr (Mask) one_mask = NULL;
  g_autoptr (Mask) three_mask = NULL;

  for (gsize i = 0; i < image_pixels (photo); i++)
    grey->samples[i] = photo->samples[3 * i + 1];
  damaged = image_damage (grey, &options, NULL, NULL);
  for (gsize i = 0; i < image_pixels (photo); i++) {
    if (random_uniform (1, 0, i) < 0.05)
      damaged->samples[i] = (guint16) random_below (1, 1, i, 256);
    for (gsize c = 0; c < 3; c++)
      three->samples[3 * i + c] = damaged->samples[i];
  }
  one_mask = detector_dead_pixels.find (damaged, 1, NULL, NULL);
  three_mask = detector_dead_pixels.find (three, 1, NULL, NULL);
  g_assert_cmpint (
    memcmp (one_mask->missing, three_mask->missing, image_pixels (grey)), ==,
    0);
}

/* Black letters on white paper are not damage. */
static void
test_black_and_white_is_not_dead (void)
{
  g_autoptr (Image) page = image_new (60, 40, 1, 1, NULL);
  g_autoptr (Mask) mask = NULL;

  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 60; x++)
      *image_pixel (page, x, y) = x % 7 != 0 || y % 9 > 5;
  mask = detector_dead_pixels.find (page, 1, NULL, NULL);
  g_assert_cmpuint (mask_count (mask), ==, 0);
}

/* Specks of the other extreme on a white or black background, with only a
 * small object to judge them by: the specks are dead, the background is not.
 */
static void
test_background_is_not_dead (void)
{
  for (int background = 0; background <= 255; background += 255) {
    g_autoptr (Image) image = image_new (200, 200, 1, 8, NULL);
    g_autoptr (Mask) truth = mask_new (200, 200, NULL);
    g_autoptr (Mask) mask = NULL;
    Hits hits;

    for (gsize i = 0; i < image_pixels (image); i++) {
      gboolean object = i % 200 / 29 == 3 && i / 200 / 29 == 3;

      truth->missing[i] = random_uniform (1, 0, i) < 0.05;
      image->samples[i] = (guint16) (truth->missing[i] ? 255 - background
                                     : object          ? 128
                                                       : background);
    }
    mask = detector_dead_pixels.find (image, 1, NULL, NULL);
    hits = compare (mask, truth);
    g_test_message ("on %d: found %.4f, false %.5f", background, hits.found,
                    hits.false_alarms);
    g_assert_cmpfloat (hits.found, >=, 0.95);
    g_assert_cmpfloat (hits.false_alarms, <=, 0.001);
  }
}

/* One grey speck beside a full stop does not condemn a whole page. */
static void
test_page_with_a_speck_is_not_dead (void)
{
  g_autoptr (Image) page = image_new (120, 80, 1, 8, NULL);
  g_autoptr (Mask) mask = NULL;

  for (int y = 0; y < 80; y++)
    for (int x = 0; x < 120; x++)
      *image_pixel (page, x, y) = y < 60 && x % 7 == 0 && y % 9 <= 5 ? 0 : 255;
  *image_pixel (page, 50, 72) = 0;
  *image_pixel (page, 52, 72) = 128;
  mask = detector_dead_pixels.find (page, 1, NULL, NULL);
  g_assert_cmpuint (mask_count (mask), ==, 0);
}

/* Invisible pixels are mostly black; they are not dead. */
static void
test_transparent_is_not_dead (void)
{
  g_autoptr (Image) photo = load_photo (photos[0]);
  g_autoptr (Image) image =
    image_new (photo->width, photo->height, 4, 8, NULL);
  g_autoptr (Mask) mask = NULL;

  for (gsize i = 0; i < image_pixels (image); i++)
    if (i % 10 != 0) {
      memcpy (image->samples + 4 * i, photo->samples + 3 * i,
              3 * sizeof (guint16));
      image->samples[4 * i + 3] = 255;
    }
  mask = detector_dead_pixels.find (image, 1, NULL, NULL);
  g_assert_cmpuint (mask_count (mask), ==, 0);
}

/* Every sample moved away from the mean of the eight around it, but not to black
 * or white. */
static Image *
sharpened (const Image *photo, int times)
{
  Image *image = image_copy (photo, NULL);

  for (int y = 1; y + 1 < image->height; y++)
    for (int x = 1; x + 1 < image->width; x++)
      for (int c = 0; c < 3; c++) {
        int own = image_pixel (photo, x, y)[c], sum = 0;

        for (int k = 0; k < 9; k++)
          sum += image_pixel (photo, x + k % 3 - 1, y + k / 3 - 1)[c];
        image_pixel (image, x, y)[c] =
          (guint16) CLAMP (own + times * (9 * own - sum) / 8, 1, 254);
      }
  return image;
}

static void
test_sharp_pictures_are_alive (void)
{
  g_test_summary ("What was sharpened too much has no random values");
  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    g_autoptr (Image) image = sharpened (photo, 2);
    g_autoptr (Mask) mask = detector_dead_pixels.find (image, 1, NULL, NULL);
    double share =
      (double) mask_count (mask) / (double) image_pixels (image);

    g_test_message ("%s: %.4f", photos[i], share);
    g_assert_cmpfloat (share, <, 0.01);
  }
}

/* Stretches the samples of @image about their middle, so that @share of the
 * pixels becomes black. */
static void
stretch (Image *image, double share)
{
  gsize pixels = image_pixels (image), most = (gsize) (share * (double) pixels);
  int black = -1;
  gsize darker = 0;

  while (darker < most && black < 200) {
    black++;
    darker = 0;
    for (gsize i = 0; i < pixels; i++)
      darker += image_brightest (image, i) <= black;
  }
  for (gsize i = 0; i < 3 * pixels; i++)
    image->samples[i] = (guint16) MAX (0, image->samples[i] - black);
}

static void
test_clipped_texture_is_alive (void)
{
  gsize dead = 0;

  g_test_summary ("Where the ends of fine texture are clipped, nothing is dead; "
                  "single dead pixels are");
  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    g_autoptr (Image) image = sharpened (photo, 1);
    g_autoptr (Mask) mask = NULL;
    g_autoptr (Mask) single = NULL;

    stretch (image, 0.0003);
    mask = detector_dead_pixels.find (image, 1, NULL, NULL);
    g_test_message ("%s: %d", photos[i], (int) mask_count (mask));
    dead += mask_count (mask);
    for (int k = 0; k < 12; k++)
      memset (image_pixel (photo, 20 + 25 * k, 10 + 13 * k), 0xff,
              3 * sizeof (guint16));
    for (gsize k = 0; k < 3 * image_pixels (photo); k++)
      photo->samples[k] = MIN (photo->samples[k], 255);
    single = detector_dead_pixels.find (photo, 1, NULL, NULL);
    g_assert_true (single->missing[10 * photo->width + 20]);
  }
  g_assert_cmpuint (dead, <=, 6);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/detect/dead", test_dead_pixels_of_one_colour);
  g_test_add_func ("/detect/random", test_random_values);
  g_test_add_func ("/detect/line", test_line_is_not_dead);
  g_test_add_func ("/detect/noise", test_noise_is_not_dead);
  g_test_add_func ("/detect/grey-in-colour", test_grey_in_three_colours);
  g_test_add_func ("/detect/black-and-white",
                   test_black_and_white_is_not_dead);
  g_test_add_func ("/detect/background", test_background_is_not_dead);
  g_test_add_func ("/detect/speck", test_page_with_a_speck_is_not_dead);
  g_test_add_func ("/detect/transparent", test_transparent_is_not_dead);
  g_test_add_func ("/detect/sharp", test_sharp_pictures_are_alive);
  g_test_add_func ("/detect/clipped-texture", test_clipped_texture_is_alive);
  return g_test_run ();
}
