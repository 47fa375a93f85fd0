/* Candidates for dust, looked at again. */
#include "base/random.h"
#include "imaging/detect/spotlook.h"
#include "imaging/detect/spots.h"

#include <math.h>

enum { SIDE = 64, MIDDLE = 32, RADIUS = 4 };

/* A slope, which a membrane continues exactly. */
static double
slope_at (int x, int y, int c)
{
  return 40 + 2 * x + (1 - c) * y;
}

/* How much a disc covers of a pixel: its edge is a pixel wide. */
static double
cover_at (int x, int y)
{
  return CLAMP (RADIUS + 0.5 - hypot (x - MIDDLE, y - MIDDLE), 0, 1);
}

/* The slope, with a disc of that cover and shade. */
static Image *
make_picture (double cover, double shade)
{
  Image *image = image_new (SIDE, SIDE, 3, 16, NULL);

  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      for (int c = 0; c < 3; c++) {
        double a = cover * cover_at (x, y);

        image_pixel (image, x, y)[c] =
          (guint16) (257 * ((1 - a) * slope_at (x, y, c) + a * shade) + 0.5);
      }
  return image;
}

/* Adds the pixels that are covered by more than @least as a spot. */
static Spot *
add_disc (Spots *spots, double least)
{
  Spot spot = { .box = { MIDDLE - RADIUS, MIDDLE - RADIUS, 2 * RADIUS + 1,
                         2 * RADIUS + 1 } };

  for (int i = 0; i < SIDE * SIDE; i++)
    if (cover_at (i % SIDE, i / SIDE) > least) {
      gsize pixel = (gsize) i;

      list_append (spots->pixels, &pixel, 1);
      spot.count++;
    }
  list_append (spots->spots, &spot, 1);
  return &list_at (spots->spots, Spot, 0);
}

static void
test_blend (void)
{
  g_test_summary ("A look tells how much a spot covers, and its shade");

  for (int k = 2; k <= 9; k += 1) {
    double cover = 0.1 * k, shade = k % 2 ? 10 : 245;
    g_autoptr (Image) image = make_picture (cover, shade);
    g_auto (SpeckScene) scene = { 0 };
    g_auto (Spots) spots = { 0 };
    float f[SPOT_LOOKS];

    g_assert_true (speck_scene_init (&scene, image, NULL, NULL));
    spots_init (&spots, &scene);
    g_assert_true (spot_look (&spots, add_disc (&spots, 0.99), f));
    g_assert_cmpfloat (fabs (f[8] - (1 - cover)), <, 0.1);
    g_assert_cmpfloat (fabs (f[9] - shade), <, 25);
    g_assert_cmpfloat (f[10], <, 4);
  }
}

static void
test_outline (void)
{
  g_test_summary ("A spot is marked with its soft edge, and nothing else");

  for (int k = 3; k <= 9; k += 3) {
    g_autoptr (Image) image = make_picture (0.1 * k, 250);
    g_autoptr (Mask) mask = mask_new (SIDE, SIDE, NULL);
    g_auto (SpeckScene) scene = { 0 };
    g_auto (Spots) spots = { 0 };

    g_assert_true (speck_scene_init (&scene, image, NULL, NULL));
    spots_init (&spots, &scene);
    spot_mark (&spots, add_disc (&spots, 0.8), mask);
    for (int i = 0; i < SIDE * SIDE; i++) {
      double cover = cover_at (i % SIDE, i / SIDE);

      if (cover > 0.8)
        g_assert_true (mask->missing[i]);
      if (cover == 0)
        g_assert_false (mask->missing[i]);
    }
    /* Next to the middle of a side of the disc its cover is one half. */
    g_assert_true (mask->missing[MIDDLE * SIDE + MIDDLE + RADIUS]);
    g_assert_true (mask->missing[(MIDDLE - RADIUS) * SIDE + MIDDLE]);
  }
}

/* Squares at random places, with few scores so that some are equal. */
static void
add_squares (Spots *spots, guint64 seed, guint count)
{
  for (guint i = 0; i < count; i++) {
    int side = 2 + (int) (5 * random_uniform (seed, 1, i));
    int x = (int) ((SIDE - side) * random_uniform (seed, 2, i));
    int y = (int) ((SIDE - side) * random_uniform (seed, 3, i));
    Spot spot = { .start = spots->pixels->len,
                  .count = (guint) (side * side),
                  .box = { x, y, side, side },
                  .score = (int) (30 * random_uniform (seed, 4, i)) };

    for (int k = 0; k < side * side; k++) {
      gsize pixel = (gsize) ((y + k / side) * SIDE + x + k % side);

      list_append (spots->pixels, &pixel, 1);
    }
    list_append (spots->spots, &spot, 1);
  }
}

static guint
pixels_in (const Spots *spots, const Spot *spot, const guint8 *taken)
{
  guint count = 0;

  for (guint k = 0; k < spot->count; k++)
    count += taken[list_at (spots->pixels, gsize, spot->start + k)] != 0;
  return count;
}

static void
take (const Spots *spots, const Spot *spot, guint8 *taken)
{
  for (guint k = 0; k < spot->count; k++)
    taken[list_at (spots->pixels, gsize, spot->start + k)] = 1;
}

static void
test_best (void)
{
  g_test_summary ("Of spots that overlap the likeliest one is kept");

  for (guint64 seed = 1; seed <= 10; seed++) {
    g_autoptr (Image) image = make_picture (0, 0);
    g_autofree guint8 *taken = g_new0 (guint8, SIDE * SIDE);
    g_auto (SpeckScene) scene = { 0 };
    g_auto (Spots) spots = { 0 };
    g_autoptr (List) all = NULL;
    guint n = 0;

    g_assert_true (speck_scene_init (&scene, image, NULL, NULL));
    spots_init (&spots, &scene);
    add_squares (&spots, seed, 200);
    all = list_new (sizeof (Spot), NULL);
    list_append (all, spots.spots->data, spots.spots->len);
    g_assert_true (spots_keep_best (&spots, NULL));
    g_assert_cmpuint (spots.spots->len, <, all->len);
    /* Whoever is next by score, and then by place, stays unless more than a
     * quarter of it is taken. */
    for (int score = 30; score >= 0; score--)
      for (guint i = 0; i < all->len; i++) {
        const Spot *spot = &list_at (all, Spot, i);

        if (spot->score != score
            || 4 * pixels_in (&spots, spot, taken) > spot->count)
          continue;
        take (&spots, spot, taken);
        g_assert_cmpuint (n, <, spots.spots->len);
        g_assert_cmpuint (list_at (spots.spots, Spot, n++).start, ==,
                          spot->start);
      }
    g_assert_cmpuint (n, ==, spots.spots->len);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spots/blend", test_blend);
  g_test_add_func ("/spots/outline", test_outline);
  g_test_add_func ("/spots/best", test_best);
  return g_test_run ();
}
