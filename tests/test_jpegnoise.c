/* test_jpegnoise.c - noise as it was before a JPEG rounded it */
#include "base/random.h"
#include "imaging/detect/findnoise.h"
#include "imaging/detect/jpegnoise.h"
#include "imaging/metric.h"
#include "imaging/restore.h"
#include "tests/jpegs.h"
#include "tests/support.h"

#include <math.h>

enum { QUALITY = 75 };

/* ---- rounding ---- */

/* The variance of many normal numbers that were rounded. */
static double
variance_of_rounded (double deviation, double step)
{
  const int count = 200000;
  double sum = 0;

  for (int i = 0; i < count; i++)
    sum += pow (step
                  * round (deviation / step
                           * random_normal (1, 0, (guint64) i)),
                2)
           / count;
  return sum;
}

static gboolean
is_found (const Image *image, NoiseModel *model)
{
  gboolean is_known;

  g_assert_true (
    image_find_noise_before_jpeg (image, NULL, 3, model, &is_known, NULL));
  return is_known;
}

static void
test_rounding_is_undone (void)
{
  const double deviations[] = { 2, 3, 5, 10, 40 }, step = 8;

  for (gsize i = 0; i < G_N_ELEMENTS (deviations); i++) {
    double found = deviation_before_rounding (
      variance_of_rounded (deviations[i], step), step);

    g_test_message ("%g: found %g", deviations[i], found);
    assert_at_most (fabs (found / deviations[i] - 1), 0.01);
  }
  g_assert_cmpfloat (deviation_before_rounding (9, 0), ==, 3);
  g_assert_cmpfloat (deviation_before_rounding (0, 0), ==, 0);
}

/* ---- pictures ---- */

/* A slow gradient with grey noise of @level that a pixel shares with those
 * beside it; stronger in the lights by @slope. */
static Image *
noisy_gradient (double level, double slope)
{
  const int width = 512, height = 384;
  Image *image = image_new (width, height, 3, 8, NULL);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double grey = 0.2 + 0.6 * x / width, noise = 0;

      for (int i = 0; i < 4; i++)
        noise += random_normal (2, 0,
                                (guint64) ((y + i / 2) * 1000 + x + i % 2))
                 / 2;
      noise *= level * (1 + slope * (grey - 0.5));
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          (guint16) CLAMP (255 * grey + noise + 0.5, 0, 255);
    }
  return image;
}

/* Root mean square of the brightness over the levels the gradient has. */
static double
brightness_of (const NoiseModel *model)
{
  double sum = 0;
  int count = 0;

  for (int level = 4; level <= 11; level++, count++)
    sum += pow (255 * (double) model->deviation[level][0], 2);
  return sqrt (sum / count);
}

/* What 2 x 2 means leave of white noise of variance 1, at k + l of 2 and 3. */
#define LOW_DENSITY 1.8

/* The level is that of the low frequencies, whatever the steps are. */
static void
test_level_before_rounding (void)
{
  const double levels[] = { 4, 7 };

  for (gsize i = 0; i < G_N_ELEMENTS (levels); i++) {
    g_autoptr (Image) noisy = noisy_gradient (levels[i], 0);
    g_autoptr (Image) image = through_jpeg (noisy, QUALITY);
    double expected = levels[i] * LOW_DENSITY * sqrt (3), ratio;
    NoiseModel model;

    g_assert_true (image_has_jpeg_blocks (image));
    g_assert_true (is_found (image, &model));
    ratio = brightness_of (&model) / expected;
    g_test_message ("noise of %g: %.2f times as strong", levels[i], ratio);
    assert_at_most (fabs (ratio - 1), 0.15);
    for (int f = 0; f < NOISE_COSINES; f++)
      g_assert_cmpfloat (model.correlation[f][0][0], ==, 1);
  }
}

/* Variances add up, and the error is as large as the steps: without noise, twice
 * the steps are twice the deviation. */
