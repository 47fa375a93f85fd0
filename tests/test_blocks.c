/* test_blocks.c - blacked-out blocks are found, night and shadow are left */
#include "base/random.h"
#include "imaging/damage/damage.h"
#include "imaging/detect/detect.h"
#include "tests/hits.h"
#include "tests/jpegs.h"
#include "tests/support.h"

static void
test_black_blocks (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++)
    for (int side = 3; side <= 20; side += 4) {
      g_autoptr (Image) photo = load_photo (photos[i]);
      g_autoptr (Mask) truth = NULL;
      DamageOptions options = { .block_side = side,
                                .block_count = 20,
                                .seed = i };
      g_autoptr (Image) damaged = image_damage (photo, &options, &truth, NULL);
      g_autoptr (Mask) mask = detector_blocks.find (damaged, 1, NULL, NULL);
      Hits hits = compare (mask, truth);

      g_assert_cmpfloat (hits.found, >=, 0.95);
      g_assert_cmpfloat (hits.false_alarms, ==, 0);
    }
}

static void
test_no_blocks_in_clean_photographs (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    g_autoptr (Mask) mask = detector_blocks.find (photo, 1, NULL, NULL);

    g_assert_cmpuint (mask_count (mask), ==, 0);
  }
}

/* Black of ragged outline that ends at once: a night sky over roofs. */
static Image *
night_over_roofs (guint64 seed)
{
  Image *image = image_new (160, 120, 3, 8, NULL);
  int roof = 60;

  for (int x = 0; x < image->width; x++) {
    roof += (int) random_below (seed, 0, (guint64) x, 5) - 2;
    for (int y = 0; y < image->height; y++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = y < roof ? 0 : 60;
  }
  return image;
}

static void
test_night_is_no_block (void)
{
  for (guint64 seed = 1; seed <= 10; seed++) {
    g_autoptr (Image) image = night_over_roofs (seed);
    g_autoptr (Mask) mask = detector_blocks.find (image, 1, NULL, NULL);

    g_assert_cmpuint (mask_count (mask), ==, 0);
  }
}

/* Blocks that a JPEG made ragged are still found. */
static void
test_blocks_in_jpeg (void)
{
  g_autoptr (Image) photo = load_photo ("city10");
  DamageOptions options = { .block_side = 10, .block_count = 20, .seed = 3 };
  g_autoptr (Mask) truth = NULL;
  g_autoptr (Image) damaged = image_damage (photo, &options, &truth, NULL);
  g_autoptr (Image) image = through_jpeg (damaged, 85);
  g_autoptr (Mask) mask = detector_blocks.find (image, 1, NULL, NULL);
  Hits hits = compare (mask, truth);

  g_test_message ("%.3f, false %.4f", hits.found, hits.false_alarms);
  g_assert_cmpfloat (hits.found, >=, 0.9);
}

/* A shadow that fades to black is no block, however large. */
static void
test_shadow_is_no_block (void)
{
  g_autoptr (Image) image = image_new (80, 60, 3, 8, NULL);
  g_autoptr (Mask) mask = NULL;

  for (int y = 0; y < 60; y++)
    for (int x = 0; x < 80; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = (guint16) MAX (0, x - 40);
  mask = detector_blocks.find (image, 1, NULL, NULL);
  g_assert_cmpuint (mask_count (mask), ==, 0);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/detect/blocks", test_black_blocks);
  g_test_add_func ("/detect/no-blocks", test_no_blocks_in_clean_photographs);
  g_test_add_func ("/detect/shadow", test_shadow_is_no_block);
  g_test_add_func ("/detect/night", test_night_is_no_block);
  g_test_add_func ("/detect/blocks-in-jpeg", test_blocks_in_jpeg);
  return g_test_run ();
}
