/* test_noisemodel.c - noise by brightness, colour and frequency */
#include "base/random.h"
#include "imaging/denoise/noisemodel.h"
#include "imaging/detect/findnoise.h"
#include "imaging/detect/noisecurve.h"
#include "imaging/detect/noiseprofile.h"
#include "imaging/metric.h"
#include "imaging/restore.h"
#include "tests/support.h"

#include <math.h>

static FoundNoise
find_noise (const Image *image)
{
  FoundNoise found;

  g_assert_true (image_find_noise (image, NULL, &found, NULL));
  return found;
}

/* A model in which the three mixed colours differ, low frequencies are
 * stronger and shadows are weaker. */
static NoiseModel
uneven_model (void)
{
  NoiseModel model = noise_model_white (3, 0.05);

  model.is_white = FALSE;
  for (int f = 0; f < NOISE_COSINES; f++) {
    int k = f % NOISE_SIDE, l = f / NOISE_SIDE;

    for (int c = 0; c < 3; c++)
      model.correlation[f][c][c] = (float) (4. / (1 + k + l + c));
  }
  for (int level = 0; level < NOISE_LEVELS; level++)
    model.deviation[level][0] = 0.01f * (float) (1 + level);
  return model;
}

static void
test_white_covariance (void)
{
  NoiseModel model = noise_model_white (3, 0.1);

  for (int side = 2; side <= NOISE_SIDE; side += 2) {
    MatF S[NOISE_LEVELS];

    noise_model_covariances (&model, side, S);
    for (int level = 0; level < NOISE_LEVELS; level++) {
      for (int j = 0; j < S[level].cols; j++)
        for (int i = 0; i < S[level].rows; i++)
          assert_at_most (
            fabs (*matf_at (&S[level], i, j) - (i == j ? 0.01 : 0)), 1e-6);
      matf_clear (&S[level]);
    }
  }
}

/* The cosines of a whole block have the variances that the model says: those
 * of S, one by one. */
static void
test_covariance_of_a_block (void)
{
  NoiseModel model = uneven_model ();
  float variances[NOISE_COSINES * 3];
  MatF S[NOISE_LEVELS];

  noise_model_covariances (&model, NOISE_SIDE, S);
  for (int level = 0; level < NOISE_LEVELS; level += 5) {
    noise_model_variances (&model, level, NOISE_SIDE, variances);
    for (int f = 0; f < NOISE_COSINES; f += 7) {
      double sum = 0;

      /* The mean of the colours of cosine f, as a vector of a patch. */
      for (int j = 0; j < S[level].cols; j++)
        for (int i = 0; i < S[level].rows; i++) {
          double product = 1. / 3;

          for (int axis = 0; axis < 2; axis++) {
            int n = axis == 0 ? f % NOISE_SIDE : f / NOISE_SIDE;
            int x = axis == 0 ? i % NOISE_SIDE : i / NOISE_SIDE % NOISE_SIDE;
            int y = axis == 0 ? j % NOISE_SIDE : j / NOISE_SIDE % NOISE_SIDE;

            product *= (n == 0 ? 1 : 2) / 8. * cos (G_PI * (x + 0.5) * n / 8)
                       * cos (G_PI * (y + 0.5) * n / 8);
          }
          sum += product * (double) *matf_at (&S[level], i, j);
        }
      assert_at_most (fabs (sum / (double) variances[3 * f] - 1), 1e-3);
    }
  }
  for (int level = 0; level < NOISE_LEVELS; level++)
    matf_clear (&S[level]);
}

static void
test_neighbours (void)
{
  NoiseModel white = noise_model_white (3, 0.1), other = uneven_model ();

  assert_at_most (fabs (noise_model_neighbours (&white)), 1e-6);
  g_assert_cmpfloat (noise_model_neighbours (&other), >, 0.2);
}

/* ---- pictures ---- */

/* Standard deviation of the grain of a pixel, where white is 255. */
static double
grain_at (double brightness)
{
  return 4 + 8 * brightness;
}

/* A slow gradient with grain that is stronger in the lights, and that pixels
 * share with those around them. */
