/* test_detect.c - damage is found, and clean photographs are left alone */
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/codec/codec.h"
#include "imaging/damage/damage.h"
#include "imaging/detect/detect.h"
#include "imaging/detect/judge.h"
#include "tests/hits.h"
#include "tests/jpegs.h"
#include "tests/support.h"

#include <gio/gio.h>
#include <math.h>

#include <string.h>

/* ---- marks ---- */

/* A photograph with a line of 2 pixels from the top down, which leans and is
 * half opaque. */
static Image *
scratched (const Image *photo, Mask *truth)
{
  Image *image = image_copy (photo, NULL);

  for (int y = 5; y < image->height - 5; y++)
    for (int x = 60 + y / 4; x < 62 + y / 4; x++) {
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          (guint16) ((image_pixel (image, x, y)[c] + 2 * 245) / 3);
      truth->missing[y * image->width + x] = 1;
    }
  return image;
}

static void
test_scratch_is_found (void)
{
  g_autoptr (Image) photo = load_photo ("lava0");
  g_autoptr (Mask) truth = mask_new (photo->width, photo->height, NULL);
  g_autoptr (Image) image = scratched (photo, truth);
  g_autoptr (Mask) found = detector_scratches.find (image, 1, NULL, NULL);

  g_test_summary ("Most of a scratch is found, and little else");
  g_assert_cmpuint (common (found, truth), >=, mask_count (truth) * 8 / 10);
  g_assert_cmpuint (mask_count (found), <=, mask_count (truth) * 4);
}

/* Grey of a slow wave, with a little texture. */
static Image *
calm_image (int width, int height)
{
  Image *image = image_new (width, height, 3, 8, NULL);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          (guint16) (120 + 20 * sin (x / 40. + c) + 15 * cos (y / 31.)
                     + (x * 7 + y * 13) % 5);
  return image;
}

static void
test_specks_are_found (void)
{
  g_autoptr (Image) image = calm_image (200, 150);
  g_autoptr (Mask) none = detector_dust.find (image, 1, NULL, NULL);
  g_autoptr (Mask) found = NULL;
  int hit = 0;

  g_test_summary ("Light and dark specks are found; no speck, no mark");
  g_assert_cmpuint (mask_count (none), ==, 0);
  for (int k = 0; k < 12; k++)
    for (int y = -3; y <= 3; y++)
      for (int x = -3; x <= 3; x++)
        if (x * x + y * y <= 9)
          for (int c = 0; c < 3; c++)
            image_pixel (image, 20 + k % 4 * 50 + x, 20 + k / 4 * 50 + y)[c] =
              k % 2 ? 235 : 15;
  found = detector_dust.find (image, 1, NULL, NULL);
  for (int k = 0; k < 12; k++)
    hit += found->missing[(20 + k / 4 * 50) * 200 + 20 + k % 4 * 50];
  g_assert_cmpint (hit, ==, 12);
  g_assert_cmpuint (mask_count (found), <=, 12 * 90);
}

/* Draws a line of 2 pixels from column @from of the first row to column @to of
 * the last one. */
static void
draw_line (Image *image, int from, int to, Mask *truth)
{
  for (int y = 0; y < image->height; y++) {
    int x = from + (to - from) * y / image->height;

    for (int k = x; k < x + 2; k++) {
      for (int c = 0; c < 3; c++)
        image_pixel (image, k, y)[c] = 240;
      truth->missing[y * image->width + k] = 1;
    }
  }
}

static void
test_crossing_scratches (void)
{
  g_autoptr (Image) image = calm_image (240, 220);
  g_autoptr (Mask) truth = mask_new (240, 220, NULL);
  g_autoptr (Mask) none = detector_scratches.find (image, 1, NULL, NULL);
  g_autoptr (Mask) found = NULL;

  g_test_summary ("Scratches that cross are both found, whole; none, no mark");
  g_assert_cmpuint (mask_count (none), ==, 0);
  draw_line (image, 60, 150, truth);
  draw_line (image, 150, 70, truth);
  found = detector_scratches.find (image, 1, NULL, NULL);
  g_assert_cmpuint (common (found, truth), >=, mask_count (truth) * 95 / 100);
  g_assert_cmpuint (mask_count (found), <=, mask_count (truth) * 3);
}

