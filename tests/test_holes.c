/* test_holes.c - holes of any size stay within what is around them */
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/inpaint/activity.h"
#include "imaging/inpaint/bounds.h"
#include "imaging/inpaint/ground.h"
#include "imaging/inpaint/region.h"
#include "imaging/inpaint/texturesearch.h"
#include "imaging/restore.h"
#include "tests/support.h"

#include <gio/gio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hides a disc, and overwrites it with white: what is under a mask must not
 * matter. */
static Mask *
hide_disc (Image *image, int x, int y, int diameter)
{
  Mask *mask = mask_new (image->width, image->height, NULL);

  for (int row = 0; row < image->height; row++)
    for (int col = 0; col < image->width; col++)
      if (hypot (col - x, row - y) <= diameter / 2.) {
        mask->missing[(gsize) row * (gsize) image->width + (gsize) col] = 1;
        for (int c = 0; c < image->channels; c++)
          image_pixel (image, col, row)[c] = (guint16) image_peak (image);
      }
  return mask;
}

/* Pixel @i with colour @c is known and within 50 pixels of the hole. */
static gboolean
is_near (const Mask *mask, gsize i, const guint8 *near)
{
  return !mask->missing[i] && near[i];
}

/* What lies within 50 pixels of @mask, by brute force over its edge. */
static guint8 *
near_hole (const Mask *mask)
{
  guint8 *near = g_malloc0 ((gsize) mask->width * (gsize) mask->height);

  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++) {
      gsize i = (gsize) y * (gsize) mask->width + (gsize) x;
      gboolean edge =
        mask->missing[i]
        && (x == 0 || x == mask->width - 1 || y == 0 || y == mask->height - 1
            || !mask->missing[i - 1] || !mask->missing[i + 1]
            || !mask->missing[i - (gsize) mask->width]
            || !mask->missing[i + (gsize) mask->width]);

      if (!edge)
        continue;
      for (int row = MAX (0, y - 50); row <= MIN (y + 50, mask->height - 1);
           row++)
        for (int col = MAX (0, x - 50); col <= MIN (x + 50, mask->width - 1);
             col++)
          if (hypot (row - y, col - x) <= 50)
            near[(gsize) row * (gsize) mask->width + (gsize) col] = 1;
    }
  return near;
}

/* No filled sample is more than 5 levels outside the range of what is known
 * near the hole. */
static void
assert_in_range (const Image *image, const Mask *mask)
{
  g_autofree guint8 *near = near_hole (mask);
  int leeway = 5 * image_peak (image) / 255;

  for (int c = 0; c < image_colours (image); c++) {
    int least = G_MAXINT, most = 0;

    for (gsize i = 0; i < image_pixels (image); i++)
      if (is_near (mask, i, near)) {
        int sample = image->samples[i * (gsize) image->channels + (gsize) c];

        least = MIN (least, sample);
        most = MAX (most, sample);
      }
    for (gsize i = 0; i < image_pixels (image); i++)
      if (mask_hides (mask->missing[i], c)) {
        int sample = image->samples[i * (gsize) image->channels + (gsize) c];

        g_assert_cmpint (sample, >=, least - leeway);
        g_assert_cmpint (sample, <=, most + leeway);
      }
  }
}

static void
assert_known_untouched (const Image *before, const Image *after,
                        const Mask *mask)
{
  for (gsize i = 0; i < image_pixels (before); i++)
    if (!mask->missing[i])
      g_assert_cmpmem (before->samples + i * (gsize) before->channels,
                       (gsize) before->channels * sizeof (guint16),
                       after->samples + i * (gsize) after->channels,
                       (gsize) after->channels * sizeof (guint16));
}

static void
restore (Image *image, const Mask *mask, const RestoreOptions *options)
{
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (GError) error = NULL;

  image_restore (image, mask, options, &report, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report.masked_pixels, ==, mask_count (mask));
}

static void
test_discs_stay_in_range (void)
{
  static const char *const photos[] = { "city10", "forest3", "snow4" };

  g_test_summary ("Discs of many sizes get values like those around them");
  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++)
    for (int diameter = 40; diameter <= 130; diameter += 45) {
      g_autoptr (Image) image = load_photo (photos[i]);
      g_autoptr (Mask) mask =
        hide_disc (image, image->width / 2, image->height / 2, diameter);
      g_autoptr (Image) before = image_copy (image, NULL);
      RestoreOptions options = RESTORE_DEFAULTS;

      options.quality = QUALITY_FAST;
      restore (image, mask, &options);
      assert_in_range (image, mask);
      assert_known_untouched (before, image, mask);
    }
}

