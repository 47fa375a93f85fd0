/* test_damage.c - damage is what was asked for, and the same for a seed */
#include "imaging/damage/damage.h"

#include "base/error.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

/* A picture without black; alpha, where there is one, differs by pixel. */
static Image *
clean_image (int width, int height, int channels, int depth)
{
  GError *error = NULL;
  Image *image = image_new (width, height, channels, depth, &error);
  int peak = image_peak (image);

  g_assert_no_error (error);
  for (gsize i = 0; i < image_pixels (image) * (gsize) channels; i++)
    image->samples[i] = (guint16) (1 + i * 7 % (gsize) peak);
  return image;
}

static Image *
damaged (const Image *image, const DamageOptions *options, Mask **mask)
{
  GError *error = NULL;
  Image *copy = image_damage (image, options, mask, &error);

  g_assert_no_error (error);
  g_assert_nonnull (copy);
  return copy;
}

static gsize
count_marked (const Mask *mask, gsize n)
{
  gsize count = 0;

  for (gsize i = 0; i < n; i++) {
    g_assert_cmpuint (mask->missing[i], <=, 1);
    count += mask->missing[i];
  }
  return count;
}

static gboolean
same_samples (const Image *a, const Image *b)
{
  return memcmp (a->samples, b->samples,
                 image_pixels (a) * (gsize) a->channels * sizeof *a->samples)
         == 0;
}

/* Marked pixels have no colour, all others those of @before; alpha stays. */
static void
assert_black_where_marked (const Image *before, const Image *after,
                           const Mask *mask)
{
  for (gsize i = 0; i < image_pixels (before); i++)
    for (int c = 0; c < before->channels; c++) {
      gsize sample = i * (gsize) before->channels + (gsize) c;
      gboolean is_alpha = c >= image_colours (before);
      int expected =
        mask->missing[i] && !is_alpha ? 0 : before->samples[sample];

      g_assert_cmpint (after->samples[sample], ==, expected);
    }
}

static void
test_nothing (void)
{
  g_autoptr (Image) image = clean_image (20, 10, 3, 8);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Image) copy = damaged (image, &DAMAGE_DEFAULTS, &mask);

  g_assert_true (same_samples (image, copy));
  g_assert_cmpuint (count_marked (mask, 200), ==, 0);
}

static void
test_missing_is_exact (void)
{
  g_test_summary ("round (f n) pixels are lost, colours only");

  static const double shares[] = { 0, 0.001, 0.25, 0.5, 0.999, 1 };

  for (int channels = 1; channels <= 4; channels++)
    for (gsize s = 0; s < G_N_ELEMENTS (shares); s++) {
      g_autoptr (Image) image = clean_image (37, 23, channels, 8);
      DamageOptions options = { .missing = shares[s], .seed = s };
      g_autoptr (Mask) mask = NULL;
      g_autoptr (Image) copy = damaged (image, &options, &mask);

      g_assert_cmpuint (count_marked (mask, 37 * 23), ==,
                        (guint64) round (shares[s] * 37 * 23));
      assert_black_where_marked (image, copy, mask);
    }
}

static void
test_missing_is_uniform (void)
{
  g_test_summary ("Over many seeds, each pixel is lost equally often");

  enum { WIDTH = 8, HEIGHT = 5, N = WIDTH * HEIGHT, SEEDS = 4000 };
  g_autoptr (Image) image = clean_image (WIDTH, HEIGHT, 1, 8);
  int lost[N] = { 0 };

  for (guint64 seed = 0; seed < SEEDS; seed++) {
    DamageOptions options = { .missing = 0.3, .seed = seed };
    g_autoptr (Mask) mask = NULL;
    g_autoptr (Image) copy = damaged (image, &options, &mask);

    assert_black_where_marked (image, copy, mask);
    for (int i = 0; i < N; i++)
      lost[i] += mask->missing[i];
  }
  /* Five standard deviations of a binomial. */
  for (int i = 0; i < N; i++)
    assert_at_most (fabs (lost[i] - 0.3 * SEEDS),
                    5 * sqrt (0.3 * 0.7 * SEEDS));
}

