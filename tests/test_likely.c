/* Dust as the network sees it. */
#include "base/random.h"
#include "imaging/detect/likely.h"
#include "imaging/detect/speckregion.h"

#include <math.h>

enum { SIDE = 60, MOST_AWAY = 3 };

/* A picture of one grey, half of whose pixels are transparent; its spots have
 * scores that are set by hand. */
typedef struct {
  Image *image;
  SpeckScene scene;
  Spots spots;
} Fixture;

static void
fixture_init (Fixture *fixture, Image *image)
{
  *fixture = (Fixture){ .image = image };
  g_assert_true (speck_scene_init (&fixture->scene, image, NULL, NULL));
  spots_init (&fixture->spots, &fixture->scene);
}

static void
fixture_clear (Fixture *fixture)
{
  spots_clear (&fixture->spots);
  speck_scene_clear (&fixture->scene);
  g_clear_pointer (&fixture->image, image_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static Image *
make_grey (void)
{
  Image *image = image_new (SIDE, SIDE, 4, 8, NULL);

  for (gsize i = 0; i < 4 * image_pixels (image); i++)
    image->samples[i] =
      (guint16) (i % 4 < 3 ? 128 : 255 * random_below (5, 0, i, 2));
  return image;
}

/* Random scores, and an ellipse at a random place, also across the edge. */
static const Spot *
add_scores_and_spot (Spots *spots, guint64 seed)
{
  double x = SIDE * random_uniform (seed, 1, 0);
  double y = SIDE * random_uniform (seed, 1, 1);
  double across = 1 + 5 * random_uniform (seed, 1, 2);
  double down = 1 + 5 * random_uniform (seed, 1, 3);
  g_autoptr (List) pixels = list_new (sizeof (gsize), NULL);

  g_assert_true (byte_plane_init (&spots->scores, SIDE, SIDE, NULL));
  for (gsize i = 0; i < SIDE * SIDE; i++) {
    spots->scores.data[i] = (guint8) random_below (seed, 2, i, 256);
    if (hypot (((double) (i % SIDE) - x) / across,
               ((double) (i / SIDE) - y) / down)
        <= 1)
      list_append (pixels, &i, 1);
  }
  if (pixels->len == 0)
    return NULL;
  spots_add (spots, &list_at (pixels, gsize, 0), (int) pixels->len,
             (Spot){ .kind = SPOT_LIKELY, .peak = -1 });
  return &list_at (spots->spots, Spot, 0);
}

/* Steps from pixel @i to the nearest one of @spot. */
static int
steps_to (const Spots *spots, const Spot *spot, int i)
{
  int least = G_MAXINT;

  for (guint k = 0; k < spot->count; k++) {
    int j = (int) list_at (spots->pixels, gsize, spot->start + k);

    least = MIN (least, ABS (i % SIDE - j % SIDE) + ABS (i / SIDE - j / SIDE));
  }
  return least;
}

static void
test_description (void)
{
  g_test_summary ("Logits are described by their distance to the spot");
  for (guint64 seed = 1; seed <= 40; seed++) {
    g_auto (Fixture) fixture = { 0 };
    Spots *spots = &fixture.spots;
    const Spot *spot;
    double sum[MOST_AWAY + 1] = { 0 }, count[MOST_AWAY + 1] = { 0 };
    int least = 255, most = 0, most_away = 0;
    float f[LIKELY_FEATURES];

    fixture_init (&fixture, make_grey ());
    spot = add_scores_and_spot (spots, seed);
    if (spot == NULL)
      continue;
    for (int i = 0; i < SIDE * SIDE; i++) {
      int steps = steps_to (spots, spot, i), score = spots->scores.data[i];

      if (steps > MOST_AWAY)
        continue;
      sum[steps] += score;
      count[steps]++;
      least = steps == 0 ? MIN (least, score) : least;
      most = steps == 0 ? MAX (most, score) : most;
      most_away = steps >= 2 ? MAX (most_away, score) : most_away;
    }
    likely_describe (spots, spot, f);
    g_assert_cmpfloat_with_epsilon (f[0], sum[0] / count[0], 1e-3);
    g_assert_cmpfloat (f[1], ==, least);
    g_assert_cmpfloat (f[2], ==, most);
    g_assert_cmpfloat_with_epsilon (f[3], sum[1] / count[1], 1e-3);
    g_assert_cmpfloat_with_epsilon (
      f[4], (sum[2] + sum[3]) / (count[2] + count[3]), 1e-3);
    g_assert_cmpfloat (f[5], ==, most_away);
  }
}

static void
test_marks (void)
{
  g_test_summary ("Likely pixels near the spot are marked, no transparent ones");
  for (guint64 seed = 1; seed <= 40; seed++) {
    g_auto (Fixture) fixture = { 0 };
    g_autoptr (Mask) mask = mask_new (SIDE, SIDE, NULL);
    const Spot *spot;

    fixture_init (&fixture, make_grey ());
    spot = add_scores_and_spot (&fixture.spots, seed);
    if (spot == NULL)
      continue;
    likely_mark (&fixture.spots, spot, mask);
    for (int i = 0; i < SIDE * SIDE; i++) {
      int steps = steps_to (&fixture.spots, spot, i);
      gboolean is_likely =
        fixture.spots.scores.data[i] >= SCORE_ZERO + SCORE_UNIT
        && !image_is_transparent (fixture.image, (gsize) i);

      g_assert_cmpint (mask->missing[i] != 0, ==,
                       is_likely && steps >= 1 && steps <= SPECK_RING);
    }
  }
}

/* Two specks of different shades that overlap, on a slope. */
static Image *
make_pair (void)
{
  Image *image = image_new (SIDE, SIDE, 3, 8, NULL);

  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          (guint16) (hypot (x - 30, y - 28) < 3.4   ? 240
                     : hypot (x - 34, y - 31) < 3.4 ? 205
                                                    : 70 + x / 2 + 4 * c);
  return image;
}

static void
test_pair (void)
{
  g_auto (Fixture) fixture = { 0 };
  gboolean is_found[2] = { FALSE };

  g_test_summary ("The network finds both of two specks that overlap");
  fixture_init (&fixture, make_pair ());
  g_assert_true (likely_find (&fixture.spots, NULL, NULL));
  for (guint i = 0; i < fixture.spots.spots->len; i++) {
    const Spot *spot = &list_at (fixture.spots.spots, Spot, i);

    g_assert_cmpint (spot->kind, ==, SPOT_LIKELY);
    for (guint k = 0; k < spot->count; k++) {
      gsize pixel =
        list_at (fixture.spots.pixels, gsize, spot->start + k);

      g_assert_cmpfloat (hypot ((double) (pixel % SIDE) - 32,
                                (double) (pixel / SIDE) - 29.5),
                         <, 10);
      is_found[0] |= pixel == 28 * SIDE + 30;
      is_found[1] |= pixel == 32 * SIDE + 35;
    }
  }
  g_assert_true (is_found[0] && is_found[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/likely/description", test_description);
  g_test_add_func ("/likely/marks", test_marks);
  g_test_add_func ("/likely/pair", test_pair);
  return g_test_run ();
}
