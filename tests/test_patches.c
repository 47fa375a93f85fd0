/* test_patches.c - patches cover what they should, and come back as they were
 */
#include "base/random.h"
#include "imaging/inpaint/patches.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

#define REACH 16

/* A picture of noise with holes. */
static Image *
noise_image (int width, int height)
{
  Image *image = image_new (width, height, 3, 8, NULL);

  for (gsize i = 0; i < 3 * image_pixels (image); i++)
    image->samples[i] = (guint16) random_below (1, 0, i, 256);
  return image;
}

static Mask *
holes (int width, int height, double share)
{
  Mask *mask = mask_new (width, height, NULL);

  for (int i = 0; i < width * height; i++)
    mask->missing[i] = random_uniform (5, 0, (guint64) i) < share;
  return mask;
}

/* ---- places ---- */

typedef struct {
  const Mask *mask;
  PlaceGrid grid;
  int shift;
  guint8 *is_place; /* how often each pixel was one */
} Found;

static gboolean
collect_places (RowWindow *window, int top, int bottom,
                const Progress *progress, gpointer data, GError **error)
{
  Found *found = data;
  g_autoptr (List) places =
    found->shift == 0
      ? patch_places (window, &found->grid, top, bottom, error)
      : patch_places_shifted (window, &found->grid, found->shift, top, bottom,
                              error);

  (void) progress;
  g_assert_nonnull (places);
  for (guint i = 0; i < places->len; i++) {
    Place place = list_at (places, Place, i);

    g_assert_cmpint (place.y, >=, top);
    g_assert_cmpint (place.y, <, bottom);
    found->is_place[place.y * window->width + place.x]++;
  }
  return TRUE;
}

static gboolean
patch_touches (const Mask *mask, int x0, int y0, int patch)
{
  for (int y = y0; y < MIN (y0 + patch, mask->height); y++)
    for (int x = x0; x < MIN (x0 + patch, mask->width); x++)
      if (mask->missing[y * mask->width + x])
        return TRUE;
  return FALSE;
}

static gboolean
on_grid (int at, int length, const PlaceGrid *grid, int shift)
{
  int last = MAX (0, length - grid->patch);

  return at <= last
         && (at == 0 || (at + shift) % grid->step == 0 || at == last);
}

/* By definition: every place of the grid, looked at pixel by pixel. */
static void
check_places (int width, int height, PlaceGrid grid, int shift, double share)
{
  g_autoptr (Image) image = noise_image (width, height);
  g_autoptr (Mask) mask = holes (width, height, share);
  g_autoptr (Canvas) canvas = canvas_new (image, mask, 3, REACH, NULL);
  g_autofree guint8 *is_place = g_malloc0 ((gsize) (width * height));
  Found found = { mask, grid, shift, is_place };

  g_assert_true (
    canvas_pass (canvas, PASS_MISSING, collect_places, &found, NULL, NULL));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      g_assert_cmpint (is_place[y * width + x], ==,
                       on_grid (x, width, &grid, shift)
                         && on_grid (y, height, &grid, shift)
                         && patch_touches (mask, x, y, grid.patch));
}

static void
test_places (void)
{
  const PlaceGrid grids[] = { { 10, 2 }, { 10, 3 }, { 8, 8 }, { 5, 1 } };
  const int sizes[][2] = { { 40, 30 }, { 10, 10 },   { 7, 23 },
                           { 1, 1 },   { 120, 300 }, { 300, 129 } };

  for (gsize g = 0; g < G_N_ELEMENTS (grids); g++)
    for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
      int shift = grids[g].step / 2;

      check_places (sizes[s][0], sizes[s][1], grids[g], 0, 0.0005);
      check_places (sizes[s][0], sizes[s][1], grids[g], 0, 0.01);
      check_places (sizes[s][0], sizes[s][1], grids[g], 0, 1);
      check_places (sizes[s][0], sizes[s][1], grids[g], shift, 0.01);
      check_places (sizes[s][0], sizes[s][1], grids[g], shift, 1);
    }
}

/* ---- out and back ---- */

enum { PATCH = 6 };

/* Gives every wanted sample, from any number of patches with any weights, the
 * value that its coordinates say. */
