/* test_grain.c - noise for what was filled: as strong as that around it, with
 * its spectrum and colours, and nothing elsewhere */
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/denoise/grain.h"
#include "imaging/restore.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { SIDE = 200, HOLE = 60 }; /* a square hole, HOLE from all edges */

#define assert_about(value, expected, most)                                   \
  g_assert_cmpfloat_with_epsilon ((value), (expected), (most))

static gboolean
is_in_hole (int x, int y)
{
  return x >= HOLE && x < SIDE - HOLE && y >= HOLE && y < SIDE - HOLE;
}

static Mask *
hole (void)
{
  Mask *mask = mask_new (SIDE, SIDE, NULL);

  for (int i = 0; i < SIDE * SIDE; i++)
    mask->missing[i] = is_in_hole (i % SIDE, i / SIDE) ? MASK_PIXEL : 0;
  return mask;
}

/* Grey on the left of the middle of @left, on the right of @right, where white
 * is 1; around the hole with white noise of @noise, and in it of @fill. */
static Image *
filled_picture (double left, double right, double noise, double fill)
{
  Image *image = image_new (SIDE, SIDE, 3, 16, NULL);

  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = (guint16) (
          65535
          * ((x < SIDE / 2 ? left : right)
             + (is_in_hole (x, y) ? fill : noise)
                 * random_normal (7, 1, (guint64) (3 * (y * SIDE + x) + c))));
  return image;
}

/* Noise whose brightness is stronger at low frequencies and in dark parts, and
 * with half as much of one colour difference as of brightness. */
static NoiseModel
uneven_noise (void)
{
  NoiseModel model = noise_model_white (3, 0.02);
  double sum = 0;

  model.is_white = FALSE;
  for (int f = 0; f < NOISE_COSINES; f++) {
    model.correlation[f][0][0] =
      expf (-0.3f * (float) (f % NOISE_SIDE + f / NOISE_SIDE));
    sum += (double) model.correlation[f][0][0] / NOISE_COSINES;
  }
  for (int f = 0; f < NOISE_COSINES; f++) {
    float *R = model.correlation[f][0];

    R[0] /= (float) sum;
    R[1] = model.correlation[f][1][0] = 0.3f * sqrtf (R[0]);
  }
  for (int level = 0; level < NOISE_LEVELS; level++) {
    model.deviation[level][0] = level < NOISE_LEVELS / 2 ? 0.04f : 0.02f;
    model.deviation[level][1] = model.deviation[level][0] / 2;
    model.deviation[level][2] = 0;
  }
  return model;
}

/* The brightness, or the first colour difference, of a pixel where white is
 * 1, as of orthonormal mixed colours. */
static double
mixed (const Image *image, int x, int y, int a)
{
  const guint16 *pixel = image_pixel (image, x, y);

  return (a == 0 ? (pixel[0] + pixel[1] + pixel[2]) / sqrt (3)
                 : (pixel[0] - pixel[2]) / sqrt (2))
         / 65535;
}

/* Mean product of mixed colours @a and @b, @step columns apart, of a half of
 * the hole, less their means. */
static double
covariance (const Image *image, int half, int a, int b, int step)
{
  int from = half == 0 ? HOLE : SIDE / 2, to = from + SIDE / 2 - HOLE - step;
  int count = (to - from) * (SIDE - 2 * HOLE);
  double first = 0, second = 0, product = 0;

  for (int y = HOLE; y < SIDE - HOLE; y++)
    for (int x = from; x < to; x++) {
      first += mixed (image, x, y, a) / count;
      second += mixed (image, x + step, y, b) / count;
    }
  for (int y = HOLE; y < SIDE - HOLE; y++)
    for (int x = from; x < to; x++)
      product += (mixed (image, x, y, a) - first)
                 * (mixed (image, x + step, y, b) - second) / count;
  return product;
}

static void
add (Image *image, const NoiseModel *model, double share, guint64 seed)
{
  g_autoptr (Mask) mask = hole ();
  g_autoptr (GError) error = NULL;

  image_add_grain (image, mask, model, share, seed, &error);
  g_assert_no_error (error);
}

static void
test_is_that_of_the_model (void)
{
  const NoiseModel model = uneven_noise ();
  double common = 0;

  g_test_summary ("Strength by brightness, correlation of neighbours and of "
                  "colours are those of the model");
  for (int f = 0; f < NOISE_COSINES; f++)
    common += (double) model.correlation[f][0][1] / NOISE_COSINES;
  for (int share = 1; share <= 2; share++) {
    g_autoptr (Image) image = filled_picture (0.25, 0.75, 0.1, 0);

    add (image, &model, share / 2., 1);
    for (int half = 0; half < 2; half++) {
      double own = covariance (image, half, 0, 0, 0);
      double other = covariance (image, half, 1, 1, 0);
      double expected = (half == 0 ? 0.04 : 0.02) * share / 2;

      g_test_message ("%g of %g, %g, %g", sqrt (own), expected,
                      covariance (image, half, 0, 0, 1) / own,
                      covariance (image, half, 0, 1, 0) / sqrt (own * other));
      assert_about (sqrt (own) / expected, 1, 0.1);
      assert_about (sqrt (other) / expected, 0.5, 0.05);
      assert_about (covariance (image, half, 0, 0, 1) / own,
                   noise_model_neighbours (&model), 0.06);
      assert_about (covariance (image, half, 0, 1, 0) / sqrt (own * other),
                   common, 0.05);
    }
  }
}