static void
test_rounding_has_an_error (void)
{
  g_autoptr (Image) image = noisy_gradient (0, 0);
  NoiseModel none = noise_model_white (3, 0), some = noise_model_white (3, 0.1);
  NoiseModel once, twice, both;

  for (int f = 0; f < NOISE_COSINES; f++)
    image->meta.steps[0][f] = (guint16) (8 + f);
  both = noise_model_with_rounding (&some, image);
  once = noise_model_with_rounding (&none, image);
  for (int f = 0; f < NOISE_COSINES; f++)
    image->meta.steps[0][f] = (guint16) (2 * (8 + f));
  twice = noise_model_with_rounding (&none, image);
  for (int level = 0; level < NOISE_LEVELS; level++)
    for (int c = 0; c < 3; c++) {
      double error = once.deviation[level][c];

      assert_at_most (fabs (twice.deviation[level][c] - 2 * error), 1e-6);
      assert_at_most (fabs (both.deviation[level][c] - hypot (0.1, error)),
                      1e-6);
    }
}

/* What a JPEG of strong noise has lost; where no cosine is dropped, that is
 * q^2 / 12 in each.  How many are depends on the noise; the order does not. */
static void
test_error_is_that_of_rounding (void)
{
  const int qualities[] = { 60, 75, 85 };

  for (gsize i = 0; i < G_N_ELEMENTS (qualities); i++) {
    g_autoptr (Image) noisy = noisy_gradient (12, 0);
    g_autoptr (Image) image = through_jpeg (noisy, qualities[i]);
    NoiseModel none = noise_model_white (1, 0);
    NoiseModel error = noise_model_with_rounding (&none, image);
    double lost = pow (10, -psnr (noisy, image) / 20), ratio;

    ratio = (double) error.deviation[0][0] / lost;
    g_test_message ("quality %d: %.2f times what was lost", qualities[i],
                    ratio);
    g_assert_cmpfloat (ratio, >, 0.6);
    g_assert_cmpfloat (ratio, <, 1.6);
  }
}

static void
test_brightness_counts (void)
{
  g_autoptr (Image) noisy = noisy_gradient (4, 1.5);
  g_autoptr (Image) image = through_jpeg (noisy, QUALITY);
  NoiseModel model;

  g_assert_true (is_found (image, &model));
  g_assert_cmpfloat (model.deviation[11][0], >, 1.6 * model.deviation[4][0]);
}

/* Fine steps keep the noise as it is, and a turned picture has its blocks
 * elsewhere. */
static void
test_nothing_is_rounded (void)
{
  g_autoptr (Image) noisy = noisy_gradient (7, 0);
  g_autoptr (Image) fine = through_jpeg (noisy, 97);
  g_autoptr (Image) turned = through_jpeg (noisy, QUALITY);
  NoiseModel model;

  g_assert_false (image_has_jpeg_blocks (noisy));
  g_assert_false (is_found (fine, &model));
  turned->meta.orientation = 6;
  g_assert_false (image_has_jpeg_blocks (turned));
}

/* ---- removal ---- */

static void
test_noise_is_removed (void)
{
  g_autoptr (Image) noisy = noisy_gradient (6, 0);
  g_autoptr (Image) clean = noisy_gradient (0, 0);
  g_autoptr (Image) image = through_jpeg (noisy, QUALITY);
  g_auto (RestoreReport) report = { 0 };
  RestoreOptions options = RESTORE_DEFAULTS;
  double before = psnr (clean, image);
  g_autoptr (GError) error = NULL;

  options.quality = QUALITY_FAST;
  options.sigma = SIGMA_UNKNOWN;
  g_assert_true (
    image_restore (image, NULL, &options, &report, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (report.noise.is_sure);
  g_assert_true (report.noise.is_even);
  g_test_message ("%.2f to %.2f dB", before, psnr (clean, image));
  g_assert_cmpfloat (psnr (clean, image), >, before + 6);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/jpegnoise/rounding", test_rounding_is_undone);
  g_test_add_func ("/jpegnoise/level", test_level_before_rounding);
  g_test_add_func ("/jpegnoise/rounding-error", test_rounding_has_an_error);
  g_test_add_func ("/jpegnoise/lost", test_error_is_that_of_rounding);
  g_test_add_func ("/jpegnoise/brightness", test_brightness_counts);
  g_test_add_func ("/jpegnoise/fine", test_nothing_is_rounded);
  g_test_add_func ("/jpegnoise/removal", test_noise_is_removed);
  return g_test_run ();
}