static gboolean
paint_coordinates (RowWindow *window, int top, int bottom,
                   const Progress *progress, gpointer data, GError **error)
{
  PlaceGrid grid = { PATCH, 2 };
  g_autoptr (List) places = patch_places (window, &grid, top, bottom, error);

  (void) progress, (void) data;
  g_assert_nonnull (places);
  for (guint i = 0; i < places->len; i++) {
    Place place = list_at (places, Place, i);

    for (int c = 0; c < window->channels; c++) {
      float y[PATCH * PATCH];

      for (int j = 0; j < PATCH * PATCH; j++)
        y[j] =
          (float) ((place.x + j % PATCH + 7 * (place.y + j / PATCH) + 50 * c)
                   % 256)
          / 255;
      patch_add (window, place, PATCH, c, y, 0.5f + (float) (i % 3));
    }
  }
  return TRUE;
}

static void
test_weighted_mean_comes_back (void)
{
  g_autoptr (Image) image = noise_image (45, 170);
  g_autoptr (Image) before = image_copy (image, NULL);
  g_autoptr (Mask) mask = holes (45, 170, 0.2);
  g_autoptr (Canvas) canvas = canvas_new (image, mask, 3, REACH, NULL);

  g_assert_cmpuint (canvas_unfilled (canvas), ==, mask_count (mask));
  g_assert_true (
    canvas_pass (canvas, PASS_UNFILLED, paint_coordinates, NULL, NULL, NULL));
  g_assert_cmpuint (canvas_unfilled (canvas), ==, 0);
  canvas_write_back (canvas, image);
  for (int y = 0; y < 170; y++)
    for (int x = 0; x < 45; x++)
      for (int c = 0; c < 3; c++)
        g_assert_cmpint (image_pixel (image, x, y)[c], ==,
                         mask->missing[y * 45 + x]
                           ? (x + 7 * y + 50 * c) % 256
                           : image_pixel (before, x, y)[c]);
}

/* What patches see: known samples as they are, the others as nothing. */
typedef struct {
  const Image *image;
  const Mask *mask;
} Scene;

static gboolean
check_patches (RowWindow *window, int top, int bottom,
               const Progress *progress, gpointer data, GError **error)
{
  const Scene *scene = data;
  PlaceGrid grid = { PATCH, 1 };
  g_autoptr (List) places = patch_places (window, &grid, top, bottom, error);

  (void) progress;
  g_assert_nonnull (places);
  for (guint i = 0; i < places->len; i++) {
    Place place = list_at (places, Place, i);
    float y[3 * PATCH * PATCH], w[3 * PATCH * PATCH];

    patch_get (window, place, PATCH, 0, 3, y, w);
    for (int j = 0; j < 3 * PATCH * PATCH; j++) {
      int px = place.x + j % PATCH, py = place.y + j / PATCH % PATCH;
      int c = j / PATCH / PATCH;
      gboolean known =
        px < window->width && py < window->height
        && !mask_hides (scene->mask->missing[py * window->width + px], c);
      float value = known ? image_pixel (scene->image, px, py)[c] : 0;

      g_assert_cmpfloat (w[j], ==, known ? 1 : 0);
      g_assert_cmpfloat_with_epsilon (y[j], value / 255, 1e-6f);
    }
  }
  return TRUE;
}

/* Also where only some channels are missing, and in pictures smaller than a
 * patch. */
static void
test_missing_samples_weigh_nothing (void)
{
  const int sizes[][2] = { { 150, 40 }, { 40, 150 }, { 4, 5 } };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    g_autoptr (Image) image = noise_image (sizes[s][0], sizes[s][1]);
    g_autoptr (Mask) mask = holes (sizes[s][0], sizes[s][1], 0.1);
    g_autoptr (Canvas) canvas = NULL;
    Scene scene = { image, mask };

    for (gsize i = 0; i < image_pixels (image); i += 7)
      mask->missing[i] |= MASK_CHANNEL (i % 3);
    canvas = canvas_new (image, mask, 3, REACH, NULL);
    g_assert_true (
      canvas_pass (canvas, PASS_MISSING, check_patches, &scene, NULL, NULL));
  }
}

/* A part of the picture is read, and what is missing in it becomes white, by
 * half where the whole pixel is missing and fully where a channel is known. */
