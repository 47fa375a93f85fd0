/* test_metric.c - PSNR and SSIM equal the formulas and scikit-image */
#include "imaging/metric.h"

#include "base/error.h"
#include "base/random.h"
#include "imaging/codec/codec.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

static Image *
new_image (int width, int height, int channels, int depth)
{
  GError *error = NULL;
  Image *image = image_new (width, height, channels, depth, &error);

  g_assert_no_error (error);
  return image;
}

/* Every sample is random, also alpha. */
static Image *
random_image (int width, int height, int channels, int depth, guint64 seed)
{
  Image *image = new_image (width, height, channels, depth);
  gsize samples = image_pixels (image) * (gsize) channels;

  for (gsize i = 0; i < samples; i++)
    image->samples[i] =
      (guint16) random_below (seed, 0, i, (guint64) image_peak (image) + 1);
  return image;
}

/* Every sample is @value. */
static Image *
flat_image (int width, int height, int channels, int depth, int value)
{
  Image *image = new_image (width, height, channels, depth);

  for (gsize i = 0; i < image_pixels (image) * (gsize) channels; i++)
    image->samples[i] = (guint16) value;
  return image;
}

/* @image as a picture of other channels or depth: grey is repeated, alpha left
 * out or random, samples are multiplied by @scale. */
static Image *
converted (const Image *image, int channels, int depth, int scale)
{
  Image *copy =
    random_image (image->width, image->height, channels, depth, 99);

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < image_colours (copy); c++)
        image_pixel (copy, x, y)[c] =
          (guint16) (scale
                     * image_pixel (image, x, y)[c % image_colours (image)]);
  return copy;
}

/* Rows become columns. */
static Image *
transposed (const Image *image)
{
  Image *copy =
    new_image (image->height, image->width, image->channels, image->depth);

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      memcpy (image_pixel (copy, y, x), image_pixel (image, x, y),
              (gsize) image->channels * sizeof *image->samples);
  return copy;
}

static ImageScore
score_of (const Image *reference, const Image *result, const Mask *masked)
{
  GError *error = NULL;
  ImageScore score;
  gboolean done = image_score (reference, result, masked, &score, &error);

  g_assert_no_error (error);
  g_assert_true (done);
  return score;
}

static void
assert_same_score (const ImageScore *a, const ImageScore *b)
{
  assert_at_most (fabs (a->psnr - b->psnr), 1e-12);
  assert_at_most (fabs (a->ssim - b->ssim), 1e-12);
  g_assert_cmpint (a->identical, ==, b->identical);
}

static void
test_identical (void)
{
  /* Channels and depth. */
  static const int types[][2] = {
    { 1, 1 }, { 1, 2 }, { 1, 4 },  { 1, 8 },  { 2, 8 },
    { 3, 8 }, { 4, 8 }, { 1, 16 }, { 3, 16 }, { 4, 16 },
  };

  for (gsize t = 0; t < G_N_ELEMENTS (types); t++) {
    g_autoptr (Image) a = random_image (23, 17, types[t][0], types[t][1], 1);
    ImageScore score = score_of (a, a, NULL);

    g_assert_true (score.identical);
    g_assert_cmpfloat (score.psnr, ==, INFINITY);
    assert_at_most (fabs (score.ssim - 1), 1e-15);
    g_assert_true (isnan (score.psnr_masked));
    g_assert_cmpuint (score.pixels, ==, 23 * 17);
    g_assert_cmpuint (score.masked_pixels, ==, 0);
  }
}

static void
test_symmetric (void)
{
  g_autoptr (Image) a = random_image (40, 30, 3, 8, 1);
  g_autoptr (Image) b = random_image (40, 30, 3, 8, 2);
  ImageScore forth = score_of (a, b, NULL);
  ImageScore back = score_of (b, a, NULL);

  g_assert_false (forth.identical);
  assert_same_score (&forth, &back);
}

