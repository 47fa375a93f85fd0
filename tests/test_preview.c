/* test_preview.c - parts of pictures, scaled down */
#include "imaging/preview.h"
#include "tests/pictures.h"
#include "tests/support.h"

#include <math.h>

/* What preview.h promises for one sample of an opaque picture, said again. */
static double
mean_of_block (const Image *image, const ImageArea *area, const Image *preview,
               int i, int j, int c)
{
  int x0 = i * area->width / preview->width;
  int x1 = (i + 1) * area->width / preview->width;
  int y0 = j * area->height / preview->height;
  int y1 = (j + 1) * area->height / preview->height;
  double sum = 0;

  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      sum += image_pixel (image, area->x + x, area->y + y)[c];
  return sum / (x1 - x0) / (y1 - y0) * 255 / image_peak (image);
}

static void
test_means (void)
{
  g_test_summary ("Every sample is the mean of those it stands for");

  for (int depth = 8; depth <= 16; depth += 8) {
    g_autoptr (Image) image = random_picture (61, 47, 3, depth);
    const ImageArea area = { 5, 7, 50, 33 };
    g_autoptr (Image) preview = image_preview (image, &area, 17, NULL);

    g_assert_cmpint (preview->width, ==, 17);
    g_assert_cmpint (preview->height, ==, 11);
    g_assert_cmpint (preview->depth, ==, 8);
    for (int j = 0; j < preview->height; j++)
      for (int i = 0; i < preview->width; i++)
        for (int c = 0; c < 3; c++)
          assert_at_most (
            fabs (image_pixel (preview, i, j)[c]
                  - mean_of_block (image, &area, preview, i, j, c)),
            0.5 + 1e-9);
  }
}

static void
test_crop (void)
{
  g_test_summary ("An area that is small enough comes as it is");

  g_autoptr (Image) image = random_picture (20, 20, 1, 8);
  const ImageArea area = { 3, 4, 9, 5 };
  g_autoptr (Image) preview = image_preview (image, &area, 100, NULL);

  g_assert_cmpint (preview->width, ==, 9);
  g_assert_cmpint (preview->height, ==, 5);
  for (int y = 0; y < 5; y++)
    for (int x = 0; x < 9; x++)
      g_assert_cmpuint (*image_pixel (preview, x, y), ==,
                        *image_pixel (image, x + 3, y + 4));
}

/* A transparent red pixel beside a white one: half of it can be seen, and
 * that is white. */
static void
test_alpha (void)
{
  const guint16 samples[] = { 255, 0, 0, 0, 255, 255, 255, 255 };
  const ImageArea area = { 0, 0, 2, 1 };
  g_autoptr (Image) image = image_new (2, 1, 4, 8, NULL);
  g_autoptr (Image) preview = NULL;

  memcpy (image->samples, samples, sizeof samples);
  preview = image_preview (image, &area, 1, NULL);
  g_assert_cmpint (preview->channels, ==, 4);
  for (int c = 0; c < 3; c++)
    g_assert_cmpuint (preview->samples[c], ==, 255);
  g_assert_cmpuint (preview->samples[3], ==, 128);
}

static void
test_key (void)
{
  g_test_summary ("The colour that stands for transparency becomes alpha");

  const ImageArea area = { 0, 0, 2, 1 };
  g_autoptr (Image) image = image_new (2, 1, 1, 4, NULL);
  g_autoptr (Image) preview = NULL;

  image->samples[1] = 15;
  image->meta.has_key = TRUE;
  preview = image_preview (image, &area, 2, NULL);
  g_assert_cmpint (preview->channels, ==, 2);
  g_assert_cmpuint (preview->samples[1], ==, 0);
  g_assert_cmpuint (preview->samples[2], ==, 255);
  g_assert_cmpuint (preview->samples[3], ==, 255);
}

/* However long and thin, there is always a pixel to show. */
static void
test_thin (void)
{
  const ImageArea area = { 0, 0, 5000, 1 };
  g_autoptr (Image) image = random_picture (5000, 1, 3, 8);
  g_autoptr (Image) preview = image_preview (image, &area, 10, NULL);

  g_assert_cmpint (preview->width, ==, 10);
  g_assert_cmpint (preview->height, ==, 1);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/preview/means", test_means);
  g_test_add_func ("/preview/crop", test_crop);
  g_test_add_func ("/preview/alpha", test_alpha);
  g_test_add_func ("/preview/key", test_key);
  g_test_add_func ("/preview/thin", test_thin);
  return g_test_run ();
}
