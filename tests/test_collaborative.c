/* test_collaborative.c - the parts of a round against what they are by
 * definition */
#include "base/multiplyadd.h"
#include "base/random.h"
#include "imaging/inpaint/dct.h"
#include "imaging/inpaint/groupshrink.h"
#include "imaging/inpaint/patches.h"
#include "imaging/inpaint/collaborative.h"
#include "imaging/inpaint/patchsearch.h"
#include "tests/support.h"

#include <math.h>

static float *
random_numbers (int count, guint64 seed)
{
  float *numbers = g_new (float, count);

  for (int i = 0; i < count; i++)
    numbers[i] = (float) random_uniform (seed, 3, (guint64) i) - 0.5f;
  return numbers;
}

/* One axis after the other is the product with the cosine at once. */
static void
check_cosines (int side, int channels, int count)
{
  int n = side * side * channels;
  g_autoptr (Dct) cosines = dct_new (side, channels);
  g_autofree float *patches = random_numbers (n * count, 1);
  g_autofree float *codes = g_memdup2 (patches, (gsize) (n * count) * 4);
  g_autofree float *scratch = g_new (float, n *count);

  dct_forward (cosines, codes, scratch, count);
  for (int j = 0; j < n; j++) {
    int k = j % side, l = j / side % side, m = j / side / side;

    for (int p = 0; p < count; p++) {
      double sum = 0;

      for (int i = 0; i < n; i++) {
        int x = i % side, y = i / side % side, c = i / side / side;

        sum += patches[p * n + i] * cos (G_PI * (x + 0.5) * k / side)
               * cos (G_PI * (y + 0.5) * l / side)
               * cos (G_PI * (c + 0.5) * m / channels);
      }
      sum *= sqrt ((k ? 2. : 1.) * (l ? 2. : 1.) * (m ? 2. : 1.) / n);
      g_assert_cmpfloat_with_epsilon (
        codes[m + channels * (p + count * (k + side * l))], (float) sum,
        1e-5f);
    }
  }
  dct_backward (cosines, codes, scratch, count);
  for (int i = 0; i < n * count; i++)
    g_assert_cmpfloat_with_epsilon (codes[i], patches[i], 1e-5f);
}

static void
test_cosines (void)
{
  check_cosines (5, 3, 7);
  check_cosines (6, 1, 1);
  check_cosines (8, 3, 4);
}

/* ---- groups ---- */

/* Entry (k, p) of H over a group of @together patches. */
static float
hadamard (int k, int p, int together)
{
  return (__builtin_popcount ((unsigned) (k & p)) % 2 ? -1 : 1)
         / sqrtf ((float) together);
}

/* D HT (D'Y H) H' by dct.c, in place; returns how many numbers were kept. */
static int
shrink_plainly (int side, int channels, int together, float threshold,
                float *patches)
{
  int n = side * side * channels, count = SHRINK_PATCHES, kept = 0;
  g_autoptr (Dct) cosines = dct_new (side, channels);
  g_autofree float *scratch = g_new (float, n *count);

  dct_forward (cosines, patches, scratch, count);
  for (int j = 0; j < side * side; j++)
    for (int m = 0; m < channels; m++)
      for (int first = 0; first < count; first += together) {
        float *x = patches + channels * (first + count * j) + m;
        float mixed[SHRINK_TOGETHER] = { 0 };

        for (int k = 0; k < together; k++) {
          for (int p = 0; p < together; p++)
            mixed[k] += hadamard (k, p, together) * x[p * channels];
          if (j > 0 && fabsf (mixed[k]) < threshold)
            mixed[k] = 0;
          else
            kept++;
        }
        for (int p = 0; p < together; p++) {
          x[p * channels] = 0;
          for (int k = 0; k < together; k++)
            x[p * channels] += hadamard (k, p, together) * mixed[k];
        }
      }
  dct_backward (cosines, patches, scratch, count);
  return kept;
}