static void
test_part_is_mixed (void)
{
  const int left = 5, top = 7, width = 21, height = 9;
  const MixShares shares = { .whole = 0.5f, .partial = 1 };
  g_autoptr (Image) image = noise_image (40, 30);
  g_autoptr (Image) before = image_copy (image, NULL);
  g_autoptr (Image) filled = image_copy (image, NULL);
  g_autoptr (Mask) mask = holes (40, 30, 0.2);
  g_autoptr (Canvas) canvas = NULL;
  g_autoptr (Planes) values = planes_new (width, height, 3, NULL);
  g_autoptr (Planes) known = planes_new (width, height, 3, NULL);

  for (gsize i = 0; i < image_pixels (image); i += 7)
    mask->missing[i] |= MASK_CHANNEL (i % 3);
  canvas = canvas_new (image, mask, 3, REACH, NULL);
  g_assert_true (canvas_fill_rest (canvas));
  canvas_write_back (canvas, filled);
  canvas_read (canvas, left, top, values, known);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++) {
        guint8 missing = mask->missing[(top + y) * 40 + left + x];

        g_assert_cmpfloat (*planes_at (known, c, x, y), ==,
                           mask_hides (missing, c) ? 0 : 1);
        g_assert_cmpint (
          planes_to_sample (image, *planes_at (values, c, x, y)), ==,
          image_pixel (filled, left + x, top + y)[c]);
        *planes_at (values, c, x, y) = 1;
      }
  canvas_mix (canvas, left, top, values, shares);
  canvas_write_back (canvas, image);
  for (int y = 0; y < 30; y++)
    for (int x = 0; x < 40; x++)
      for (int c = 0; c < 3; c++) {
        guint8 missing = mask->missing[y * 40 + x];
        int is = image_pixel (image, x, y)[c], peak = image_peak (image);
        int was = image_pixel (filled, x, y)[c];
        gboolean inside = x >= left && x < left + width && y >= top
                          && y < top + height;

        if (!mask_hides (missing, c))
          g_assert_cmpint (is, ==, image_pixel (before, x, y)[c]);
        else if (!inside)
          g_assert_cmpint (is, ==, was);
        else if (missing & MASK_PIXEL)
          assert_at_most (ABS (2 * is - was - peak), 2);
        else
          g_assert_cmpint (is, ==, peak);
      }
}

/* A sample that would move far moves by less: by the share, times the square
 * of the doubt over the distance. */
static void
test_far_values_are_doubted (void)
{
  const float distances[] = { 0.05f, 0.1f, 0.2f, 0.4f };

  for (gsize i = 0; i < G_N_ELEMENTS (distances); i++) {
    const MixShares shares = { .whole = 0.5f, .partial = 1, .doubt = 0.1f };
    float d = distances[i], confidence = MIN (1, 0.01f / (d * d));
    g_autoptr (Image) image = noise_image (40, 30);
    g_autoptr (Mask) mask = mask_new (40, 30, NULL);
    g_autoptr (Canvas) canvas = NULL;
    g_autoptr (Planes) values = planes_new (1, 1, 3, NULL);
    g_autoptr (Planes) known = planes_new (1, 1, 3, NULL);
    float was[3];

    mask->missing[15 * 40 + 20] = MASK_PIXEL;
    canvas = canvas_new (image, mask, 3, REACH, NULL);
    g_assert_true (canvas_fill_rest (canvas));
    canvas_read (canvas, 20, 15, values, known);
    for (int c = 0; c < 3; c++) {
      was[c] = *planes_at (values, c, 0, 0);
      *planes_at (values, c, 0, 0) = was[c] + (c == 1 ? -d : d);
    }
    canvas_mix (canvas, 20, 15, values, shares);
    canvas_read (canvas, 20, 15, values, known);
    for (int c = 0; c < 3; c++)
      assert_at_most (fabsf (*planes_at (values, c, 0, 0) - was[c]
                             - (c == 1 ? -1 : 1) * 0.5f * d * confidence),
                      1e-5);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/patches/places", test_places);
  g_test_add_func ("/patches/mean", test_weighted_mean_comes_back);
  g_test_add_func ("/patches/part-is-mixed", test_part_is_mixed);
  g_test_add_func ("/patches/doubt", test_far_values_are_doubted);
  g_test_add_func ("/patches/unknown", test_missing_samples_weigh_nothing);
  return g_test_run ();
}