static void
test_shift (void)
{
  g_test_summary ("Flat pictures have a PSNR and SSIM in closed form");

  for (int depth = 8; depth <= 16; depth += 8) {
    const int x = 100, y = 107;
    g_autoptr (Image) a = flat_image (20, 20, 3, depth, x);
    g_autoptr (Image) b = flat_image (20, 20, 3, depth, y);
    double peak = image_peak (a), c1 = 1e-4 * peak * peak;
    ImageScore score = score_of (a, b, NULL);

    assert_at_most (fabs (score.psnr - 20 * log10 (peak / (y - x))), 1e-12);
    assert_at_most (
      fabs (score.ssim - (2. * x * y + c1) / (x * x + y * y + c1)), 1e-10);
  }
}

static void
test_same_seen_otherwise (void)
{
  g_test_summary ("Turning, a larger range, alpha and repeated grey do not "
                  "change a score");

  g_autoptr (Image) a = random_image (37, 26, 3, 8, 3);
  g_autoptr (Image) b = random_image (37, 26, 3, 8, 4);
  ImageScore score = score_of (a, b, NULL);

  g_autoptr (Image) a_turned = transposed (a);
  g_autoptr (Image) b_turned = transposed (b);
  ImageScore turned = score_of (a_turned, b_turned, NULL);
  assert_same_score (&score, &turned);

  g_autoptr (Image) a_deep = converted (a, 3, 16, 257);
  g_autoptr (Image) b_deep = converted (b, 3, 16, 257);
  ImageScore deep = score_of (a_deep, b_deep, NULL);
  ImageScore mixed = score_of (a, b_deep, NULL);
  ImageScore only_deeper = score_of (a, a_deep, NULL);
  assert_same_score (&score, &deep);
  assert_same_score (&score, &mixed);
  g_assert_true (only_deeper.identical);

  g_autoptr (Image) a_alpha = converted (a, 4, 8, 1);
  ImageScore alpha = score_of (a_alpha, b, NULL);
  assert_same_score (&score, &alpha);

  g_autoptr (Image) grey = random_image (37, 26, 2, 8, 5);
  g_autoptr (Image) repeated = converted (grey, 3, 8, 1);
  ImageScore grey_score = score_of (a, grey, NULL);
  ImageScore repeated_score = score_of (a, repeated, NULL);
  assert_same_score (&grey_score, &repeated_score);
}

/* The SSIM of one place and channel straight from the formulas: @x, @y is the
 * upper left corner of the window.  Variances are sums of squared deviations
 * here, not differences of means. */
static double
direct_at (const Image *a, const Image *b, int x, int y, int channel,
           double *cs)
{
  double weight[11][11], total = 0, peak = image_peak (a);
  double mean_a = 0, mean_b = 0, var_a = 0, var_b = 0, cov = 0;
  double c1 = pow (0.01 * peak, 2), c2 = pow (0.03 * peak, 2);

  for (int j = 0; j < 11; j++)
    for (int i = 0; i < 11; i++) {
      weight[j][i] =
        exp (-(pow (i - 5, 2) + pow (j - 5, 2)) / (2 * 1.5 * 1.5));
      total += weight[j][i];
    }
  for (int j = 0; j < 11; j++)
    for (int i = 0; i < 11; i++) {
      weight[j][i] /= total;
      mean_a += weight[j][i] * image_pixel (a, x + i, y + j)[channel];
      mean_b += weight[j][i] * image_pixel (b, x + i, y + j)[channel];
    }
  for (int j = 0; j < 11; j++)
    for (int i = 0; i < 11; i++) {
      double u = image_pixel (a, x + i, y + j)[channel] - mean_a;
      double v = image_pixel (b, x + i, y + j)[channel] - mean_b;

      var_a += weight[j][i] * u * u;
      var_b += weight[j][i] * v * v;
      cov += weight[j][i] * u * v;
    }
  *cs = (2 * cov + c2) / (var_a + var_b + c2);
  return (2 * mean_a * mean_b + c1) * *cs
         / (mean_a * mean_a + mean_b * mean_b + c1);
}

static double
direct_ssim_at (const Image *a, const Image *b, int x, int y, int channel)
{
  double cs;

  return direct_at (a, b, x, y, channel, &cs);
}

static double
direct_cs_at (const Image *a, const Image *b, int x, int y, int channel)
{
  double cs;

  direct_at (a, b, x, y, channel, &cs);
  return cs;
}