static Image *
grainy_gradient (guint64 seed)
{
  const int width = 400, height = 300;
  Image *image = image_new (width, height, 3, 8, NULL);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double grey = 0.15 + 0.7 * x / width, grain = 0;

      for (int i = 0; i < 9; i++)
        grain += random_normal (seed, 0,
                                (guint64) ((y + i / 3) * 1000 + x + i % 3))
                 / 3;
      for (int c = 0; c < 3; c++) {
        double own =
          random_normal (seed, (guint64) c + 1, (guint64) (y * 1000 + x));
        double value = 255 * grey
                       + grain_at (grey) * (0.8 * grain + 0.6 * own) + 0.5;

        image_pixel (image, x, y)[c] = (guint16) CLAMP (value, 0, 255);
      }
    }
  return image;
}

static void
test_grain_is_measured (void)
{
  g_autoptr (Image) image = grainy_gradient (1);
  FoundNoise noise = find_noise (image);

  g_assert_cmpint (noise.kind, ==, NOISE_COLOURED);
  g_assert_true (noise.is_sure);
  for (int level = 4; level <= 12; level++) {
    double expected = grain_at ((double) level / (NOISE_LEVELS - 1));
    double found = 255 * noise_model_sigma_at (&noise.model, level);

    g_test_message ("level %d: %.2f, found %.2f", level, expected, found);
    assert_at_most (fabs (found / expected - 1), 0.2);
  }
  g_assert_cmpfloat (noise_model_neighbours (&noise.model), >, 0.2);
}

static void
test_white_noise_is_white (void)
{
  g_autoptr (Image) image = image_new (400, 300, 3, 8, NULL);
  FoundNoise noise;

  for (gsize i = 0; i < image_pixels (image) * 3; i++)
    image->samples[i] =
      (guint16) (100.5 + (double) (i / 3 % 400) / 8
                 + 10 * random_normal (1, 0, i));
  noise = find_noise (image);
  g_assert_cmpint (noise.kind, ==, NOISE_WHITE);
  assert_at_most (fabs (noise.sigma - 10), 1);
}

static void
test_clean_photographs_have_none (void)
{
  const char *const photos[] = { "badlands5", "canyon7", "city10", "fields5",
                                 "fog4",      "sky2",    "snow4",  "water0" };

  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    FoundNoise noise = find_noise (photo);

    g_test_message ("%s: %.2f, %.2f", photos[i], noise.sigma, noise.share);
    g_assert_true (noise.kind == NOISE_NONE || !noise.is_sure);
  }
}

/* A gradient in two colours by error diffusion is no noise. */
static void
test_dithering_is_none (void)
{
  g_autoptr (Image) image = image_new (300, 200, 3, 8, NULL);
  g_autofree double *error = g_new0 (double, 302 * 201);
  FoundNoise noise;

  for (int y = 0; y < 200; y++)
    for (int x = 0; x < 300; x++) {
      double *at = error + y * 302 + x + 1;
      double value = 255. * (x + y) / 500 + *at;
      int sample = value < 128 ? 0 : 255;
      double rest = (value - sample) / 16;

      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = (guint16) (c == 1 ? sample : 40);
      at[1] += 7 * rest;
      at[301] += 3 * rest;
      at[302] += 5 * rest;
      at[303] += rest;
    }
  g_assert_true (image_has_few_colours (image));
  noise = find_noise (image);
  g_assert_cmpint (noise.kind, ==, NOISE_NONE);
}

/* Variances add up at each brightness and frequency. */
static void
test_sum (void)
{
  NoiseModel a = noise_model_white (3, 0.03), b = noise_model_white (3, 0.04);
  NoiseModel sum;
  float first[NOISE_COSINES * 3], second[NOISE_COSINES * 3];
  float both[NOISE_COSINES * 3];

  b.is_white = FALSE;
  for (int f = 0; f < NOISE_COSINES; f++)
    for (int c = 0; c < 3; c++)
      b.correlation[f][c][c] = f < NOISE_COSINES / 2 ? 2 : 0;
  sum = noise_model_sum (&a, &b);
  g_assert_false (sum.is_white);
  noise_model_variances (&a, 5, NOISE_SIDE, first);
  noise_model_variances (&b, 5, NOISE_SIDE, second);
  noise_model_variances (&sum, 5, NOISE_SIDE, both);
  for (int i = 0; i < NOISE_COSINES * 3; i++)
    assert_at_most (fabs (both[i] - first[i] - second[i]), 1e-6);
}

