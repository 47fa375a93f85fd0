/* test_efforts.c - how much work a picture gets, by its size */
#include "dictlearn/convolutional/model.h"
#include "imaging/denoise/denoiseprivate.h"
#include "tests/support.h"

#include <math.h>

#define MEGA ((gsize) 1000000)

static void
test_share_is_smooth (void)
{
  const gsize most = 8 * MEGA;
  double before = 1;

  g_assert_cmpfloat (denoise_extra_share (1, most), ==, 1);
  g_assert_cmpfloat (denoise_extra_share (2 * MEGA, most), ==, 1);
  g_assert_cmpfloat (denoise_extra_share (most, most), ==, 0);
  g_assert_cmpfloat (denoise_extra_share (50 * MEGA, most), ==, 0);
  assert_at_most (fabs (denoise_extra_share (4 * MEGA, most) - 0.5), 1e-9);
  for (gsize pixels = MEGA; pixels < 10 * MEGA; pixels += MEGA / 20) {
    double share = denoise_extra_share (pixels, most);

    assert_at_most (share, before);
    assert_at_most (before - share, 0.02);
    before = share;
  }
}

/* Whether a dictionary that was learned takes part. */
static gboolean
is_learned (int width, NoiseKind kind, RestoreQuality quality)
{
  RestoreOptions options = { .quality = quality };
  FoundNoise noise = found_white_noise (3, 10);
  g_autoptr (Image) image = image_new (width, 1000, 3, 8, NULL);
  g_autoptr (Dictionary) dictionary = NULL;

  noise.kind = kind;
  dictionary = denoise_dictionary (image, &noise, &options, NULL);
  return dictionary->convolutional != NULL;
}

static void
test_even_noise_of_small_pictures_is_coded (void)
{
  g_assert_true (is_learned (500, NOISE_COLOURED, QUALITY_NORMAL));
  g_assert_true (is_learned (500, NOISE_JPEG, QUALITY_NORMAL));
  g_assert_false (is_learned (500, NOISE_COLOURED, QUALITY_FAST));
  g_assert_false (is_learned (2500, NOISE_COLOURED, QUALITY_NORMAL));
  g_assert_true (is_learned (500, NOISE_WHITE, QUALITY_FAST));
  g_assert_false (is_learned (2500, NOISE_WHITE, QUALITY_NORMAL));
  g_assert_true (is_learned (2500, NOISE_WHITE, QUALITY_BEST));
  g_assert_true (is_learned (2500, NOISE_COLOURED, QUALITY_BEST));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/efforts/share", test_share_is_smooth);
  g_test_add_func ("/efforts/coded",
                   test_even_noise_of_small_pictures_is_coded);
  return g_test_run ();
}
