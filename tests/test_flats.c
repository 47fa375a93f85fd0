/* Small regions of one colour, candidates for dust. */
#include "base/random.h"
#include "imaging/detect/detect.h"
#include "imaging/detect/flats.h"
#include "imaging/detect/marks.h"

#include <string.h>

enum { SIDE = 96 };

/* Spots and stripes of few shades, with a grain of a few levels. */
static Image *
make_picture (guint64 seed)
{
  Image *image = image_new (SIDE, SIDE, 3, 8, NULL);

  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      for (int c = 0; c < 3; c++) {
        guint64 spot = (guint64) (y / 6 * SIDE + x / 5);
        double shade = 60 + 100 * random_uniform (seed, 1, spot);
        double grain = 12
                       * random_uniform (seed, 2 + (guint64) c,
                                         (guint64) (y * SIDE + x));

        image_pixel (image, x, y)[c] = (guint16) (shade + grain);
      }
  return image;
}

static int
step_between (const Image *image, int i, int j)
{
  int most = 0;

  for (int c = 0; c < 3; c++)
    most = MAX (most, ABS (image->samples[3 * i + c]
                           - image->samples[3 * j + c]));
  return most;
}

/* Gives each pixel the least number of the pixels that it is connected with by
 * steps of at most @level: repeats until nothing changes. */
static void
label_naively (const Image *image, int level, int *labels)
{
  gboolean changed = TRUE;

  for (int i = 0; i < SIDE * SIDE; i++)
    labels[i] = i;
  while (changed) {
    changed = FALSE;
    for (int i = 0; i < SIDE * SIDE; i++)
      for (int k = 0; k < 2; k++) {
        int j = k == 0 ? i + 1 : i + SIDE, least;

        if (j >= SIDE * SIDE || (k == 0 && j % SIDE == 0)
            || step_between (image, i, j) > level || labels[i] == labels[j])
          continue;
        least = MIN (labels[i], labels[j]);
        labels[i] = labels[j] = least;
        changed = TRUE;
      }
  }
}

static void
find_flats (const Image *image, Flats *flats)
{
  g_auto (SpeckScene) scene = { 0 };
  g_auto (FlatScene) flat_scene = { 0 };

  flats_init (flats, TRUE);
  g_assert_true (speck_scene_init (&scene, image, NULL, NULL));
  g_assert_true (flat_scene_init (&flat_scene, &scene, NULL));
  g_assert_true (flats_find (&flat_scene, NULL, 0, flats, NULL, NULL));
  g_assert_cmpuint (flats->features->len, ==,
                    flats->flats->len * FLAT_FEATURES);
}

static void
test_regions (void)
{
  static int labels[SIDE * SIDE];
  guint found = 0;

  g_test_summary ("Each candidate is a whole region, as a naive search has it");
  for (guint64 seed = 1; seed <= 3; seed++) {
    g_autoptr (Image) image = make_picture (seed);
    g_auto (Flats) flats = { 0 };
    int level = -1;

    find_flats (image, &flats);
    for (guint i = 0; i < flats.flats->len; i++) {
      const Flat *flat = &list_at (flats.flats, Flat, i);
      const gsize *pixels = &list_at (flats.pixels, gsize, flat->start);
      guint same = 0;

      if (flat->level != level)
        label_naively (image, flat_levels[flat->level], labels);
      level = flat->level;
      for (int k = 0; k < SIDE * SIDE; k++)
        same += labels[k] == labels[pixels[0]];
      g_assert_cmpuint (same, ==, flat->count);
      for (guint k = 0; k < flat->count; k++)
        g_assert_cmpint (labels[pixels[k]], ==, labels[pixels[0]]);
    }
    found += flats.flats->len;
  }
  g_assert_cmpuint (found, >, 30);
}

static void
put_disc (Image *image, int x0, int y0, int radius, guint16 shade, Mask *truth)
{
  for (int y = y0 - radius; y <= y0 + radius; y++)
    for (int x = x0 - radius; x <= x0 + radius; x++)
      if ((x - x0) * (x - x0) + (y - y0) * (y - y0) <= radius * radius) {
        for (int c = 0; c < 3; c++)
          image_pixel (image, x, y)[c] = shade;
        truth->missing[y * image->width + x] = MASK_PIXEL;
      }
}

/* A striped wall, and a beam across it. */
static Image *
make_wall (int side)
{
  Image *image = image_new (side, side, 3, 8, NULL);

  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      for (int c = 0; c < 3; c++) {
        double grain =
          10 * random_uniform (7, (guint64) c, (guint64) (y * side + x));
        gboolean beam = y / 4 % 16 == 9;

        image_pixel (image, x, y)[c] =
          (guint16) ((beam ? 20 : x / 3 % 2 ? 150 : 100) + grain + 10 * c);
      }
  return image;
}

static void
test_dust_at_a_beam (void)
{
  enum { LENGTH = 384 };
  g_autoptr (Image) image = make_wall (LENGTH);
  g_autoptr (Mask) light = mask_new (LENGTH, LENGTH, NULL);
  g_autoptr (Mask) dark = mask_new (LENGTH, LENGTH, NULL);
  g_autoptr (Mask) found = NULL;
  gsize hit = 0, wrong = 0, specks;

  g_test_summary ("Dark specks that touch a dark beam are found without it");
  for (int y = 12; y < LENGTH - 12; y += 32)
    for (int x = 14; x < LENGTH - 14; x += 38)
      put_disc (image, x + y % 13, y + x % 5, 3, 235, light);
  for (int x = 30; x < LENGTH - 20; x += 40)
    put_disc (image, x, 36 + 64 * (x / 40 % 5) + 3, 3, 2, dark);
  specks = mask_count (dark);
  found = detector_dust.find (image, 1, NULL, NULL);
  g_assert_nonnull (found);
  for (int i = 0; i < LENGTH * LENGTH; i++)
    hit += dark->missing[i] && found->missing[i];
  mask_add (dark, light);
  g_assert_true (mask_grow (dark, 2, NULL));
  for (int i = 0; i < LENGTH * LENGTH; i++)
    wrong += found->missing[i] && !dark->missing[i];
  g_test_message ("%zu of %zu pixels, %zu elsewhere", hit, specks, wrong);
  g_assert_cmpuint (10 * hit, >=, 8 * specks);
  g_assert_cmpuint (100 * wrong, <=, LENGTH * LENGTH);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flats/regions", test_regions);
  g_test_add_func ("/flats/beam", test_dust_at_a_beam);
  return g_test_run ();
}