/* Two trees: the first feature counts +-2 logits, both together 1 more. */
static const JudgeTree two_trees[] = {
  { .feature = { 0 },
    .threshold = { 0.5f, 9, 9, 9 },
    .leaf = { -2 * JUDGE_UNIT, 2 * JUDGE_UNIT } },
  { .feature = { 0, 1 },
    .threshold = { 0.5f, 0.5f, 9, 9 },
    .leaf = { 0, 0, 0, JUDGE_UNIT } },
};

/* In a picture of a million pixels. */
static int
threshold_of (const Judge *judge, const int *scores, gsize count,
              double strength)
{
  return judge_threshold (judge,
                          judge_share (judge, scores, count, 1e6, strength),
                          strength);
}

static void
test_judge (void)
{
  Judge judge = { .trees = 2,
                  .tree = two_trees,
                  .density = 1e-4,
                  .clean_pixels = 2e5,
                  .least = 0.01,
                  .bold = 1 };
  const float none[] = { 0, 1 }, one[] = { 1, 0 }, both[] = { 1, 1 };
  int scores[100], clean, dirty;

  g_test_summary ("Trees add up; more damage and more strength need less");
  g_assert_cmpint (judge_score (&judge, none), ==, -2 * JUDGE_UNIT);
  g_assert_cmpint (judge_score (&judge, one), ==, 2 * JUDGE_UNIT);
  g_assert_cmpint (judge_score (&judge, both), ==, 3 * JUDGE_UNIT);
  clean = threshold_of (&judge, scores, 0, 1);
  g_assert_cmpint (ABS (clean - (int) (log (100) * JUDGE_UNIT)), <, 5);
  for (int i = 0; i < 100; i++)
    scores[i] = 8 * JUDGE_UNIT;
  dirty = threshold_of (&judge, scores, 100, 1);
  g_assert_cmpint (dirty, <, clean);
  g_assert_cmpint (threshold_of (&judge, scores, 100, 2), <, dirty);
  judge.bold = 3;
  g_assert_cmpint (threshold_of (&judge, scores, 100, 1), <, dirty);
  g_assert_cmpint (threshold_of (&judge, scores, 0, 1), ==, clean);
  judge.bold = 1;
  judge.clean_pixels = 2e6;
  g_assert_cmpint (threshold_of (&judge, scores, 100, 1), >, dirty);
}

static void
test_judge_snow (void)
{
  const Judge judge = { .trees = 2,
                  .tree = two_trees,
                  .density = 1e-4,
                  .clean_pixels = 2e5,
                  .least = 0.01,
                  .bold = 1 };
  int scores[1000];

  g_test_summary ("Many marks of which none is sure are no damage");
  for (int i = 0; i < 1000; i++)
    scores[i] = 2 * JUDGE_UNIT;
  g_assert_cmpfloat (judge_share (&judge, scores, 1000, 1e6, 1), ==, 0.01);
  for (int i = 0; i < 200; i++)
    scores[i] = 5 * JUDGE_UNIT;
  g_assert_cmpfloat (judge_share (&judge, scores, 1000, 1e6, 1), ==, 1);
}

/* Draws six digits as a clock shows them, 14 x 22 pixels each, in @ink, of
 * which each stroke differs by up to @uneven levels. */
static void
draw_digits (Image *image, const guint16 ink[3], int uneven, Mask *truth)
{
  static const char *const rows[] = { "###", "#.#", "###", "#.#", "###" };

  for (int k = 0; k < 6; k++)
    for (int y = 0; y < 20; y++)
      for (int x = 0; x < 12; x++)
        if (rows[y / 4][x / 4] == '#') {
          int column = 60 + k * 18 + x, row = 100 + y;

          truth->missing[row * image->width + column] = 1;
          for (int c = 0; c < 3; c++)
            image_pixel (image, column, row)[c] =
              (guint16) (ink[c] - (x * 5 + y * 3 + k * 7) % (uneven + 1));
        }
}