static void
test_hidden_pixels_do_not_matter (void)
{
  g_autoptr (Image) white = load_photo ("canyon7");
  g_autoptr (Mask) mask = hide_disc (white, 70, 70, 70);
  g_autoptr (Image) black = image_copy (white, NULL);
  RestoreOptions options = RESTORE_DEFAULTS;

  g_test_summary ("What stands under the mask has no influence");
  options.quality = QUALITY_FAST;
  for (gsize i = 0; i < image_pixels (black); i++)
    if (mask->missing[i])
      memset (black->samples + i * 3, 0, 3 * sizeof (guint16));
  restore (white, mask, &options);
  restore (black, mask, &options);
  g_assert_true (memcmp (white->samples, black->samples,
                         image_pixels (white) * 3 * sizeof (guint16))
                 == 0);
}

/* ---- thickness ---- */

static Image *
grey_image (int width, int height, int value)
{
  Image *image = image_new (width, height, 1, 8, NULL);

  for (gsize i = 0; i < image_pixels (image); i++)
    image->samples[i] = (guint16) value;
  return image;
}

static void
test_lines_are_not_thick (void)
{
  g_autoptr (Image) image = grey_image (200, 120, 90);
  g_autoptr (Mask) mask = hide_disc (image, 60, 60, 50);
  g_autoptr (Thickness) thickness = NULL;

  g_test_summary ("A line that leads into a disc is no part of what is thick");
  for (int x = 0; x < 200; x++)
    for (int y = 57; y < 63; y++)
      mask->missing[y * 200 + x] = 1;
  thickness = thickness_new (image, mask, NULL);
  g_assert_true (thickness_next (thickness, NULL));
  g_assert_cmpint (thickness->chosen.x, >=, 60 - 28);
  g_assert_cmpint (thickness->chosen.x + thickness->chosen.width, <=, 60 + 29);
  g_assert_false (thickness_next (thickness, NULL));
}

static void
test_lost_channels_are_not_thick (void)
{
  g_autoptr (Image) image = image_new (120, 90, 3, 8, NULL);
  g_autoptr (Mask) mask = mask_new (120, 90, NULL);
  g_autoptr (Thickness) thickness = NULL;

  g_test_summary ("Where pixels keep a colour, patches have something to see");
  memset (image->samples, 0, 120 * 90 * 3 * sizeof (guint16));
  for (gsize i = 0; i < 120 * 90; i++) {
    int left = (int) random_below (5, 0, i, 3);

    for (int c = 0; c < 3; c++)
      if (c != left)
        mask->missing[i] |= MASK_CHANNEL (c);
  }
  thickness = thickness_new (image, mask, NULL);
  g_assert_false (thickness_next (thickness, NULL));
  memset (mask->missing + 120 * 30, MASK_PIXEL, 120 * 40);
  thickness_free (thickness);
  thickness = thickness_new (image, mask, NULL);
  g_assert_true (thickness_next (thickness, NULL));
  g_assert_cmpint (thickness->chosen.y, >=, 30);
  g_assert_cmpint (thickness->chosen.y + thickness->chosen.height, <=, 70);
}

static void
test_depth_is_distance (void)
{
  g_autoptr (Image) image = grey_image (101, 101, 90);
  g_autoptr (Mask) mask = hide_disc (image, 50, 50, 80);
  g_autoptr (Thickness) thickness = thickness_new (image, mask, NULL);

  g_test_summary ("Depth is the distance to what is known, within 8 %");
  for (int y = 10; y < 90; y++)
    for (int x = 10; x < 90; x++) {
      double distance = MAX (0, 40 - hypot (x - 50, y - 50));
      double depth = thickness->depth[y * 101 + x] / 3.;

      g_assert_cmpfloat (fabs (depth - distance), <=, 0.08 * distance + 1.5);
    }
}

/* ---- ground ---- */

static Region *
region_of (const Image *image, const Mask *mask, Thickness **thickness)
{
  *thickness = thickness_new (image, mask, NULL);
  g_assert_true (thickness_next (*thickness, NULL));
  return region_new (image, mask, *thickness, NULL);
}

