/* test_patches.c - patches cover what they should, and come back as they were
 */
#include "base/random.h"
#include "imaging/patches.h"
#include "tests/support.h"

#include <string.h>

/* The places by definition: every grid place, looked at pixel by pixel. */
static gboolean
patch_touches (const guint8 *touch, int width, int height, Place place,
               int patch)
{
  for (int y = place.y; y < place.y + patch; y++)
    for (int x = place.x; x < place.x + patch; x++)
      if (x >= 0 && y >= 0 && x < width && y < height && touch[y * width + x])
        return TRUE;
  return FALSE;
}

static void
check_places (int width, int height, const PlaceGrid *grid, double share)
{
  g_autofree guint8 *touch = g_new0 (guint8, width * height);
  g_autofree guint8 *covered = g_new0 (guint8, width * height);
  g_autofree guint8 *is_place = g_new0 (guint8, (width + 20) * (height + 20));
  g_autoptr (GArray) places = NULL;

  for (int i = 0; i < width * height; i++)
    touch[i] = random_uniform (5, 0, (guint64) i) < share;
  places = patch_places (touch, width, height, grid);
  for (guint i = 0; i < places->len; i++) {
    Place place = g_array_index (places, Place, i);

    g_assert_true (patch_touches (touch, width, height, place, grid->patch));
    is_place[(place.y + 10) * (width + 20) + place.x + 10]++;
    for (int y = MAX (0, place.y); y < MIN (place.y + grid->patch, height);
         y++)
      for (int x = MAX (0, place.x); x < MIN (place.x + grid->patch, width);
           x++)
        covered[y * width + x] = 1;
  }
  for (int i = 0; i < (width + 20) * (height + 20); i++)
    g_assert_cmpint (is_place[i], <=, 1);
  for (int i = 0; i < width * height; i++)
    g_assert_true (!touch[i] || covered[i]);
  /* No place of the regular grid is left out. */
  for (int y = -grid->margin; y <= height - grid->patch; y += grid->step)
    for (int x = -grid->margin; x <= width - grid->patch; x += grid->step)
      if (patch_touches (touch, width, height, (Place){ x, y }, grid->patch))
        g_assert_cmpint (is_place[(y + 10) * (width + 20) + x + 10], ==, 1);
}

static void
test_places (void)
{
  const PlaceGrid grids[] = { { 10, 2, 0 }, { 10, 3, 0 }, { 8, 8, 0 },
                              { 5, 1, 0 },  { 10, 3, 4 }, { 10, 10, 9 } };
  const int sizes[][2] = { { 40, 30 }, { 10, 10 }, { 7, 23 }, { 1, 1 } };

  for (gsize g = 0; g < G_N_ELEMENTS (grids); g++)
    for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
      check_places (sizes[s][0], sizes[s][1], &grids[g], 0.01);
      check_places (sizes[s][0], sizes[s][1], &grids[g], 1);
    }
}

/* Taking all patches out and adding them back, with any weights, divided by
 * the sum of the weights, is the picture. */
static void
test_out_and_back (void)
{
  enum { W = 23, H = 17, C = 3, PATCH = 6 };
  g_autoptr (Planes) planes = planes_new (W, H, C, NULL);
  g_autoptr (Planes) trust = planes_new (W, H, C, NULL);
  g_autoptr (Planes) sum = planes_new (W, H, C, NULL);
  g_autoptr (Planes) weights = planes_new (W, H, C, NULL);
  g_autofree guint8 *touch = g_malloc0 (W * H);
  PlaceGrid grid = { PATCH, 2, 3 };
  g_autoptr (GArray) places = NULL;
  float y[PATCH * PATCH * C], w[PATCH * PATCH * C];

  memset (touch, 1, W * H);
  for (gsize i = 0; i < planes_samples (planes); i++) {
    planes->data[i] = (float) random_uniform (1, 0, i);
    trust->data[i] = 1;
  }
  places = patch_places (touch, W, H, &grid);
  for (guint i = 0; i < places->len; i++) {
    Place place = g_array_index (places, Place, i);

    patch_get (planes, trust, place, PATCH, 0, C, y, w);
    patch_add (sum, weights, place, PATCH, 0, C, y, 0.5f + (float) (i % 3));
  }
  for (gsize i = 0; i < planes_samples (planes); i++) {
    g_assert_cmpfloat (weights->data[i], >, 0);
    g_assert_cmpfloat_with_epsilon (sum->data[i] / weights->data[i],
                                    planes->data[i], 1e-5f);
  }
}

static void
test_untrusted_and_outside_weigh_nothing (void)
{
  g_autoptr (Planes) planes = planes_new (4, 4, 1, NULL);
  g_autoptr (Planes) trust = planes_new (4, 4, 1, NULL);
  float y[16], w[16];

  for (int i = 0; i < 16; i++) {
    planes->data[i] = 7;
    trust->data[i] = i % 2 == 0 ? 1 : 0;
  }
  patch_get (planes, trust, (Place){ -2, 1 }, 4, 0, 1, y, w);
  for (int row = 0; row < 4; row++)
    for (int col = 0; col < 4; col++) {
      int px = col - 2, py = row + 1;
      gboolean known = px >= 0 && py < 4 && (py * 4 + px) % 2 == 0;

      g_assert_cmpfloat (w[row * 4 + col], ==, known ? 1 : 0);
      g_assert_cmpfloat (y[row * 4 + col], ==, known ? 7 : 0);
    }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/patches/places", test_places);
  g_test_add_func ("/patches/out-and-back", test_out_and_back);
  g_test_add_func ("/patches/unknown",
                   test_untrusted_and_outside_weigh_nothing);
  return g_test_run ();
}