static void
test_stamp_is_found (void)
{
  static const guint16 orange[3] = { 250, 140, 40 };
  static const int uneven[] = { 0, 40 };

  g_test_summary ("Digits of one ink are found, photographed ones are left");
  for (gsize i = 0; i < G_N_ELEMENTS (uneven); i++) {
    g_autoptr (Image) image = calm_image (240, 160);
    g_autoptr (Mask) truth = mask_new (240, 160, NULL);
    g_autoptr (Mask) found = NULL;

    draw_digits (image, orange, uneven[i], truth);
    found = detector_stamp.find (image, 1, NULL, NULL);
    g_assert_cmpuint (common (found, truth), ==,
                      uneven[i] == 0 ? mask_count (truth) : 0);
    g_assert_cmpuint (mask_count (found), <=, 3 * mask_count (truth));
  }
}

/* Moves what @truth names of column @from on down by @by rows. */
static void
lower_digits (Image *image, Mask *truth, int from, int by)
{
  g_autoptr (Image) ground = calm_image (image->width, image->height);

  for (int y = image->height - 1; y >= 0; y--)
    for (int x = from; x < from + 18; x++) {
      gsize i = (gsize) (y * image->width + x);

      if (!truth->missing[i])
        continue;
      truth->missing[i] = 0;
      truth->missing[i + (gsize) (by * image->width)] = 1;
      memcpy (image_pixel (image, x, y + by), image_pixel (image, x, y),
              3 * sizeof (guint16));
      memcpy (image_pixel (image, x, y), image_pixel (ground, x, y),
              3 * sizeof (guint16));
    }
}

static void
test_stamp_has_a_base (void)
{
  static const guint16 orange[3] = { 250, 140, 40 };
  g_autoptr (Image) image = calm_image (240, 160);
  g_autoptr (Mask) truth = mask_new (240, 160, NULL);
  g_autoptr (Image) jpeg = NULL;
  g_autoptr (Mask) found = NULL;
  g_autoptr (Mask) none = NULL;

  g_test_summary ("Digits are found in a JPEG; spots of one ink that do not "
                  "stand on one line are left");
  draw_digits (image, orange, 0, truth);
  jpeg = through_jpeg (image, 85);
  found = detector_stamp.find (jpeg, 1, NULL, NULL);
  g_assert_cmpuint (common (found, truth), >=, mask_count (truth) * 95 / 100);
  g_assert_cmpuint (mask_count (found), <=, 3 * mask_count (truth));
  for (int k = 1; k < 6; k++)
    lower_digits (image, truth, 60 + 18 * k, 3 * k % 13);
  none = detector_stamp.find (image, 1, NULL, NULL);
  g_assert_cmpuint (mask_count (none), ==, 0);
}

static void
test_several_kinds (void)
{
  g_autoptr (Image) image = calm_image (200, 150);
  g_autoptr (GPtrArray) kinds = detectors_named ("all", NULL);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (DamageCount));
  const DamageSearch search = { kinds, 1 };
  g_autoptr (Mask) mask = NULL;
  gsize pixels = 0;

  g_test_summary ("What one kind has found, no other kind counts again");
  for (int y = 60; y < 70; y++)
    for (int x = 80; x < 90; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = 0;
  mask = damage_find (image, &search, counts, NULL, NULL);
  g_assert_cmpuint (mask_count (mask), ==, 100);
  g_assert_cmpuint (counts->len, ==, kinds->len);
  for (guint i = 0; i < counts->len; i++)
    pixels += g_array_index (counts, DamageCount, i).pixels;
  g_assert_cmpuint (pixels, ==, 100);
}