static void
test_ground_of_constant_is_constant (void)
{
  g_autoptr (Image) image = grey_image (150, 150, 90);
  g_autoptr (Mask) mask = hide_disc (image, 70, 80, 110);
  g_autoptr (Thickness) thickness = NULL;
  g_autoptr (Region) region = region_of (image, mask, &thickness);

  g_assert_true (region_lay_ground (region, NULL, NULL));
  for (gsize i = 0; i < region_pixels (region); i++)
    g_assert_cmpfloat (fabsf (region->values[i] - 90 / 255.f), <=, 1e-5);
}

static void
test_ground_of_ramp_is_ramp (void)
{
  g_autoptr (Image) image = grey_image (160, 160, 0);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Thickness) thickness = NULL;
  g_autoptr (Region) region = NULL;

  g_test_summary ("A plane is a membrane: the ground of a ramp is near it");
  for (int y = 0; y < 160; y++)
    for (int x = 0; x < 160; x++)
      *image_pixel (image, x, y) = (guint16) (40 + x);
  mask = hide_disc (image, 80, 80, 60);
  region = region_of (image, mask, &thickness);
  g_assert_true (region_lay_ground (region, NULL, NULL));
  for (int y = 0; y < region->height; y++)
    for (int x = 0; x < region->width; x++) {
      double value = region->values[y * region->width + x];

      g_assert_cmpfloat (fabs (255 * value - 40 - x - region->x), <=, 6);
    }
}

static void
test_nothing_known_is_an_error (void)
{
  g_autoptr (Image) image = grey_image (80, 80, 90);
  g_autoptr (Mask) mask = mask_new (80, 80, NULL);
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  RestoreOptions options = RESTORE_DEFAULTS;

  memset (mask->missing, 1, 80 * 80);
  g_assert_false (
    image_restore (image, mask, &options, &report, NULL, &error));
  g_assert_nonnull (error);
  g_assert_cmpint (*image_pixel (image, 3, 3), ==, 90);
}

static void
test_nearly_all_missing (void)
{
  g_autoptr (Image) image = grey_image (300, 200, 90);
  g_autoptr (Mask) mask = mask_new (300, 200, NULL);
  RestoreOptions options = RESTORE_DEFAULTS;

  g_test_summary ("One known pixel colours all");
  memset (mask->missing, 1, 300 * 200);
  mask->missing[77 * 300 + 200] = 0;
  for (gsize i = 0; i < 300 * 200; i++)
    image->samples[i] = mask->missing[i] ? 255 : 90;
  restore (image, mask, &options);
  for (gsize i = 0; i < 300 * 200; i++)
    g_assert_cmpint (ABS (image->samples[i] - 90), <=, 5);
}

/* ---- texture ---- */

/* Along a ramp with a hole in it, the picture changes by the slope everywhere,
 * and across it not at all. */
static void
test_activity_of_ramp_is_slope (void)
{
  const int side = 120;
  g_autoptr (Image) image = image_new (side, side, 1, 8, NULL);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Thickness) thickness = NULL;
  g_autoptr (Region) region = NULL;
  g_autofree float *activity = g_new (float, side *side * ACTIVITY_CHANNELS);

  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      *image_pixel (image, x, y) = (guint16) (2 * x);
  mask = hide_disc (image, 60, 60, 70);
  thickness = thickness_new (image, mask, NULL);
  g_assert_true (thickness_next (thickness, NULL));
  region = region_new (image, mask, thickness, NULL);
  g_assert_cmpuint (region_pixels (region), ==, side * side);
  g_assert_true (region_measure_activity (region, activity, NULL, NULL));
  for (gsize i = 0; i < region_pixels (region); i++) {
    assert_at_most (fabs (activity[2 * i] - 2. / 255), 1e-5);
    assert_at_most (fabs (activity[2 * i + 1]), 1e-5);
  }
}

/* Stripes across a picture, and the mean difference of a flat fill from them. */
#define STRIPES 90
#define FLAT (STRIPES * 2 / G_PI)

static Image *
striped_image (int width, int height)
{
  Image *image = image_new (width, height, 3, 8, NULL);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          (guint16) (128
                     + STRIPES * sin ((x + y / 3. + 5 * c) * 6.2831853 / 11));
  return image;
}

/* Mean of the absolute differences of the samples that @mask names. */
static double
mean_difference (const Image *a, const Image *b, const Mask *mask)
{
  double sum = 0;

  for (gsize i = 0; i < image_pixels (a); i++)
    for (gsize c = 0; mask->missing[i] && c < 3; c++)
      sum += abs (a->samples[3 * i + c] - b->samples[3 * i + c]);
  return sum / 3 / (double) mask_count (mask);
}

