/* test_noise.c - the level of noise is found, texture is not taken for it */
#include "imaging/detect/clipping.h"
#include "imaging/damage/damage.h"
#include "imaging/detect/noise.h"
#include "base/random.h"
#include "tests/support.h"

#include <math.h>

static const char *const photos[] = { "badlands5", "beach0", "city10",
                                      "forest3",   "snow4",  "water0" };

/* Brightness of @image, as one plane or as three that are the same. */
static Image *
grey_of (const Image *image, int channels)
{
  Image *grey = image_new (image->width, image->height, channels, 8, NULL);

  for (gsize i = 0; i < image_pixels (image); i++)
    for (int c = 0; c < channels; c++)
      grey->samples[i * (gsize) channels + (gsize) c] =
        (guint16) ((2 * image->samples[3 * i] + 5 * image->samples[3 * i + 1]
                    + image->samples[3 * i + 2])
                   / 8);
  return grey;
}

static Image *
with_noise (const Image *image, double sigma, guint64 seed)
{
  DamageOptions options = { .noise = sigma, .seed = seed };

  return image_damage (image, &options, NULL, NULL);
}

static void
assert_within (double value, double expected, double share)
{
  g_assert_cmpfloat (value, >=, expected * (1 - share));
  g_assert_cmpfloat (value, <=, expected * (1 + share));
}

static double
noise_level (const Image *image, const Mask *ignore)
{
  double level;

  g_assert_true (image_noise_level (image, ignore, &level, NULL));
  return level;
}

static void
test_level (void)
{
  const double levels[] = { 2, 5, 10, 25, 50 };

  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    g_autoptr (Image) grey = grey_of (photo, 1);

    for (gsize l = 0; l < G_N_ELEMENTS (levels); l++) {
      g_autoptr (Image) noisy = with_noise (photo, levels[l], i);
      g_autoptr (Image) noisy_grey = with_noise (grey, levels[l], i);
      double level = noise_level (noisy, NULL);
      double grey_level = noise_level (noisy_grey, NULL);

      g_test_message ("%s %g: %.2f, grey %.2f", photos[i], levels[l], level,
                      grey_level);
      assert_within (level, levels[l], 0.1);
      assert_within (grey_level, levels[l], levels[l] < 5 ? 0.2 : 0.1);
    }
  }
}

static void
test_clean_photographs_have_none (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    g_autoptr (Image) grey = grey_of (photo, 1);

    g_assert_cmpfloat (noise_level (photo, NULL), ==, 0);
    g_assert_cmpfloat (noise_level (grey, NULL), ==, 0);
  }
}

/* Three colours that are the same have the same noise: no difference of
 * colours tells anything about it. */
static void
test_grey_in_three_colours (void)
{
  g_autoptr (Image) photo = load_photo ("beach0");
  g_autoptr (Image) grey = grey_of (photo, 1);
  g_autoptr (Image) noisy = with_noise (grey, 20, 1);
  g_autoptr (Image) three = image_new (grey->width, grey->height, 3, 8, NULL);

  for (gsize i = 0; i < image_pixels (grey) * 3; i++)
    three->samples[i] = noisy->samples[i / 3];
  g_assert_true (image_is_grey (three, NULL));
  g_assert_false (image_is_grey (photo, NULL));
  g_assert_cmpfloat (noise_level (three, NULL), ==,
                     noise_level (noisy, NULL));
}

/* A mark of another colour that is ignored makes no picture a coloured one. */
static void
test_ignored_colour (void)
{
  g_autoptr (Image) photo = load_photo ("beach0");
  g_autoptr (Image) grey = grey_of (photo, 1);
  g_autoptr (Image) noisy = with_noise (grey, 20, 1);
  g_autoptr (Image) three = image_new (grey->width, grey->height, 3, 8, NULL);
  g_autoptr (Mask) mask = mask_new (grey->width, grey->height, NULL);

  for (gsize i = 0; i < image_pixels (grey) * 3; i++)
    three->samples[i] = noisy->samples[i / 3];
  for (gsize i = 0; i < 500; i++) {
    mask->missing[i] = 1;
    three->samples[3 * i] = 255;
    three->samples[3 * i + 1] = 0;
  }
  g_assert_false (image_is_grey (three, NULL));
  g_assert_true (image_is_grey (three, mask));
  g_assert_cmpfloat (noise_level (three, mask), ==,
                     noise_level (noisy, mask));
}

/* The same picture in 16 bits has the same level. */
static void
test_depth (void)
{
  g_autoptr (Image) photo = load_photo ("city10");
  g_autoptr (Image) deep =
    image_new (photo->width, photo->height, 3, 16, NULL);
  g_autoptr (Image) noisy = NULL;

  for (gsize i = 0; i < image_pixels (photo) * 3; i++)
    deep->samples[i] = (guint16) (photo->samples[i] * 257);
  noisy = with_noise (deep, 10, 1);
  assert_within (noise_level (noisy, NULL), 10, 0.1);
}

