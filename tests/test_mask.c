/* test_mask.c - masks from pictures, colours and alpha */
#include "base/random.h"
#include "imaging/mask.h"
#include "tests/support.h"

#include <math.h>

static void
test_picture_and_back (void)
{
  g_autoptr (Mask) mask = mask_new (13, 7, NULL);
  g_autoptr (Image) picture = NULL;
  g_autoptr (Mask) back = NULL;

  for (int i = 0; i < 13 * 7; i += 3)
    mask->missing[i] = 1;
  picture = mask_to_picture (mask, NULL);
  back = mask_from_picture (picture, MASK_AUTO, NULL);
  g_assert_cmpmem (mask->missing, 13 * 7, back->missing, 13 * 7);
  g_assert_cmpuint (mask_count (mask), ==, 31);
}

static void
test_grey_is_seen_through (void)
{
  static const guint8 whole[] = { 0, MASK_PIXEL, MASK_PIXEL | MASK_THROUGH };
  static const int depths[] = { 8, 16 };

  g_test_summary ("What may be looked at survives being written; grey of a "
                  "soft brush means nothing");
  for (int partial = 0; partial <= 1; partial++) {
    g_autoptr (Mask) mask = mask_new (13, 7, NULL);
    g_autoptr (Image) picture = NULL;
    g_autoptr (Mask) back = NULL;
    g_autoptr (Mask) soft = NULL;

    for (int i = 0; i < 13 * 7; i++)
      mask->missing[i] =
        (guint8) (partial && i < 3 ? MASK_CHANNEL (i) : whole[i % 3]);
    picture = mask_to_picture (mask, NULL);
    back = mask_from_picture (picture, MASK_AUTO, NULL);
    g_assert_cmpmem (mask->missing, 13 * 7, back->missing, 13 * 7);
    picture->samples[0] = 3;
    soft = mask_from_picture (picture, MASK_AUTO, NULL);
    g_assert_false (mask_has_through (soft));
  }
  for (gsize k = 0; k < G_N_ELEMENTS (depths); k++) {
    g_autoptr (Image) picture = image_new (2, 1, 1, depths[k], NULL);
    g_autoptr (Mask) mask = NULL;

    picture->samples[1] = depths[k] == 8 ? 128 : 128 * 257;
    mask = mask_from_picture (picture, MASK_AUTO, NULL);
    g_assert_cmpmem (mask->missing, 2, "\0\21", 2);
    picture->meta.format = TESSERA_JPEG;
    mask_free (mask);
    mask = mask_from_picture (picture, MASK_AUTO, NULL);
    g_assert_cmpmem (mask->missing, 2, "\0\1", 2);
  }
}

/* A few marks of all kinds. */
static Mask *
random_marks (int width, int height, guint64 seed)
{
  static const guint8 kinds[] = { MASK_PIXEL, MASK_PIXEL | MASK_THROUGH,
                                  MASK_CHANNEL (0), MASK_CHANNEL (2) };
  Mask *mask = mask_new (width, height, NULL);

  for (int i = 0; i < 6; i++) {
    int x = (int) (random_uniform (seed, 1, (guint64) i) * width);
    int y = (int) (random_uniform (seed, 2, (guint64) i) * height);
    int side = 1 + i % 4;

    for (int v = y; v < MIN (y + side, height); v++)
      for (int u = x; u < MIN (x + side, width); u++)
        mask->missing[v * width + u] = kinds[i % 4];
  }
  return mask;
}

static void
test_widened (void)
{
  const int width = 41, height = 37;
  static const int reaches[] = { 0, 1, 2, 5, MASK_MOST_WIDENED };

  g_test_summary ("A wider mark has what is at most reach + 1/2 from it, and "
                  "hides all unless each mark that is near lets through");
  for (gsize k = 0; k < G_N_ELEMENTS (reaches); k++) {
    g_autoptr (Mask) mask = random_marks (width, height, k);
    g_autoptr (Mask) wide = mask_widened (mask, reaches[k], NULL);
    double most = reaches[k] + 0.5;

    for (int i = 0; i < width * height; i++) {
      guint8 expected = 0;

      for (int j = 0; j < width * height; j++)
        if (hypot (i % width - j % width, i / width - j / width) <= most)
          expected = mask_both (expected, mask->missing[j]);
      g_assert_cmpint (wide->missing[i], ==, expected);
    }
  }
}

/* The faintest grey counts in a PNG, only bright ones in a JPEG, and nothing
 * that is transparent. */