static void
test_blocks (void)
{
  g_test_summary ("Blocks are squares inside the picture without overlap, "
                  "and reach its borders");

  gboolean at_left = FALSE, at_right = FALSE;

  for (guint64 seed = 0; seed < 50; seed++) {
    g_autoptr (Image) image = clean_image (100, 80, 4, 16);
    DamageOptions options = { .block_side = 10,
                              .block_count = 36,
                              .seed = seed };
    g_autoptr (Mask) mask = NULL;
    g_autoptr (Image) copy = damaged (image, &options, &mask);

    g_assert_cmpuint (count_marked (mask, 8000), ==, 36 * 100);
    assert_black_where_marked (image, copy, mask);
    for (int y = 0; y < 80; y++) {
      at_left |= mask->missing[y * 100];
      at_right |= mask->missing[y * 100 + 99];
    }
  }
  g_assert_true (at_left);
  g_assert_true (at_right);
}

static void
test_crowded_blocks (void)
{
  g_test_summary ("Whatever number of blocks can fit does fit");

  g_autoptr (Image) image = clean_image (67, 45, 3, 8);

  for (int count = 1; count <= 6 * 4; count++) {
    DamageOptions options = { .block_side = 11, .block_count = count };
    g_autoptr (Mask) mask = NULL;
    g_autoptr (Image) copy = damaged (image, &options, &mask);

    g_assert_cmpuint (count_marked (mask, 67 * 45), ==, 121 * count);
    assert_black_where_marked (image, copy, mask);
  }
}

static void
test_block_as_large_as_the_picture (void)
{
  g_autoptr (Image) image = clean_image (12, 12, 3, 8);
  DamageOptions options = { .block_side = 12, .block_count = 1 };
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Image) copy = damaged (image, &options, &mask);

  g_assert_cmpuint (count_marked (mask, 144), ==, 144);
  assert_black_where_marked (image, copy, mask);
}

static void
test_noise_moments (void)
{
  g_test_summary ("Noise has mean zero and the deviation asked for, scaled "
                  "with the range; alpha stays");

  for (int depth = 8; depth <= 16; depth += 8) {
    const int side = 200;
    g_autoptr (Image) image = clean_image (side, side, 4, depth);
    DamageOptions options = { .noise = 25, .seed = 4 };
    int middle = (image_peak (image) + 1) / 2; /* nothing is clipped there */
    double sum = 0, squares = 0, n = 3. * side * side;

    for (gsize i = 0; i < image_pixels (image); i++)
      for (int c = 0; c < 3; c++)
        image->samples[4 * i + (gsize) c] = (guint16) middle;
    g_autoptr (Image) copy = damaged (image, &options, NULL);
    for (gsize i = 0; i < image_pixels (image); i++) {
      for (int c = 0; c < 3; c++) {
        double error = (copy->samples[4 * i + (gsize) c] - middle) * 255.
                       / image_peak (image);

        sum += error;
        squares += error * error;
      }
      g_assert_cmpint (copy->samples[4 * i + 3], ==,
                       image->samples[4 * i + 3]);
    }
    /* Five standard errors; rounding adds 1/12 to the variance at 8 bit. */
    assert_at_most (fabs (sum / n), 5 * 25 / sqrt (n));
    assert_at_most (fabs (squares / n - 625), 5 * 625 * sqrt (2 / n) + 0.1);
  }
}

static void
test_noise_is_clipped (void)
{
  g_test_summary ("Strong noise makes black and white, at any depth");

  static const int depths[] = { 1, 2, 4, 8, 16 };

  for (gsize d = 0; d < G_N_ELEMENTS (depths); d++) {
    g_autoptr (Image) image = clean_image (50, 50, 1, depths[d]);
    DamageOptions options = { .noise = 1e6 };
    g_autoptr (Image) copy = damaged (image, &options, NULL);
    int black = 0, white = 0;

    for (gsize i = 0; i < image_pixels (image); i++) {
      g_assert_cmpint (copy->samples[i], <=, image_peak (image));
      black += copy->samples[i] == 0;
      white += copy->samples[i] == image_peak (image);
    }
    g_assert_cmpint (black, >, 1000);
    g_assert_cmpint (white, >, 1000);
  }
}