static double
direct_mean (const Image *a, const Image *b,
             double (*at) (const Image *, const Image *, int, int, int))
{
  double sum = 0;
  int places = 0;

  for (int c = 0; c < image_colours (a); c++)
    for (int y = 0; y + 11 <= a->height; y++)
      for (int x = 0; x + 11 <= a->width; x++) {
        sum += at (a, b, x, y, c);
        places++;
      }
  return sum / places;
}

/* Each pixel becomes 2 x 2, so that the half of the result is @image. */
static Image *
doubled (const Image *image)
{
  Image *copy = new_image (2 * image->width, 2 * image->height,
                           image->channels, image->depth);

  for (int y = 0; y < copy->height; y++)
    for (int x = 0; x < copy->width; x++)
      memcpy (image_pixel (copy, x, y), image_pixel (image, x / 2, y / 2),
              (gsize) image->channels * sizeof *image->samples);
  return copy;
}

static void
test_ms_ssim (void)
{
  g_test_summary ("MS-SSIM is SSIM where one scale fits, and the weighted "
                  "product of two where two do");

  g_autoptr (Image) a = random_image (21, 15, 1, 8, 5);
  g_autoptr (Image) b = random_image (21, 15, 1, 8, 6);
  g_autoptr (Image) twice_a = doubled (a);
  g_autoptr (Image) twice_b = doubled (b);
  ImageScore one = score_of (a, b, NULL);
  ImageScore two = score_of (twice_a, twice_b, NULL);
  double w1 = 0.0448 / (0.0448 + 0.2856), w2 = 1 - w1;
  double cs = direct_mean (twice_a, twice_b, direct_cs_at);
  double ssim = direct_mean (a, b, direct_ssim_at);

  assert_at_most (fabs (one.ms_ssim - one.ssim), 1e-12);
  assert_at_most (
    fabs (two.ms_ssim - pow (fmax (0, cs), w1) * pow (fmax (0, ssim), w2)),
    1e-10);
  g_assert_cmpfloat (fabs (two.ms_ssim - two.ssim), >, 1e-3);
}

static void
test_ssim_equals_direct (void)
{
  g_test_summary ("The separable SSIM with its ring of rows equals the double "
                  "sum over each window");

  static const struct {
    int width, height, channels, depth;
  } cases[] = {
    { 11, 11, 1, 8 },  { 11, 40, 3, 8 }, { 40, 11, 3, 8 }, { 12, 13, 4, 16 },
    { 31, 29, 3, 16 }, { 25, 33, 2, 8 }, { 20, 20, 1, 4 }, { 21, 19, 1, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Image) a =
      random_image (cases[i].width, cases[i].height, cases[i].channels,
                    cases[i].depth, 10 + i);
    g_autoptr (Image) b =
      random_image (cases[i].width, cases[i].height, cases[i].channels,
                    cases[i].depth, 20 + i);

    /* Half of the result is the reference: similar, and not at all. */
    memcpy (b->samples, a->samples,
            image_pixels (a) / 2 * (gsize) a->channels * sizeof *a->samples);
    assert_at_most (fabs (score_of (a, b, NULL).ssim - direct_mean (a, b, direct_ssim_at)),
                    1e-12);
  }
}