/* All sets of instructions that this processor supports do what the plain
 * product says, and those that round alike do the same. */
static void
check_shrink (int side, int channels, int together)
{
  int n = side * side * channels, all = n * SHRINK_PATCHES;
  ShrinkOptions options = { together, 0.2f, ~0u };
  g_autoptr (GroupShrink) shrink = group_shrink_new (side, channels);
  g_autofree float *patches = random_numbers (all + SHRINK_ROOM, 2);
  g_autofree float *plain = g_memdup2 (patches, (gsize) all * sizeof (float));
  g_autofree float *codes = g_new (float, all + SHRINK_ROOM);
  int expected = shrink_plainly (side, channels, together, 0.2f, plain);
  g_autofree float *first = NULL;

  for (int set = 0;; set++) {
    g_autofree float *y =
      g_memdup2 (patches, (gsize) (all + SHRINK_ROOM) * sizeof (float));
    int kept[SHRINK_PATCHES], sum = 0;

    if (!group_shrink_with (set, shrink, &options, y, codes, kept))
      break;
    for (int p = 0; p < SHRINK_PATCHES; p++)
      sum += kept[p];
    g_assert_cmpint (sum, ==, expected);
    for (int i = 0; i < all; i++)
      g_assert_cmpfloat_with_epsilon (y[i], plain[i], 1e-5f);
    if (first == NULL)
      first = g_steal_pointer (&y);
    else if (cpu_set_fuses (cpu_set (set)) == cpu_set_fuses (cpu_set (0)))
      g_assert_cmpmem (y, (gsize) all * sizeof (float), first,
                       (gsize) all * sizeof (float));
  }
}

static void
test_shrink (void)
{
  static const int sides[] = { 6, 10, 16 };

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
    for (int together = 1; together <= SHRINK_TOGETHER; together *= 2) {
      check_shrink (sides[i], 1, together);
      check_shrink (sides[i], 3, together);
    }
}

/* ---- similar patches ---- */

enum { SIDE = 5, RADIUS = 6, COUNT = 8 };

static double
distance (const Image *image, Place a, Place b)
{
  double sum = 0;

  for (int i = 0; i < SIDE * SIDE; i++) {
    int x = i % SIDE, y = i / SIDE;
    const guint16 *p = image_pixel (image, a.x + x, a.y + y);
    const guint16 *q = image_pixel (image, b.x + x, b.y + y);
    double d = (p[0] + p[1] + p[2] - q[0] - q[1] - q[2]) / 3. / 255;

    sum += d * d;
  }
  return sum;
}

static int searches; /* that were checked */

/* No patch nearby that was not found is more like it than one that was. */
static void
check_found (const Image *image, Place place, const Place *found)
{
  double worst = 0;
  int nearer = 0;

  searches++;
  g_assert_true (found[0].x == place.x && found[0].y == place.y);
  for (int k = 1; k < COUNT; k++) {
    g_assert_cmpint (ABS (found[k].x - place.x), <=, RADIUS);
    g_assert_cmpint (ABS (found[k].y - place.y), <=, RADIUS);
    worst = MAX (worst, distance (image, place, found[k]));
  }
  for (int y = MAX (0, place.y - RADIUS);
       y <= MIN (place.y + RADIUS, image->height - SIDE); y++)
    for (int x = MAX (0, place.x - RADIUS);
         x <= MIN (place.x + RADIUS, image->width - SIDE); x++)
      nearer += distance (image, place, (Place){ x, y }) < worst - 1e-6;
  g_assert_cmpint (nearer, <=, COUNT - 1);
}

