/* test_area.c - a part of a picture is restored, and nothing outside changes */
#include "base/error.h"
#include "base/random.h"
#include "imaging/area.h"
#include "imaging/restore.h"
#include "tests/support.h"

#include <string.h>

#define WIDTH 340
#define HEIGHT 176

/* Away from all edges, and not on the grid of 16. */
static const ImageArea inner = { 131, 75, 45, 25 };

static gboolean
is_inside (const ImageArea *area, int x, int y)
{
  return x >= area->x && x < area->x + area->width && y >= area->y
         && y < area->y + area->height;
}

/* A third of the pixels everywhere, in the part and around it. */
static Mask *
scattered (int width, int height)
{
  Mask *mask = mask_new (width, height, NULL);

  for (int i = 0; i < width * height; i++)
    mask->missing[i] = random_uniform (3, 1, (guint64) i) < 0.33;
  return mask;
}

static void
assert_same_outside (const Image *a, const Image *b, const ImageArea *area)
{
  int size = a->channels * (int) sizeof *a->samples;

  for (int y = 0; y < a->height; y++)
    for (int x = 0; x < a->width; x++)
      if (!is_inside (area, x, y))
        g_assert_cmpmem (image_pixel (a, x, y), size, image_pixel (b, x, y),
                         size);
}

/* @part begins at @x, @y of @whole. */
static void
assert_same_inside (const Image *whole, const Image *part, int x, int y,
                    const ImageArea *area)
{
  int row = area->width * whole->channels * (int) sizeof *whole->samples;

  for (int i = 0; i < area->height; i++)
    g_assert_cmpmem (image_pixel (whole, area->x, area->y + i), row,
                     image_pixel (part, area->x - x, area->y - y + i), row);
}

static void
restore (Image *image, const Mask *mask, const ImageArea *area, double sigma,
         RestoreReport *report)
{
  RestoreOptions options = RESTORE_DEFAULTS;

  options.quality = QUALITY_FAST;
  options.sigma = sigma;
  if (area != NULL)
    options.area = *area;
  g_assert_true (image_restore (image, mask, &options, report, NULL, NULL));
}

static void
test_surroundings (void)
{
  g_test_summary ("Surroundings hold the part with a margin, on the grid of "
                  "JPEG from both sides, within the picture");

  for (guint64 i = 0; i < 500; i++) {
    int width = 1 + (int) random_below (1, 0, i, 2000);
    int height = 1 + (int) random_below (1, 1, i, 2000);
    ImageArea area = { .x = (int) random_below (1, 2, i, (guint64) width),
                       .y = (int) random_below (1, 3, i, (guint64) height) };
    ImageArea wide;
    int right, bottom;

    area.width =
      1 + (int) random_below (1, 4, i, (guint64) (width - area.x));
    area.height =
      1 + (int) random_below (1, 5, i, (guint64) (height - area.y));
    g_assert_true (area_check (&area, width, height, NULL));
    wide = area_with_surroundings (&area, width, height);
    right = width - wide.x - wide.width;
    bottom = height - wide.y - wide.height;
    g_assert_true (area_check (&wide, width, height, NULL));
    g_assert_true (wide.x % 16 == 0 && wide.y % 16 == 0 && right % 16 == 0
                   && bottom % 16 == 0);
    g_assert_cmpint (wide.x, <=, MAX (0, area.x - 64));
    g_assert_cmpint (wide.y, <=, MAX (0, area.y - 64));
    g_assert_cmpint (right, <=, MAX (0, width - area.x - area.width - 64));
    g_assert_cmpint (bottom, <=, MAX (0, height - area.y - area.height - 64));
  }
}