static void
test_what_counts (void)
{
  g_autoptr (Image) picture = image_new (4, 1, 4, 8, NULL);
  const guint16 samples[] = { 0,   0, 1, 255, 0,   127, 0,   255,
                              128, 0, 0, 255, 255, 255, 255, 0 };
  g_autoptr (Mask) png = NULL;
  g_autoptr (Mask) jpeg = NULL;

  for (int i = 0; i < 16; i++)
    picture->samples[i] = samples[i];
  png = mask_from_picture (picture, MASK_TOGETHER, NULL);
  picture->meta.format = TESSERA_JPEG;
  jpeg = mask_from_picture (picture, MASK_TOGETHER, NULL);
  g_assert_cmpmem (png->missing, 4, "\1\1\1\0", 4);
  g_assert_cmpmem (jpeg->missing, 4, "\0\0\1\0", 4);
}

/* Red strokes mean whole pixels; red, green and blue noise does not. */
static void
test_channels (void)
{
  g_autoptr (Image) picture = image_new (5, 1, 3, 8, NULL);
  const guint16 samples[] = { 255, 0, 0, 0, 9, 0, 0, 0, 0, 1, 1, 1, 8, 8, 0 };
  const guint8 separate[] = { MASK_CHANNEL (0), MASK_CHANNEL (1), 0,
                              MASK_PIXEL,
                              MASK_CHANNEL (0) | MASK_CHANNEL (1) };
  g_autoptr (Mask) painted = NULL;
  g_autoptr (Mask) said = NULL;
  g_autoptr (Mask) seen = NULL;

  for (int i = 0; i < 15; i++)
    picture->samples[i] = samples[i];
  painted = mask_from_picture (picture, MASK_AUTO, NULL);
  g_assert_cmpmem (painted->missing, 5, "\1\1\0\1\1", 5);
  g_assert_false (mask_is_partial (painted));
  said = mask_from_picture (picture, MASK_SEPARATE, NULL);
  g_assert_cmpmem (said->missing, 5, separate, 5);
  g_assert_true (mask_is_partial (said));
  picture->samples[8] = 255;
  seen = mask_from_picture (picture, MASK_AUTO, NULL);
  g_assert_cmpint (seen->missing[2], ==, MASK_CHANNEL (2));
}

static void
test_colour (void)
{
  const guint8 red[3] = { 255, 0, 0 }, grey[3] = { 85, 85, 85 };
  g_autoptr (Image) colour = image_new (3, 1, 3, 8, NULL);
  g_autoptr (Image) two_bits = image_new (4, 1, 1, 2, NULL);
  g_autoptr (Mask) reds = NULL;
  g_autoptr (Mask) near_reds = NULL;
  g_autoptr (Mask) greys = NULL;

  colour->samples[0] = 255;
  colour->samples[3] = 250;
  colour->samples[5] = 6;
  reds = mask_from_colour (colour, red, NULL);
  colour->meta.format = TESSERA_JPEG;
  near_reds = mask_from_colour (colour, red, NULL);
  g_assert_cmpmem (reds->missing, 3, "\1\0\0", 3);
  g_assert_cmpmem (near_reds->missing, 3, "\1\1\0", 3);
  for (guint16 i = 0; i < 4; i++)
    two_bits->samples[i] = i;
  greys = mask_from_colour (two_bits, grey, NULL);
  g_assert_cmpmem (greys->missing, 4, "\0\1\0\0", 4);
}

static void
test_alpha_and_union (void)
{
  g_autoptr (Image) image = image_new (3, 1, 2, 16, NULL);
  g_autoptr (Mask) alpha = NULL;
  g_autoptr (Mask) other = mask_new (3, 1, NULL);

  image->samples[1] = 65535;
  image->samples[3] = 1;
  alpha = mask_from_alpha (image, NULL);
  g_assert_cmpmem (alpha->missing, 3, "\0\0\1", 3);
  other->missing[0] = 1;
  mask_add (alpha, other);
  g_assert_cmpmem (alpha->missing, 3, "\1\0\1", 3);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/mask/widened", test_widened);
  g_test_add_func ("/mask/grey", test_grey_is_seen_through);
  g_test_add_func ("/mask/picture", test_picture_and_back);
  g_test_add_func ("/mask/what-counts", test_what_counts);
  g_test_add_func ("/mask/channels", test_channels);
  g_test_add_func ("/mask/colour", test_colour);
  g_test_add_func ("/mask/alpha", test_alpha_and_union);
  return g_test_run ();
}