static gboolean
find_in_block (RowWindow *window, int top, int bottom,
               const Progress *progress, gpointer data, GError **error)
{
  PlaceGrid grid = { SIDE, 3 };
  g_autoptr (List) places = patch_places (window, &grid, top, bottom, error);
  PatchSearch search;

  (void) progress;
  g_assert_nonnull (places);
  g_assert_true (patch_search_init (&search, window, NULL));
  patch_search_update (&search, top - RADIUS, bottom + SIDE + RADIUS);
  for (guint i = 0; i < places->len; i++) {
    Place place = list_at (places, Place, i), found[COUNT];

    patch_search_find (&search, place, SIDE, RADIUS, found, COUNT);
    check_found (data, place, found);
  }
  patch_search_clear (&search);
  return TRUE;
}

/* Gives the missing samples the value that the picture has. */
static gboolean
fill_with_truth (RowWindow *window, int top, int bottom,
                 const Progress *progress, gpointer data, GError **error)
{
  (void) progress, (void) error;
  for (int y = top; y < bottom; y++)
    for (int x = 0; x < window->width; x++)
      if (*row_window_wanted (window, x, y))
        for (int c = 0; c < 3; c++) {
          float value = (float) image_pixel (data, x, y)[c] / 255;

          patch_add (window, (Place){ x, y }, 1, c, &value, 1);
        }
  return TRUE;
}

static void
test_similar_patches (void)
{
  g_autoptr (Image) image = load_photo_middle ("forest3", 70, 150);
  g_autoptr (Mask) mask = mask_new (70, 150, NULL);
  g_autoptr (Canvas) canvas = NULL;

  for (gsize i = 0; i < image_pixels (image); i++)
    mask->missing[i] = random_uniform (1, 1, i) < 0.01;
  canvas = canvas_new (image, mask, 3, SIDE + RADIUS, NULL);
  g_assert_nonnull (canvas);
  g_assert_true (
    canvas_pass (canvas, PASS_UNFILLED, fill_with_truth, image, NULL, NULL));
  g_assert_cmpuint (canvas_unfilled (canvas), ==, 0);
  searches = 0;
  g_assert_true (
    canvas_pass (canvas, PASS_MISSING, find_in_block, image, NULL, NULL));
  g_assert_cmpint (searches, >, 100);
}

/* With a threshold of nothing, a round changes nothing, alone or in groups. */
static void
test_no_threshold_no_change (void)
{
  const CollaborativeSettings settings = {
    2, 1, 1e-12, 1e-12, { { 6, 2, 1 }, { 10, 3, 8 }, { 16, 5, 2 } }
  };
  g_autoptr (Image) image = load_photo_middle ("forest3", 90, 140);
  g_autoptr (Image) before = image_copy (image, NULL);
  g_autoptr (Mask) mask = mask_new (90, 140, NULL);
  g_autoptr (Canvas) canvas = NULL;
  gsize patches = 0;

  for (gsize i = 0; i < image_pixels (image); i++)
    mask->missing[i] = random_uniform (2, 1, i) < 0.3;
  for (gsize i = 0; i < 3 * image_pixels (image); i++)
    if (mask->missing[i / 3])
      image->samples[i] = 0;
  canvas = canvas_new (image, mask, 3, collaborative_reach (&settings), NULL);
  g_assert_nonnull (canvas);
  g_assert_true (
    canvas_pass (canvas, PASS_UNFILLED, fill_with_truth, before, NULL, NULL));
  g_assert_cmpuint (canvas_unfilled (canvas), ==, 0);
  g_assert_true (canvas_improve (canvas, &settings, &patches, NULL, NULL));
  g_assert_cmpuint (patches, >, 1000);
  canvas_write_back (canvas, image);
  for (gsize i = 0; i < 3 * image_pixels (image); i++)
    g_assert_cmpint (image->samples[i], ==, before->samples[i]);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/rounds/cosines", test_cosines);
  g_test_add_func ("/rounds/groups", test_shrink);
  g_test_add_func ("/rounds/similar", test_similar_patches);
  g_test_add_func ("/rounds/no-threshold", test_no_threshold_no_change);
  return g_test_run ();
}