static void
test_as_rough_as_around (void)
{
  const NoiseModel model = noise_model_white (3, 0.03);
  static const double cases[][3] = { /* around, in the fill, and with grain */
                                     { 0.02, 0, 0.02 },
                                     { 0.02, 0.016, 0.02 },
                                     { 0.02, 0.03, 0.03 },
                                     { 0, 0.01, 0.01 },
                                     { 0.1, 0, 0.03 } };

  g_test_summary ("A fill becomes as rough as what is around it, by no more "
                  "than the model's noise, and never smoother");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Image) image =
      filled_picture (0.5, 0.5, cases[i][0], cases[i][1]);

    add (image, &model, 1, 1);
    assert_about (sqrt (covariance (image, 0, 0, 0, 0)) / cases[i][2], 1, 0.1);
  }
}

static void
test_only_what_was_filled (void)
{
  const NoiseModel model = uneven_noise ();
  g_autoptr (Image) before = filled_picture (0.25, 0.75, 0.1, 0);
  g_autoptr (Image) image = image_copy (before, NULL);
  g_autoptr (Mask) mask = hole ();
  int changed = 0;

  g_test_summary ("Known pixels and known colours stay");
  for (int i = 0; i < SIDE * SIDE; i += 2)
    if (mask->missing[i])
      mask->missing[i] = MASK_CHANNEL (1);
  g_assert_true (image_add_grain (image, mask, &model, 1, 1, NULL));
  for (int i = 0; i < SIDE * SIDE; i++)
    for (int c = 0; c < 3; c++)
      if (mask_hides (mask->missing[i], c))
        changed += image->samples[3 * i + c] != before->samples[3 * i + c];
      else
        g_assert_cmpint (image->samples[3 * i + c], ==,
                         before->samples[3 * i + c]);
  g_assert_cmpint (changed, >, (SIDE - 2 * HOLE) * (SIDE - 2 * HOLE));
}

static gboolean
same_samples (const Image *a, const Image *b)
{
  return memcmp (a->samples, b->samples,
                 image_pixels (a) * 3 * sizeof (guint16))
         == 0;
}

static void
test_seed_and_threads (void)
{
  const NoiseModel model = uneven_noise ();
  int usual = parallel_threads ();
  g_autoptr (Image) image = filled_picture (0.25, 0.75, 0.1, 0);
  g_autoptr (Image) other = image_copy (image, NULL);

  g_test_summary ("The seed decides on the noise, the threads do not");
  for (int threads = 1; threads <= 4; threads *= 2) {
    g_autoptr (Image) again = filled_picture (0.25, 0.75, 0.1, 0);

    parallel_init (threads);
    add (again, &model, 1, 1);
    if (threads == 1)
      add (image, &model, 1, 1);
    g_assert_true (same_samples (image, again));
  }
  parallel_init (usual);
  add (other, &model, 1, 2);
  g_assert_false (same_samples (image, other));
}

/* ---- by image_restore() ---- */

static Image *
restored (double grain, double sigma)
{
  RestoreOptions options = RESTORE_DEFAULTS;
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (Mask) mask = mask_new (SIDE, SIDE, NULL);
  g_autoptr (GError) error = NULL;
  Image *image = filled_picture (0.4, 0.5, 0.04, 0.04);

  for (int i = 0; i < SIDE * SIDE; i++)
    mask->missing[i] =
      is_in_hole (i % SIDE, i / SIDE) && i % SIDE / 8 % 2 == 0 ? MASK_PIXEL
                                                                 : 0;
  options.quality = QUALITY_FAST;
  options.sigma = sigma;
  options.fill_grain = grain;
  image_restore (image, mask, &options, &report, NULL, &error);
  g_assert_no_error (error);
  return image;
}

/* Deviation of the fills, in levels where white is 1. */
static double
roughness (const Image *image)
{
  double sum = 0, squares = 0;
  int count = 0;

  for (int y = HOLE; y < SIDE - HOLE; y++)
    for (int x = HOLE; x < SIDE / 2; x++)
      if (x / 8 % 2 == 0) {
        double value = image_pixel (image, x, y)[1] / 65535.;

        sum += value;
        squares += value * value;
        count++;
      }
  return sqrt (squares / count - pow (sum / count, 2));
}

static void
test_restoring (void)
{
  g_autoptr (Image) smooth = restored (0, 0);
  g_autoptr (Image) rough = restored (1, 0);
  g_autoptr (Image) clean = restored (0, SIGMA_UNKNOWN);
  g_autoptr (Image) same = restored (1, SIGMA_UNKNOWN);

  g_test_summary ("Fills get the noise that is found around them, unless it "
                  "is removed");
  g_test_message ("roughness %g, with grain %g", roughness (smooth),
                  roughness (rough));
  g_assert_cmpfloat (roughness (smooth), <, 0.025);
  assert_about (roughness (rough) / 0.04, 1, 0.15);
  g_assert_true (same_samples (clean, same));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/grain/model", test_is_that_of_the_model);
  g_test_add_func ("/grain/around", test_as_rough_as_around);
  g_test_add_func ("/grain/only-filled", test_only_what_was_filled);
  g_test_add_func ("/grain/seed-and-threads", test_seed_and_threads);
  g_test_add_func ("/grain/restoring", test_restoring);
  return g_test_run ();
}