/* Strokes and a disc with smooth edges on shaded paper are not noise. */
static void
test_drawings_have_none (void)
{
  g_autoptr (Image) image = image_new (400, 300, 3, 8, NULL);
  FoundNoise noise;

  for (int y = 0; y < 300; y++)
    for (int x = 0; x < 400; x++)
      for (int c = 0; c < 3; c++) {
        gboolean stroke = (x / 3 * 7 + y / 5 * 13) % 11 == 0 && y % 24 < 15;
        double distance = hypot (x - 200, y - 150) - 90;
        double disc = CLAMP (0.5 - distance, 0, 1);
        double paper = 235 - 0.05 * x - 0.1 * y - 10 * c;

        image_pixel (image, x, y)[c] =
          (guint16) (stroke ? 20 : paper - disc * (60 + 40 * c));
      }
  g_assert_false (image_has_few_colours (image));
  noise = find_noise (image);
  g_assert_true (noise.kind == NOISE_NONE || !noise.is_sure);
}

static double
psnr_to_gradient (const Image *image)
{
  double sum = 0;

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < 3; c++)
        sum += pow (image_pixel (image, x, y)[c]
                      - 255 * (0.15 + 0.7 * x / image->width),
                    2);
  sum /= (double) image_pixels (image) * 3;
  return 10 * log10 (255 * 255 / sum);
}