static void
test_order (void)
{
  g_test_summary ("Black is painted over noise, and the noise does not depend "
                  "on what is painted");

  g_autoptr (Image) image = clean_image (60, 50, 3, 8);
  DamageOptions noise = { .noise = 20, .seed = 8 };
  DamageOptions all = {
    .noise = 20, .missing = 0.3, .block_side = 7, .block_count = 9, .seed = 8
  };
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Image) noisy = damaged (image, &noise, NULL);
  g_autoptr (Image) worst = damaged (image, &all, &mask);
  gsize marked = count_marked (mask, 3000);

  assert_black_where_marked (noisy, worst, mask);
  /* 900 pixels and 441 in blocks, some of them both. */
  g_assert_cmpuint (marked, >, 900);
  g_assert_cmpuint (marked, <=, 900 + 441);
}

static void
test_palette_is_dropped (void)
{
  g_autoptr (Image) image = clean_image (6, 5, 3, 8);
  DamageOptions options = { .noise = 10 };

  image->palette = g_new0 (ImagePalette, 1);
  image->palette->depth = 8;
  image->palette->entries = 1;
  image->palette->index = g_new0 (guint8, 30);
  g_autoptr (Image) copy = damaged (image, &options, NULL);

  g_assert_null (copy->palette);
  g_assert_nonnull (image->palette);
}

static void
test_samples (void)
{
  g_test_summary ("Exactly that share of the samples is lost, each for itself, "
                  "and the mask says which");

  g_autoptr (Image) image = clean_image (40, 30, 3, 8);
  g_autoptr (Mask) mask = NULL;
  DamageOptions options = { .samples = 0.4, .seed = 3 };
  g_autoptr (Image) copy = damaged (image, &options, &mask);
  int lost = 0;

  for (gsize i = 0; i < image_pixels (image); i++)
    for (int c = 0; c < 3; c++) {
      gboolean hidden = mask_hides (mask->missing[i], c);

      lost += hidden;
      g_assert_cmpint (copy->samples[3 * i + (gsize) c], ==,
                       hidden ? 0 : image->samples[3 * i + (gsize) c]);
    }
  g_assert_cmpint (lost, ==, 40 * 30 * 3 * 4 / 10);
  g_assert_true (mask_is_partial (mask));
}

static void
test_unclipped (void)
{
  g_test_summary ("Unclipped noise keeps its mean and deviation on black and "
                  "white, and the way back is exact without noise");

  g_autoptr (Image) image = clean_image (64, 64, 1, 8);
  DamageOptions options = { .noise = 25, .unclipped = TRUE, .seed = 5 };
  double scale = damage_unclipped_scale (&options), sum = 0, squares = 0;
  gsize n = image_pixels (image);

  for (gsize i = 0; i < n; i++)
    image->samples[i] = i % 2 == 0 ? 0 : 255;
  g_autoptr (Image) copy = damaged (image, &options, NULL);
  for (gsize i = 0; i < n; i++) {
    double x = (copy->samples[i] / 65535. - (1 - scale) / 2) / scale;
    double noise = 255 * x - image->samples[i];

    sum += noise;
    squares += noise * noise;
  }
  g_assert_cmpint (copy->depth, ==, 16);
  assert_at_most (fabs (sum / (double) n), 4 * 25 / sqrt ((double) n));
  assert_at_most (fabs (sqrt (squares / (double) n) - 25),
                  4 * 25 / sqrt (2. * (double) n));

  g_autoptr (Image) plain = clean_image (20, 20, 3, 8);
  DamageOptions none = { .unclipped = TRUE };
  g_autoptr (Image) moved = damaged (plain, &none, NULL);
  g_autoptr (Image) back = damage_restore_range (moved, &none, 8, NULL);

  g_assert_true (same_samples (plain, back));
}