/* Kinds that hardly divide their work are looked for at the same time. */
static void
test_threads_find_the_same (void)
{
  g_autoptr (Image) image = load_photo ("city11");
  g_autoptr (GPtrArray) kinds = detectors_named ("all", NULL);
  const DamageSearch search = { kinds, 2 };
  g_autoptr (Mask) one = NULL, three = NULL;
  g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (DamageCount));
  g_autoptr (GArray) second = g_array_new (FALSE, FALSE, sizeof (DamageCount));
  int threads = parallel_threads ();

  for (int y = 60; y < 70; y++)
    for (int x = 80; x < 90; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = 0;
  parallel_init (1);
  one = damage_find (image, &search, first, NULL, NULL);
  parallel_init (3);
  three = damage_find (image, &search, second, NULL, NULL);
  parallel_init (threads);
  g_assert_cmpuint (mask_count (one), >=, 100);
  g_assert_cmpint (memcmp (one->missing, three->missing,
                           image_pixels (image)),
                   ==, 0);
  for (guint i = 0; i < kinds->len; i++) {
    const DamageCount *a = &g_array_index (first, DamageCount, i);
    const DamageCount *b = &g_array_index (second, DamageCount, i);

    g_assert_true (a->detector == kinds->pdata[i]);
    g_assert_true (a->detector == b->detector);
    g_assert_cmpuint (a->pixels, ==, b->pixels);
  }
}

typedef struct {
  GThread *caller;
  double last;
  int between; /* reports of more than 0 and less than 1 */
} Reports;

static void
note_report (double done, gpointer data)
{
  Reports *reports = data;

  g_assert_true (g_thread_self () == reports->caller);
  g_assert_cmpfloat (done, >=, reports->last);
  g_assert_cmpfloat (done, <=, 1);
  reports->between += done > 0 && done < 1;
  reports->last = done;
}

static void
test_search_reports (void)
{
  g_autoptr (Image) image = calm_image (400, 300);
  g_autoptr (GPtrArray) kinds = detectors_named ("all", NULL);
  const DamageSearch search = { kinds, 1 };

  g_test_summary ("Of kinds at the same time, the caller reports one share");
  for (int threads = 1; threads <= 4; threads++) {
    Reports reports = { g_thread_self (), 0, 0 };
    const Progress progress = { .report = note_report, .user_data = &reports };
    g_autoptr (Mask) mask = NULL;

    parallel_init (threads);
    mask = damage_find (image, &search, NULL, &progress, NULL);
    g_assert_nonnull (mask);
    g_assert_cmpint (reports.between, >, 1);
    g_assert_cmpfloat (reports.last, ==, 1);
  }
  parallel_init (0);
}

static void
test_search_can_be_cancelled (void)
{
  g_autoptr (Image) image = calm_image (200, 150);
  g_autoptr (GPtrArray) kinds = detectors_named ("all", NULL);
  const DamageSearch search = { kinds, 1 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const Progress progress = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (damage_find (image, &search, NULL, &progress, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
}

static void
test_whole_corners_are_left (void)
{
  static const char *const clean[] = { "badlands5", "beach0", "city10",
                                       "fog4",      "sky2",   "snow4" };

  g_test_summary ("Photographs have no torn corners and no specks");
  for (gsize i = 0; i < G_N_ELEMENTS (clean); i++) {
    g_autoptr (Image) photo = load_photo (clean[i]);
    g_autoptr (Mask) border = detector_border.find (photo, 1, NULL, NULL);
    g_autoptr (Mask) dust = detector_dust.find (photo, 1, NULL, NULL);

    g_assert_cmpuint (mask_count (border), ==, 0);
    g_assert_cmpuint (mask_count (dust), ==, 0);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/detect/scratches/found", test_scratch_is_found);
  g_test_add_func ("/detect/scratches/crossing", test_crossing_scratches);
  g_test_add_func ("/detect/judge", test_judge);
  g_test_add_func ("/detect/judge-snow", test_judge_snow);
  g_test_add_func ("/detect/dust/found", test_specks_are_found);
  g_test_add_func ("/detect/stamp/found", test_stamp_is_found);
  g_test_add_func ("/detect/stamp/base", test_stamp_has_a_base);
  g_test_add_func ("/detect/several", test_several_kinds);
  g_test_add_func ("/detect/threads", test_threads_find_the_same);
  g_test_add_func ("/detect/search-reports", test_search_reports);
  g_test_add_func ("/detect/cancelled", test_search_can_be_cancelled);
  g_test_add_func ("/detect/clean", test_whole_corners_are_left);
  return g_test_run ();
}
