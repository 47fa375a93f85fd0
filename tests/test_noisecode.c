/* test_noisecode.c - noise goes, the picture stays */
#include "base/error.h"
#include "base/parallel.h"
#include "dictlearn/starts.h"
#include "imaging/damage.h"
#include "imaging/metric.h"
#include "imaging/noisecode.h"
#include "tests/support.h"

#include <string.h>

static Image *
add_noise (const Image *clean, double sigma)
{
  DamageOptions options = { .noise = sigma, .seed = 3 };

  return image_damage (clean, &options, NULL, NULL);
}

static double
psnr (const Image *clean, const Image *image)
{
  ImageScore score;

  g_assert_true (image_score (clean, image, NULL, &score, NULL));
  return score.psnr;
}

static void
remove_noise (Image *image, const Dictionary *dictionary, double sigma,
              int step)
{
  g_autoptr (GError) error = NULL;

  image_remove_noise (image, dictionary, sigma, step, NULL, &error);
  g_assert_no_error (error);
}

/* With more overlap more of it goes. */
static void
test_noise_goes (void)
{
  g_autoptr (Image) clean = load_photo_middle ("badlands5", 90, 70);
  g_autoptr (Dictionary) dct = dictionary_dct (8, 3);
  const int steps[] = { 8, 2 };

  for (double sigma = 10; sigma <= 40; sigma *= 2) {
    g_autoptr (Image) noisy = add_noise (clean, sigma);
    double last = psnr (clean, noisy) + 3;

    for (gsize i = 0; i < G_N_ELEMENTS (steps); i++) {
      g_autoptr (Image) image = image_copy (noisy, NULL);

      remove_noise (image, dct, sigma, steps[i]);
      g_assert_cmpfloat (psnr (clean, image), >, last);
      last = psnr (clean, image);
    }
  }
}

/* A picture of few cosines comes back where nothing may be left. */
static void
test_exact (void)
{
  g_autoptr (Dictionary) dct = dictionary_dct (8, 3);
  g_autoptr (Image) image = image_new (32, 24, 3, 16, NULL);
  g_autoptr (Image) before = NULL;

  for (int y = 0; y < 24; y++)
    for (int x = 0; x < 32; x++)
      for (int c = 0; c < 3; c++) {
        float wave = *matf_at (&dct->atoms, y % 8 * 8 + x % 8, 5);

        image_pixel (image, x, y)[c] = (guint16) (30000 + 40000 * wave);
      }
  before = image_copy (image, NULL);
  remove_noise (image, dct, 0, 8);
  for (gsize i = 0; i < image_pixels (image) * 3; i++)
    assert_at_most (ABS (image->samples[i] - before->samples[i]), 2);
}

/* Dictionaries of one channel and of three, for pictures of each kind. */
static void
test_kinds (void)
{
  g_autoptr (Image) photo = load_photo_middle ("badlands5", 40, 30);

  for (int channels = 1; channels <= 4; channels++)
    for (int colours = 1; colours <= 3; colours += 2) {
      g_autoptr (Dictionary) dct = dictionary_dct (6, colours);
      g_autoptr (Image) clean = image_new (40, 30, channels, 8, NULL);
      g_autoptr (Image) noisy = NULL;
      double before;

      for (gsize i = 0; i < image_pixels (clean); i++)
        for (int c = 0; c < channels; c++)
          clean->samples[i * (gsize) channels + (gsize) c] =
            photo->samples[3 * i + (gsize) (c % 3)];
      noisy = add_noise (clean, 25);
      before = psnr (clean, noisy);
      remove_noise (noisy, dct, 25, 2);
      g_assert_cmpfloat (psnr (clean, noisy), >, before + 2);
      for (gsize i = 0; image_has_alpha (clean) && i < image_pixels (clean);
           i++)
        g_assert_cmpint (noisy->samples[(i + 1) * (gsize) channels - 1], ==,
                         clean->samples[(i + 1) * (gsize) channels - 1]);
    }
}

static void
test_threads (void)
{
  g_autoptr (Image) one = load_photo_middle ("badlands5", 80, 60);
  g_autoptr (Image) two = image_copy (one, NULL);
  g_autoptr (Dictionary) dct = dictionary_dct (8, 3);

  parallel_init (1);
  remove_noise (one, dct, 20, 1);
  parallel_init (2);
  remove_noise (two, dct, 20, 1);
  g_assert_cmpmem (one->samples, 80 * 60 * 6, two->samples, 80 * 60 * 6);
}

static void
test_errors (void)
{
  g_autoptr (Image) small = load_photo_middle ("badlands5", 7, 30);
  g_autoptr (Image) image = load_photo_middle ("badlands5", 20, 30);
  g_autoptr (Image) before = image_copy (image, NULL);
  g_autoptr (Dictionary) dct = dictionary_dct (8, 3);
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  Progress progress = { .cancellable = cancelled };
  g_autoptr (GError) error = NULL;

  g_assert_false (image_remove_noise (small, dct, 20, 2, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  g_cancellable_cancel (cancelled);
  g_assert_false (image_remove_noise (image, dct, 20, 2, &progress, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
  g_assert_cmpmem (image->samples, 20 * 30 * 6, before->samples, 20 * 30 * 6);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/noisecode/goes", test_noise_goes);
  g_test_add_func ("/noisecode/exact", test_exact);
  g_test_add_func ("/noisecode/kinds", test_kinds);
  g_test_add_func ("/noisecode/threads", test_threads);
  g_test_add_func ("/noisecode/errors", test_errors);
  return g_test_run ();
}