static void
test_texture_goes_on (void)
{
  g_autoptr (Image) clean = striped_image (240, 200);

  /* Of the difference that a flat fill has. */
  const double most[] = {
    [FILL_AUTO] = 0.25, [FILL_SMOOTH] = 0.85, [FILL_TEXTURE] = 0.06
  };

  g_test_summary ("Stripes go on through a hole of many stripes");
  for (int fill = FILL_AUTO; fill <= FILL_TEXTURE; fill++) {
    g_autoptr (Image) image = image_copy (clean, NULL);
    g_autoptr (Mask) mask = hide_disc (image, 120, 100, 70);
    RestoreOptions options = RESTORE_DEFAULTS;

    options.quality = QUALITY_FAST;
    options.fill = (ThickFill) fill;
    restore (image, mask, &options);
    assert_at_most (mean_difference (image, clean, mask), most[fill] * FLAT);
  }
}

/* Which of the left and the right edge patches may be copied from, in a
 * picture of 100 x 100 with a frame of @frame pixels and a hole from column
 * @x0 to @x1. */
static void
find_edge_sources (int frame, int x0, int x1, gboolean edges[2])
{
  guint8 hole[100 * 100] = { 0 };
  float values[100 * 100];
  TextureLevel level = { 100, 100, 1, values, hole, hole, NULL, NULL };
  TextureSearch s = { 0 };
  int across = level.width - TEXTURE_SIDE + 1;

  for (int y = 0; y < 100; y++)
    for (int x = 0; x < 100; x++) {
      int i = 100 * y + x, inside = MIN (MIN (x, 99 - x), MIN (y, 99 - y));

      hole[i] = y >= 40 && y < 60 && x >= x0 && x < x1;
      values[i] = 0.5f;
      if (inside >= frame)
        values[i] = (float) random_uniform (1, 2, (guint64) i);
    }
  g_assert_true (texture_search_init (&s, &level));
  edges[0] = edges[1] = FALSE;
  for (int i = 0; i < s.source_count; i++) {
    edges[0] |= s.sources[i] % across == 0;
    edges[1] |= s.sources[i] % across == across - 1;
  }
  texture_search_clear (&s);
}

static void
test_frames_stay_at_the_edge (void)
{
  gboolean edges[2];

  g_test_summary ("A frame is copied only into holes that reach it");
  find_edge_sources (2, 40, 60, edges);
  g_assert_false (edges[0] || edges[1]);
  find_edge_sources (2, 0, 20, edges);
  g_assert_true (edges[0] && !edges[1]);
  find_edge_sources (2, 80, 100, edges);
  g_assert_true (edges[1] && !edges[0]);
  find_edge_sources (0, 40, 60, edges);
  g_assert_true (edges[0] && edges[1]);
}

/* Stops the work once it is past @stop; knows the largest step before. */
typedef struct {
  GCancellable *cancellable;
  double stop, done, step;
} Watch;

static void
watch_progress (double done, gpointer data)
{
  Watch *watch = data;

  g_assert_cmpfloat (done, >=, watch->done);
  watch->step = MAX (watch->step, done - watch->done);
  watch->done = done;
  if (done > watch->stop)
    g_cancellable_cancel (watch->cancellable);
}

