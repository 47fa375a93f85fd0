/* test_efforts.c - small pictures get more work, large ones what they got */
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

/* Noise of cameras and JPEGs, normal quality: more patches in the last pass
 * alone. */
static void
test_small_pictures_have_more_patches (void)
{
  const NoiseKind kinds[] = { NOISE_COLOURED, NOISE_JPEG };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    Effort small = denoise_effort (kinds[i], 3, MEGA, QUALITY_NORMAL);
    Effort large = denoise_effort (kinds[i], 3, 12 * MEGA, QUALITY_NORMAL);

    g_assert_cmpint (small.passes[1].least, >, large.passes[1].least);
    g_assert_cmpint (small.passes[1].similar, >, large.passes[1].similar);
    g_assert_cmpint (small.passes[0].least, ==, large.passes[0].least);
    g_assert_cmpint (small.passes[0].similar, ==, large.passes[0].similar);
  }
}

/* White noise in large pictures: less work, but not less than was asked for. */
static void
test_large_pictures_have_fewer_patches (void)
{
  for (int q = QUALITY_FAST; q <= QUALITY_BEST; q++) {
    Effort small = denoise_effort (NOISE_WHITE, 3, MEGA, q);
    Effort large = denoise_effort (NOISE_WHITE, 3, 12 * MEGA, q);
    int last = small.pass_count - 1;

    g_assert_cmpint (large.pass_count, ==, small.pass_count);
    if (q == QUALITY_BEST)
      g_assert_cmpint (large.passes[last].similar, ==,
                       small.passes[last].similar);
    else
      g_assert_cmpint (large.passes[last].similar, <,
                       small.passes[last].similar);
  }
}

/* Fast stays fast. */
static void
test_others_do_not_depend_on_size (void)
{
  const struct {
    NoiseKind kind;
    RestoreQuality quality;
  } cases[] = { { NOISE_JPEG, QUALITY_FAST },
                { NOISE_COLOURED, QUALITY_FAST } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Effort small =
      denoise_effort (cases[i].kind, 3, MEGA, cases[i].quality);
    Effort large =
      denoise_effort (cases[i].kind, 3, 12 * MEGA, cases[i].quality);
    int last = small.pass_count - 1;

    g_assert_cmpint (small.passes[last].least, ==, large.passes[last].least);
    g_assert_cmpint (small.passes[last].similar, ==,
                     large.passes[last].similar);
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
  g_test_add_func ("/efforts/small", test_small_pictures_have_more_patches);
  g_test_add_func ("/efforts/large", test_large_pictures_have_fewer_patches);
  g_test_add_func ("/efforts/others", test_others_do_not_depend_on_size);
  g_test_add_func ("/efforts/coded",
                   test_even_noise_of_small_pictures_is_coded);
  return g_test_run ();
}