static void
restore (Image *image, double strength, double grain)
{
  RestoreOptions options = RESTORE_DEFAULTS;
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (Mask) none = mask_new (image->width, image->height, NULL);
  g_autoptr (GError) error = NULL;

  options.quality = QUALITY_FAST;
  options.sigma = SIGMA_UNKNOWN;
  options.strength = strength;
  options.grain = grain;
  image_restore (image, none, &options, &report, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (report.sigma, >, 0);
}

/* Without options; and strength and grain do what they promise. */
static void
test_grain_is_removed (void)
{
  const double settings[][2] = { { 0, 0 }, { 0.3, 0 }, { 0, 0.5 } };
  double before, after[3];

  for (int i = 0; i < 3; i++) {
    g_autoptr (Image) image = grainy_gradient (2);

    before = psnr_to_gradient (image);
    restore (image, settings[i][0], settings[i][1]);
    after[i] = psnr_to_gradient (image);
    g_test_message ("strength %g, grain %g: %.2f dB, then %.2f",
                    settings[i][0], settings[i][1], before, after[i]);
  }
  g_assert_cmpfloat (after[0], >, before + 6);
  g_assert_cmpfloat (after[1], <, after[0] - 2);
  g_assert_cmpfloat (after[1], >, before + 0.3);
  g_assert_cmpfloat (after[2], <, after[0] - 2);
  g_assert_cmpfloat (after[2], >, before + 2);
}

/* At half the size and at a quarter of it grain is weaker, but not by more than
 * white noise is. */
static void
test_coarse_grain (void)
{
  g_autoptr (Image) image = grainy_gradient (3);
  FoundNoise noise = find_noise (image);

  g_assert_cmpint (noise.coarse_count, ==, NOISE_SCALES - 1);
  for (int i = 0; i < noise.coarse_count; i++) {
    double before = noise_model_sigma (i > 0 ? &noise.coarse[i - 1]
                                             : &noise.model);
    double ratio = noise_model_sigma (&noise.coarse[i]) / before;

    g_test_message ("size %d: %.2f of what it was", i + 1, ratio);
    g_assert_cmpfloat (ratio, >=, 0.49);
    g_assert_cmpfloat (ratio, <=, 1.05);
  }
}

/* Mean over the pixels of variance of brightness, once a block whose covariance
 * is @S is halved. */
static double
variance_of_half (const MatF *S)
{
  double sum = 0;

  for (int j = 0; j < 3 * NOISE_COSINES; j++)
    for (int i = 0; i < 3 * NOISE_COSINES; i++) {
      int p = i % NOISE_COSINES, q = j % NOISE_COSINES;

      if (p % NOISE_SIDE / 2 == q % NOISE_SIDE / 2
          && p / NOISE_SIDE / 2 == q / NOISE_SIDE / 2)
        sum += (double) *matf_at (S, i, j) / 3 / 16;
    }
  return sum / (NOISE_COSINES / 4);
}

/* White noise stays white, half as strong; any other has the variance that the
 * means of 2 x 2 pixels of a block have. */
static void
test_half_the_size (void)
{
  NoiseModel white = noise_model_white (3, 0.1), model = uneven_model (), half;
  MatF S[NOISE_LEVELS];

  half = noise_model_halved (&white);
  for (int c = 0; c < 3; c++) {
    assert_at_most (fabs ((double) half.deviation[5][c] - 0.05), 1e-6);
    for (int f = 0; f < NOISE_COSINES; f++)
      assert_at_most (fabs ((double) half.correlation[f][c][c] - 1), 1e-5);
  }
  half = noise_model_halved (&model);
  noise_model_covariances (&model, NOISE_SIDE, S);
  for (int level = 0; level < NOISE_LEVELS; level++) {
    double expected = sqrt (variance_of_half (&S[level]));
    double ratio = (double) half.deviation[level][0] / expected;

    assert_at_most (fabs (ratio - 1), 1e-4);
    matf_clear (&S[level]);
  }
}

/* A level spectrum, and the same strength at the frequencies that were weak. */
static void
test_levelled (void)
{
  NoiseModel model = noise_model_white (3, 0.1), level;

  model.correlation[1][0][0] = 30;
  level = noise_model_levelled (&model, 2);
  for (int f = 0; f < NOISE_COSINES; f++) {
    double v = pow (level.deviation[3][0], 2)
               * (double) level.correlation[f][0][0];

    assert_at_most (fabs (v / 0.01 - (f == 1 ? 2 : 1)), 1e-4);
  }
}

/* Levels fall with brightness as in a camera.  Texture makes the brightness of
 * four bins too strong, and all colours of one more: both are seen through, and
 * bins without texture keep what was measured. */
static void
test_levels_under_texture (void)
{
  enum { COUNT = 12 };
  NoiseBin bins[COUNT] = { 0 };
  double truth[COUNT];

  for (int i = 0; i < COUNT; i++) {
    gboolean textured = i % 3 == 1, coloured = i == 8;

    bins[i].is_noise = TRUE;
    bins[i].brightness = (i + 1.) / (COUNT + 1);
    truth[i] = 0.05 / sqrt (0.3 + bins[i].brightness);
    bins[i].sigma[0] = truth[i] * (textured || coloured ? 2 : 1);
    bins[i].sigma[1] = bins[i].sigma[2] = truth[i] * (coloured ? 2 : 1);
  }
  noise_bins_find_levels (bins, COUNT, 3, TRUE);
  for (int i = 0; i < COUNT; i++)
    for (int c = 0; c < 3; c++) {
      assert_at_most (bins[i].level[c], 1.15 * truth[i]);
      assert_at_most (0.97 * truth[i], bins[i].level[c]);
    }
}

/* The dots of a print, as a scanner sees them. */
static void
test_halftone_has_none (void)
{
  g_autoptr (Image) image = image_new (400, 300, 1, 8, NULL);
  FoundNoise found;

  for (int y = 0; y < 300; y++)
    for (int x = 0; x < 400; x++) {
      double dots = 2 + cos (0.9 * (x + y)) + cos (0.9 * (x - y));
      double grey = 1 + 3 * (0.5 + 0.4 * sin (0.01 * x) * cos (0.013 * y));

      *image_pixel (image, x, y) =
        (guint16) (255 / (1 + exp (6 * (dots - grey))) + 0.5);
    }
  found = find_noise (image);
  g_assert_true (found.kind == NOISE_NONE || !found.is_sure);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/noisemodel/sum", test_sum);
  g_test_add_func ("/noisemodel/drawings", test_drawings_have_none);
  g_test_add_func ("/noisemodel/halftone", test_halftone_has_none);
  g_test_add_func ("/noisemodel/levels", test_levels_under_texture);
  g_test_add_func ("/noisemodel/white", test_white_covariance);
  g_test_add_func ("/noisemodel/block", test_covariance_of_a_block);
  g_test_add_func ("/noisemodel/neighbours", test_neighbours);
  g_test_add_func ("/noisemodel/grain", test_grain_is_measured);
  g_test_add_func ("/noisemodel/white-noise", test_white_noise_is_white);
  g_test_add_func ("/noisemodel/clean", test_clean_photographs_have_none);
  g_test_add_func ("/noisemodel/dithering", test_dithering_is_none);
  g_test_add_func ("/noisemodel/removed", test_grain_is_removed);
  g_test_add_func ("/noisemodel/coarse", test_coarse_grain);
  g_test_add_func ("/noisemodel/halved", test_half_the_size);
  g_test_add_func ("/noisemodel/levelled", test_levelled);
  return g_test_run ();
}