static void
test_large_hole_can_be_stopped (void)
{
  g_autoptr (Image) clean = striped_image (300, 300);
  g_autoptr (Image) image = image_copy (clean, NULL);
  g_autoptr (Mask) mask = hide_disc (image, 150, 150, 200);
  g_autoptr (Image) before = image_copy (image, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Watch watch = { cancellable, 0.3, 0, 0 };
  const Progress progress = { watch_progress, &watch, cancellable };
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  RestoreOptions options = RESTORE_DEFAULTS;

  g_test_summary ("Texture moves the bar by small steps, and can be stopped");
  g_assert_false (
    image_restore (image, mask, &options, &report, &progress, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
  g_assert_cmpfloat (watch.step, <, 0.05);
  g_assert_cmpfloat (watch.done, <, 0.35);
  g_assert_cmpmem (image->samples, 300 * 300 * 3 * sizeof (guint16),
                   before->samples, 300 * 300 * 3 * sizeof (guint16));
}

/* A picture of one row or column, and a hole that reaches three borders. */
static void
test_shapes (void)
{
  static const struct {
    int width, height, channels, depth;
  } shapes[] = {
    { 300, 1, 3, 8 }, { 1, 300, 1, 8 }, { 120, 90, 2, 16 }, { 90, 9, 4, 16 }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++) {
    int width = shapes[i].width, height = shapes[i].height;
    g_autoptr (Image) image = image_new (width, height, shapes[i].channels,
                                         shapes[i].depth, NULL);
    g_autoptr (Image) before = NULL;
    g_autoptr (Mask) mask = mask_new (width, height, NULL);
    gsize n = (gsize) image->channels;
    int colours = image_colours (image);
    RestoreOptions options = RESTORE_DEFAULTS;

    for (gsize k = 0; k < image_pixels (image) * n; k++)
      image->samples[k] =
        (guint16) (image_peak (image) / 2 + (int) (k * 7 % 40));
    for (gsize k = 0; k < image_pixels (image); k++) {
      gboolean first_half = width > 1 ? k % (gsize) width < (gsize) width / 2
                                      : k < (gsize) height / 2;

      mask->missing[k] = first_half ? 1 : 0;
    }
    before = image_copy (image, NULL);
    restore (image, mask, &options);
    for (gsize k = 0; k < image_pixels (image) * n; k++)
      if (!mask->missing[k / n] || (int) (k % n) >= colours)
        g_assert_cmpint (image->samples[k], ==, before->samples[k]);
    assert_in_range (image, mask);
  }
}

static gboolean
same_samples (const Image *a, const Image *b)
{
  return memcmp (a->samples, b->samples,
                 image_pixels (a) * (gsize) a->channels * sizeof (guint16))
         == 0;
}

static void
test_threads_and_seeds (void)
{
  g_autoptr (Image) first = load_photo ("forest3");
  g_autoptr (Mask) mask = hide_disc (first, 75, 75, 60);
  g_autoptr (Image) again = image_copy (first, NULL);
  g_autoptr (Image) other = image_copy (first, NULL);
  RestoreOptions options = RESTORE_DEFAULTS;
  int threads = parallel_threads ();

  g_test_summary ("Same bytes for any number of threads, others by seed");
  options.quality = QUALITY_FAST;
  options.seed = 5;
  restore (first, mask, &options);
  parallel_init (threads == 1 ? 3 : 1);
  restore (again, mask, &options);
  parallel_init (threads);
  g_assert_true (same_samples (first, again));
  options.seed = 6;
  restore (other, mask, &options);
  g_assert_false (same_samples (first, other));
}

static void
test_bounds (void)
{
  g_autoptr (Image) image = grey_image (120, 90, 100);
  g_autoptr (Mask) mask = mask_new (120, 90, NULL);

  g_test_summary ("Far values are drawn in, those that are near are left");
  for (int x = 10; x < 110; x++) {
    mask->missing[40 * 120 + x] = 1;
    *image_pixel (image, x, 40) = (guint16) (x % 2 ? 255 : 103);
  }
  g_assert_true (image_bound_fill (image, mask, NULL, NULL));
  for (int x = 10; x < 110; x++)
    g_assert_cmpint (*image_pixel (image, x, 40), ==, x % 2 ? 104 : 103);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/holes/discs", test_discs_stay_in_range);
  g_test_add_func ("/holes/hidden", test_hidden_pixels_do_not_matter);
  g_test_add_func ("/holes/thickness/lines", test_lines_are_not_thick);
  g_test_add_func ("/holes/thickness/channels",
                   test_lost_channels_are_not_thick);
  g_test_add_func ("/holes/thickness/depth", test_depth_is_distance);
  g_test_add_func ("/holes/ground/constant",
                   test_ground_of_constant_is_constant);
  g_test_add_func ("/holes/ground/ramp", test_ground_of_ramp_is_ramp);
  g_test_add_func ("/holes/all-missing", test_nothing_known_is_an_error);
  g_test_add_func ("/holes/nearly-all-missing", test_nearly_all_missing);
  g_test_add_func ("/holes/bounds", test_bounds);
  g_test_add_func ("/holes/activity", test_activity_of_ramp_is_slope);
  g_test_add_func ("/holes/texture/stripes", test_texture_goes_on);
  g_test_add_func ("/holes/texture/frames", test_frames_stay_at_the_edge);
  g_test_add_func ("/holes/texture/stop", test_large_hole_can_be_stopped);
  g_test_add_func ("/holes/shapes", test_shapes);
  g_test_add_func ("/holes/texture/threads", test_threads_and_seeds);
  return g_test_run ();
}