static void
test_seeds (void)
{
  g_autoptr (Image) image = clean_image (60, 50, 3, 8);
  DamageOptions options = {
    .noise = 5, .missing = 0.1, .block_side = 5, .block_count = 4, .seed = 1
  };
  g_autoptr (Image) first = damaged (image, &options, NULL);
  g_autoptr (Image) again = damaged (image, &options, NULL);

  g_assert_true (same_samples (first, again));
  options.seed = 2;
  g_autoptr (Image) other = damaged (image, &options, NULL);
  g_assert_false (same_samples (first, other));
}

static void
test_wrong_options (void)
{
  static const DamageOptions wrong[] = {
    { .missing = -0.1 },
    { .missing = 1.1 },
    { .missing = NAN },
    { .samples = -0.1 },
    { .samples = 1.1 },
    { .noise = -1 },
    { .noise = NAN },
    { .noise = INFINITY },
    { .block_side = 5 },
    { .block_count = 5 },
    { .block_side = -5, .block_count = 5 },
    { .block_side = 5, .block_count = -5 },
    { .block_side = 21, .block_count = 1 }, /* higher than the picture */
    { .block_side = 5, .block_count = 25 }, /* more than its area */
    { .block_side = 1, .block_count = G_MAXINT },
  };
  g_autoptr (Image) image = clean_image (30, 20, 3, 8);

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;
    Mask *mask = NULL;

    g_assert_null (image_damage (image, &wrong[i], &mask, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
    g_assert_null (mask);
  }
}

/* Amounts in the forms of all kinds: each kind takes one at least, and what it
 * takes does something to a picture. */
static void
test_kinds (void)
{
  static const char *const amounts[] = { "0.5", "3x4" };
  static const char *const nonsense[] = { "", "0", "-1", "x", "0.5x", "3x",
                                          "3x4x5", "3x-4", "nan", "1e9" };
  g_autoptr (Image) image = clean_image (40, 30, 3, 8);

  for (int k = 0; damage_kinds[k] != NULL; k++) {
    int taken = 0;

    for (gsize i = 0; i < G_N_ELEMENTS (nonsense); i++) {
      DamageOptions options = DAMAGE_DEFAULTS;

      g_assert_false (damage_kinds[k]->parse (nonsense[i], &options));
    }
    for (gsize i = 0; i < G_N_ELEMENTS (amounts); i++) {
      DamageOptions options = DAMAGE_DEFAULTS;
      g_autofree char *words = NULL;
      g_autoptr (Image) copy = NULL;
      g_autoptr (Mask) mask = NULL;

      if (!damage_kinds[k]->parse (amounts[i], &options))
        continue;
      taken++;
      words = damage_kinds[k]->describe (&options);
      g_assert_cmpstr (words, !=, "");
      copy = damaged (image, &options, &mask);
      g_assert_false (copy->depth == image->depth
                      && same_samples (copy, image));
      g_assert_true ((mask_count (mask) > 0)
                     == (damage_kinds[k]->lose != NULL));
    }
    g_assert_cmpint (taken, >, 0);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/damage/nothing", test_nothing);
  g_test_add_func ("/damage/missing-is-exact", test_missing_is_exact);
  g_test_add_func ("/damage/missing-is-uniform", test_missing_is_uniform);
  g_test_add_func ("/damage/blocks", test_blocks);
  g_test_add_func ("/damage/crowded-blocks", test_crowded_blocks);
  g_test_add_func ("/damage/block-as-large-as-the-picture",
                   test_block_as_large_as_the_picture);
  g_test_add_func ("/damage/noise-moments", test_noise_moments);
  g_test_add_func ("/damage/noise-is-clipped", test_noise_is_clipped);
  g_test_add_func ("/damage/order", test_order);
  g_test_add_func ("/damage/palette-is-dropped", test_palette_is_dropped);
  g_test_add_func ("/damage/samples", test_samples);
  g_test_add_func ("/damage/unclipped", test_unclipped);
  g_test_add_func ("/damage/seeds", test_seeds);
  g_test_add_func ("/damage/wrong-options", test_wrong_options);
  g_test_add_func ("/damage/kinds", test_kinds);
  return g_test_run ();
}