static void
test_part_is_restored_like_a_picture (void)
{
  g_test_summary ("Inside is what restoring the part with its surroundings "
                  "gives, outside what was there");

  for (int sigma = 0; sigma <= 12; sigma += 12) {
    g_autoptr (Image) before = load_photo_middle ("forest3", WIDTH, HEIGHT);
    g_autoptr (Image) image = image_copy (before, NULL);
    g_autoptr (Mask) mask = scattered (WIDTH, HEIGHT);
    ImageArea around = area_with_surroundings (&inner, WIDTH, HEIGHT);
    g_autoptr (Image) part = image_cut (image, &around, NULL);
    g_autoptr (Mask) part_mask = mask_cut (mask, &around, NULL);
    g_auto (RestoreReport) report = { 0 }, part_report = { 0 };

    restore (image, mask, &inner, sigma, &report);
    restore (part, part_mask, NULL, sigma, &part_report);
    assert_same_outside (image, before, &inner);
    assert_same_inside (image, part, around.x, around.y, &inner);
    g_assert_cmpuint (report.masked_pixels, ==, mask_count_in (mask, &inner));
    g_assert_cmpuint (report.masked_pixels, <, part_report.masked_pixels);
    g_assert_true (memcmp (image->samples, before->samples,
                           image_pixels (image) * 3 * sizeof (guint16))
                   != 0);
  }
}

/* Mean squared difference within @area. */
static double
difference_in (const Image *a, const Image *b, const ImageArea *area)
{
  double sum = 0;

  for (int y = area->y; y < area->y + area->height; y++)
    for (int i = 0; i < 3 * area->width; i++) {
      double d = (double) image_pixel (a, area->x, y)[i]
                 - image_pixel (b, area->x, y)[i];

      sum += d * d;
    }
  return sum / (3 * area->width * area->height);
}

/* Patches lie elsewhere in a part than in the whole, so that a little differs:
 * a tenth of the error of filling at most. */
static void
test_part_is_like_the_whole (void)
{
  g_test_summary ("Holes are filled nearly as if the whole picture were "
                  "worked on, and masked pixels around the part do not "
                  "matter");

  g_autoptr (Image) before = load_photo_middle ("forest3", WIDTH, HEIGHT);
  g_autoptr (Image) whole = image_copy (before, NULL);
  g_autoptr (Image) cropped = image_copy (before, NULL);
  g_autoptr (Image) scribbled = image_copy (before, NULL);
  g_autoptr (Mask) mask = mask_new (WIDTH, HEIGHT, NULL);
  g_auto (RestoreReport) report = { 0 };

  for (int y = 80; y < 110; y++)
    for (int x = 60; x < 180; x++)
      mask->missing[y * WIDTH + x] =
        random_uniform (1, 1, (guint64) (y * WIDTH + x)) < 0.3;
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    for (int c = 0; c < 3 && mask->missing[i]; c++)
      scribbled->samples[3 * i + c] = (guint16) (i % 256);
  restore (whole, mask, NULL, 0, &report);
  restore (cropped, mask, &inner, 0, &report);
  restore (scribbled, mask, &inner, 0, &report);
  assert_same_inside (cropped, scribbled, 0, 0, &inner);
  g_assert_cmpfloat (difference_in (cropped, whole, &inner), <,
                     0.1 * difference_in (cropped, before, &inner));
}

static void
test_found_in_the_part (void)
{
  g_test_summary ("What a detector finds outside of the part is not reported");

  g_autoptr (Image) image = load_photo_middle ("mountain5", WIDTH, HEIGHT);
  g_autoptr (Image) before = NULL;
  g_auto (RestoreReport) report = { 0 };
  RestoreOptions options = { .area = inner,
                             .detector = &detector_dead_pixels };

  for (int i = 0; i < WIDTH * HEIGHT; i += 37)
    for (int c = 0; c < 3; c++)
      image->samples[3 * i + c] = 0;
  before = image_copy (image, NULL);
  g_assert_true (image_restore (image, NULL, &options, &report, NULL, NULL));
  g_assert_cmpint (report.found->width, ==, WIDTH);
  g_assert_cmpint (report.found->height, ==, HEIGHT);
  g_assert_cmpuint (report.masked_pixels, >, 20);
  g_assert_cmpuint (report.masked_pixels, ==, mask_count (report.found));
  g_assert_cmpuint (report.masked_pixels, ==,
                    mask_count_in (report.found, &inner));
  assert_same_outside (image, before, &inner);
}