/* Ignored and invisible pixels never affect the result. */
static void
test_ignored (void)
{
  g_autoptr (Image) photo = load_photo ("lava0");
  g_autoptr (Image) noisy = with_noise (photo, 15, 1);
  g_autoptr (Mask) mask = mask_new (photo->width, photo->height, NULL);
  g_autoptr (Image) alpha =
    image_new (photo->width, photo->height, 4, 8, NULL);
  double level;

  for (gsize i = 0; i < image_pixels (photo); i++)
    mask->missing[i] = random_uniform (1, 0, i) < 0.3;
  level = noise_level (noisy, mask);
  assert_within (level, 15, 0.15);
  for (gsize i = 0; i < image_pixels (photo); i++)
    for (gsize c = 0; c < 3; c++) {
      if (mask->missing[i])
        noisy->samples[3 * i + c] = (guint16) random_below (1, 1, i, 256);
      alpha->samples[4 * i + c] = noisy->samples[3 * i + c];
      alpha->samples[4 * i + 3] = mask->missing[i] ? 0 : 255;
    }
  g_assert_cmpfloat (noise_level (noisy, mask), ==, level);
  g_assert_cmpfloat (noise_level (alpha, NULL), ==, level);
}

/* No picture is too small or too plain. */
static void
test_odd_pictures (void)
{
  const int sides[] = { 1, 2, 3, 7, 8, 20 };

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
    for (int channels = 1; channels <= 4; channels++) {
      g_autoptr (Image) narrow = image_new (sides[i], 50, channels, 8, NULL);
      g_autoptr (Image) small =
        image_new (sides[i], sides[i], channels, 16, NULL);

      g_assert_cmpfloat (noise_level (narrow, NULL), ==, 0);
      g_assert_cmpfloat (noise_level (small, NULL), ==, 0);
    }
}

/* Mean and variance of clipped noise, against a large sample. */
static void
test_clipped_moments (void)
{
  const int count = 200000;
  const double values[] = { 0, 0.05, 0.3, 0.9, 1 };

  for (gsize v = 0; v < G_N_ELEMENTS (values); v++) {
    double x = values[v], sigma = 0.2, sum = 0, squares = 0, mean;

    for (int i = 0; i < count; i++) {
      double u = CLAMP (x + sigma * random_normal (v, 0, (guint64) i), 0, 1);

      sum += u;
      squares += u * u;
    }
    mean = sum / count;
    assert_at_most (fabs (clipped_mean (x, sigma) - mean), 0.002);
    assert_at_most (
      fabs (clipped_variance (x, sigma) - (squares / count - mean * mean)),
      0.0005);
    assert_at_most (
      fabs (inverse_clipped_mean (clipped_mean (x, sigma), sigma) - x), 1e-6);
  }
}

/* Noise that had room beyond black is not taken for clipped. */
static void
test_clipped_ends (void)
{
  g_autoptr (Image) dark = image_new (200, 200, 1, 8, NULL);
  g_autoptr (Image) clipped = NULL;
  ClippedEnds ends;

  for (gsize i = 0; i < image_pixels (dark); i++)
    dark->samples[i] = (guint16) (10 + i % 20);
  clipped = with_noise (dark, 20, 1);
  ends = clipped_ends (clipped, 20. / 255);
  g_assert_true (ends.black);
  g_assert_false (ends.white);
  for (gsize i = 0; i < image_pixels (dark); i++)
    dark->samples[i] += 80;
  g_clear_pointer (&clipped, image_free);
  clipped = with_noise (dark, 20, 1);
  ends = clipped_ends (clipped, 20. / 255);
  g_assert_false (ends.black);
  g_assert_false (ends.white);
}

/* Nor do pixels that cannot be seen crowd at an end. */
static void
test_hidden_ends (void)
{
  g_autoptr (Image) image = image_new (100, 100, 2, 8, NULL);
  ClippedEnds ends;

  for (gsize i = 0; i < image_pixels (image); i++) {
    gboolean hidden = i % 3 == 0;

    image->samples[2 * i] = (guint16) (hidden ? i % 2 * 255 : 100 + i % 50);
    image->samples[2 * i + 1] = hidden ? 0 : 255;
  }
  ends = clipped_ends (image, 20. / 255);
  g_assert_false (ends.black);
  g_assert_false (ends.white);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/noise/level", test_level);
  g_test_add_func ("/noise/clean", test_clean_photographs_have_none);
  g_test_add_func ("/noise/grey-in-colour", test_grey_in_three_colours);
  g_test_add_func ("/noise/ignored-colour", test_ignored_colour);
  g_test_add_func ("/noise/depth", test_depth);
  g_test_add_func ("/noise/ignored", test_ignored);
  g_test_add_func ("/noise/odd", test_odd_pictures);
  g_test_add_func ("/noise/clipped-moments", test_clipped_moments);
  g_test_add_func ("/noise/clipped-ends", test_clipped_ends);
  g_test_add_func ("/noise/hidden-ends", test_hidden_ends);
  return g_test_run ();
}