static void
test_masked (void)
{
  /* Errors by pixel: (0 0 0), (3 0 0), (0 4 0), (0 0 12). */
  static const guint16 x[] = { 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 };
  static const guint16 y[] = { 9, 9, 9, 6, 9, 9, 9, 13, 9, 9, 9, 21 };
  static guint8 second_and_third[] = { 0, 1, 255, 0 };
  static guint8 first[] = { 1, 0, 0, 0 };
  static guint8 none[] = { 0, 0, 0, 0 };
  g_autoptr (Image) a = new_image (2, 2, 3, 8);
  g_autoptr (Image) b = new_image (2, 2, 3, 8);
  ImageScore score;

  memcpy (a->samples, x, sizeof x);
  memcpy (b->samples, y, sizeof y);

  score = score_of (a, b, &(Mask){ 2, 2, second_and_third });
  assert_at_most (
    fabs (score.psnr - 10 * log10 (255. * 255 * 12 / (9 + 16 + 144))), 1e-12);
  assert_at_most (
    fabs (score.psnr_masked - 10 * log10 (255. * 255 * 6 / (9 + 16))), 1e-12);
  g_assert_cmpuint (score.pixels, ==, 4);
  g_assert_cmpuint (score.masked_pixels, ==, 2);
  g_assert_true (isnan (score.ssim)); /* no window fits into 2 x 2 */

  score = score_of (a, b, &(Mask){ 2, 2, first });
  g_assert_cmpfloat (score.psnr_masked, ==, INFINITY);
  g_assert_false (score.identical);

  score = score_of (a, b, &(Mask){ 2, 2, none });
  g_assert_true (isnan (score.psnr_masked));
  g_assert_cmpuint (score.masked_pixels, ==, 0);
}

static void
test_too_small_for_ssim (void)
{
  g_autoptr (Image) wide = random_image (50, 10, 1, 8, 1);
  g_autoptr (Image) high = random_image (10, 50, 1, 8, 1);

  g_assert_true (isnan (score_of (wide, wide, NULL).ssim));
  g_assert_true (isnan (score_of (high, high, NULL).ssim));
}

static void
test_sizes_differ (void)
{
  g_autoptr (Image) a = new_image (20, 30, 1, 8);
  g_autoptr (Image) b = new_image (30, 20, 1, 8);
  g_autoptr (GError) error = NULL;
  ImageScore score;

  g_assert_false (image_score (a, b, NULL, &score, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "20 x 30"));
  g_assert_nonnull (strstr (error->message, "30 x 20"));
}

static Image *
read_vector (const char *name)
{
  g_autofree char *path = g_build_filename ("tests", "vectors", name, NULL);
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  GError *error = NULL;
  char *data;
  gsize size;
  Image *image;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, size);
  image = image_decode (bytes, path, &limits, &error);
  g_assert_no_error (error);
  return image;
}

static void
test_equals_scikit_image (void)
{
  g_test_summary ("Stored pairs have the scores of scikit-image; their origin "
                  "is told in tests/vectors/README.md");

  g_autofree char *table = NULL;
  g_auto (GStrv) lines = NULL;
  GError *error = NULL;
  int pairs = 0;

  g_file_get_contents ("tests/vectors/score.csv", &table, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (g_strchomp (table), "\n", -1);
  g_assert_cmpstr (lines[0], ==, "reference,result,psnr,ssim");

  for (char **line = lines + 1; *line != NULL; line++, pairs++) {
    g_auto (GStrv) cell = g_strsplit (*line, ",", -1);

    g_assert_cmpuint (g_strv_length (cell), ==, 4);
    g_autoptr (Image) reference = read_vector (cell[0]);
    g_autoptr (Image) result = read_vector (cell[1]);
    ImageScore score = score_of (reference, result, NULL);

    g_test_message ("%s: PSNR %.12f, SSIM %.12f", cell[1], score.psnr,
                    score.ssim);
    assert_at_most (fabs (score.psnr - g_ascii_strtod (cell[2], NULL)), 1e-9);
    assert_at_most (fabs (score.ssim - g_ascii_strtod (cell[3], NULL)), 1e-9);
  }
  g_assert_cmpint (pairs, ==, 5);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/metric/identical", test_identical);
  g_test_add_func ("/metric/symmetric", test_symmetric);
  g_test_add_func ("/metric/shift", test_shift);
  g_test_add_func ("/metric/same-seen-otherwise", test_same_seen_otherwise);
  g_test_add_func ("/metric/ssim-equals-direct", test_ssim_equals_direct);
  g_test_add_func ("/metric/ms-ssim", test_ms_ssim);
  g_test_add_func ("/metric/masked", test_masked);
  g_test_add_func ("/metric/too-small-for-ssim", test_too_small_for_ssim);
  g_test_add_func ("/metric/sizes-differ", test_sizes_differ);
  g_test_add_func ("/metric/equals-scikit-image", test_equals_scikit_image);
  return g_test_run ();
}