/* A picture with a palette of 16 greys. */
static Image *
palette_picture (void)
{
  Image *image = image_new (100, 90, 3, 8, NULL);
  ImagePalette *palette = g_new0 (ImagePalette, 1);

  palette->depth = 4;
  palette->entries = 16;
  palette->index = g_new0 (guint8, 9000);
  for (int i = 0; i < 16; i++)
    for (int c = 0; c < 4; c++)
      palette->colour[i][c] = c < 3 ? (guint8) (17 * i) : 255;
  for (int i = 0; i < 9000; i++) {
    palette->index[i] = (guint8) (i / 7 % 16);
    for (int c = 0; c < 3; c++)
      image->samples[3 * i + c] = (guint16) (17 * palette->index[i]);
  }
  image->palette = palette;
  return image;
}

static void
test_palette_and_alpha (void)
{
  g_test_summary ("A palette is cut with the pixels and stays with the "
                  "picture; only the part becomes opaque");

  const ImageArea area = { 20, 30, 40, 20 };
  g_autoptr (Image) image = palette_picture ();
  g_autoptr (Image) part = image_cut (image, &area, NULL);
  g_autoptr (Image) clear = image_new (10, 10, 2, 8, NULL);
  const ImageArea corner = { 7, 8, 3, 2 };
  int opaque = 0;

  for (int y = 0; y < 20; y++)
    g_assert_cmpmem (part->palette->index + y * 40, 40,
                     image->palette->index + (30 + y) * 100 + 20, 40);
  image_paste (image, &area, part, area.x, area.y);
  g_assert_nonnull (image->palette);
  image_make_opaque (clear, &corner);
  for (int y = 0; y < 10; y++)
    for (int x = 0; x < 10; x++) {
      gboolean is_opaque = image_pixel (clear, x, y)[1] == 255;

      opaque += is_opaque;
      g_assert_cmpint (is_opaque, ==, is_inside (&corner, x, y));
    }
  g_assert_cmpint (opaque, ==, 6);
}

static void
test_masks (void)
{
  g_test_summary ("Cutting, pasting, counting and keeping agree");

  g_autoptr (Mask) mask = scattered (50, 40);
  g_autoptr (Mask) other = mask_new (50, 40, NULL);
  const ImageArea area = { 11, 7, 20, 33 };
  g_autoptr (Mask) part = mask_cut (mask, &area, NULL);

  g_assert_cmpuint (mask_count (part), ==, mask_count_in (mask, &area));
  mask_paste (other, &area, part, area.x, area.y);
  mask_keep (mask, &area);
  g_assert_cmpmem (mask->missing, 2000, other->missing, 2000);
}

static void
test_outside_is_an_error (void)
{
  static const ImageArea wrong[] = { { 0, 0, 31, 1 },   { 30, 0, 1, 1 },
                                     { 0, 19, 1, 2 },   { -1, 0, 5, 5 },
                                     { 0, 0, 5, 0 },    { 1, 1, G_MAXINT, 1 },
                                     { G_MAXINT, 0, G_MAXINT, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (Image) image = image_new (30, 20, 1, 8, NULL);
    g_auto (RestoreReport) report = { 0 };
    RestoreOptions options = { .area = wrong[i], .sigma = 5 };
    g_autoptr (GError) error = NULL;

    g_assert_false (
      image_restore (image, NULL, &options, &report, NULL, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
    g_assert_nonnull (strstr (error->message, "30 x 20"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/area/surroundings", test_surroundings);
  g_test_add_func ("/area/part", test_part_is_restored_like_a_picture);
  g_test_add_func ("/area/whole", test_part_is_like_the_whole);
  g_test_add_func ("/area/found", test_found_in_the_part);
  g_test_add_func ("/area/palette", test_palette_and_alpha);
  g_test_add_func ("/area/masks", test_masks);
  g_test_add_func ("/area/errors", test_outside_is_an_error);
  return g_test_run ();
}
