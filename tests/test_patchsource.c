/* test_patchsource.c - the right patches, all of them, well shuffled
 *
 * There are no files here: a name such as "3 40x30" is picture number 3 of
 * that size, whose samples tell where they are.
 */
#include "base/error.h"
#include "imaging/patchsource.h"
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A 16-bit sample holds  picture * 4096 + y * 64 + x  in the first channel:
 * up to 16 pictures of up to 64 x 64. */
#define SIDE 64

typedef struct {
  int picture, x, y;
} Origin;

/* What the loader was asked for. */
typedef struct {
  int loads, skips;
  int cancel_after; /* loads; 0 for never */
} Record;

/* "N WxH", "N WxH grey", "N WxH 8" and "N WxH alpha" are pictures, anything
 * else is broken. */
static Image *
load (const char *path, gpointer data, GError **error)
{
  Record *record = data;
  int picture, width, height;
  char kind[16] = "";
  Image *image;

  record->loads++;
  if (record->cancel_after > 0 && record->loads > record->cancel_after) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED, "");
    return NULL;
  }
  if (sscanf (path, "%d %dx%d %15s", &picture, &width, &height, kind) < 3) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT, "broken");
    return NULL;
  }
  image = image_new (width, height,
                     g_str_equal (kind, "grey")    ? 1
                     : g_str_equal (kind, "alpha") ? 4
                                                   : 3,
                     g_str_equal (kind, "8") ? 8 : 16, NULL);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      guint16 *pixel = image_pixel (image, x, y);

      pixel[0] =
        (guint16) (image->depth == 8 ? x
                                     : picture * SIDE * SIDE + y * SIDE + x);
      for (int c = 1; c < image->channels; c++)
        pixel[c] = (guint16) (c * 1000 % (image_peak (image) + 1));
    }
  return image;
}

static void
count_skip (const char *path, const char *why, gpointer data)
{
  Record *record = data;

  g_assert_nonnull (path);
  g_assert_nonnull (why);
  record->skips++;
}

static PatchSource *
new_source (const char *const *names, PatchSourceOptions options,
            Record *record)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; names[i] != NULL; i++)
    g_ptr_array_add (paths, g_strdup (names[i]));
  options.load = load;
  options.skipped = count_skip;
  options.data = record;
  return patch_source_new (paths, &options, NULL);
}

/* Everything up to the end of the epoch, read in blocks of an odd size. */
static Mat
read_epoch (PatchSource *source, int rows)
{
  g_auto (Mat) block = mat_new (rows, 37);
  Mat all = mat_new (rows, 4000);
  int total = 0, count;

  while ((count = patch_source_read (source, &block)) > 0) {
    Mat from = mat_columns (&block, 0, count);
    Mat to;

    g_assert_cmpint (total + count, <=, all.cols);
    to = mat_columns (&all, total, count);
    mat_copy (&from, &to);
    total += count;
  }
  all.cols = total;
  return all;
}

static Origin
origin_of (double sample)
{
  int code = (int) lrint (sample * 65535);

  return (Origin){ code / SIDE / SIDE, code % SIDE, code / SIDE % SIDE };
}

/* Checks that column @j is a patch as it stands in its picture, red plane row
 * after row and then the others, and returns where. */
static Origin
check_patch (const Mat *Y, int j, int side)
{
  Origin origin = origin_of (*mat_at (Y, 0, j));

  for (int i = 0; i < side * side; i++) {
    Origin o = origin_of (*mat_at (Y, i, j));

    g_assert_cmpint (o.picture, ==, origin.picture);
    g_assert_cmpint (o.x, ==, origin.x + i % side);
    g_assert_cmpint (o.y, ==, origin.y + i / side);
    for (int c = 1; c < 3; c++)
      assert_at_most (
        fabs (*mat_at (Y, c * side * side + i, j) - c * 1000 / 65535.0), 1e-6);
  }
  return origin;
}

/* ---- which patches ---- */

static void
test_all (void)
{
  const char *names[] = { "0 20x11", "1 9x30", "2 6x6", NULL };
  const int sizes[][2] = { { 20, 11 }, { 9, 30 }, { 6, 6 } };

  g_test_summary ("Without a limit each place of the grid comes just once");

  for (int step = 1; step <= 4; step++) {
    Record record = { 0 };
    g_autoptr (PatchSource) source = new_source (
      names, (PatchSourceOptions){ .patch = 6, .channels = 3, .step = step },
      &record);
    g_auto (Mat) Y = read_epoch (source, 108);
    g_autofree guint8 *seen = g_new0 (guint8, 3 * SIDE * SIDE);
    int expected = 0;

    for (int j = 0; j < Y.cols; j++) {
      Origin o = check_patch (&Y, j, 6);

      g_assert_cmpint (o.x % step + o.y % step, ==, 0);
      g_assert_cmpint (seen[(o.picture * SIDE + o.y) * SIDE + o.x]++, ==, 0);
    }
    for (int i = 0; i < 3; i++)
      expected +=
        ((sizes[i][0] - 6) / step + 1) * ((sizes[i][1] - 6) / step + 1);
    g_assert_cmpint (Y.cols, ==, expected);
    g_assert_cmpint (patch_source_used (source), ==, 3);
  }
}

static void
test_shares (void)
{
  const char *names[] = { "0 40x40", "1 50x30", "2 64x64", "3 30x30",
                          "4 33x64", "5 40x40", "6 41x50", NULL };
  const int limits[] = { 1, 3, 7, 50, 1000, 1003 };

  g_test_summary ("The limit is met exactly, in even shares, no place twice");

  for (gsize l = 0; l < G_N_ELEMENTS (limits); l++) {
    Record record = { 0 };
    g_autoptr (PatchSource) source =
      new_source (names,
                  (PatchSourceOptions){ .patch = 8,
                                        .channels = 3,
                                        .step = 1,
                                        .max_patches = (guint64) limits[l] },
                  &record);
    g_auto (Mat) Y = read_epoch (source, 192);
    g_autofree guint8 *seen = g_new0 (guint8, 7 * SIDE * SIDE);
    int share[7] = { 0 };

    g_assert_cmpint (Y.cols, ==, limits[l]);
    for (int j = 0; j < Y.cols; j++) {
      Origin o = check_patch (&Y, j, 8);

      share[o.picture]++;
      g_assert_cmpint (seen[(o.picture * SIDE + o.y) * SIDE + o.x]++, ==, 0);
    }
    for (int i = 0; i < 7; i++) {
      g_assert_cmpint (share[i], >=, limits[l] / 7);
      g_assert_cmpint (share[i], <=, (limits[l] + 6) / 7);
    }
    /* What gives nothing is not even read. */
    g_assert_cmpint (record.loads, ==, MIN (7, limits[l]));
  }
}

static void
test_others_make_up (void)
{
  const char *names[] = { "1 64x64", "broken", "2 64x64", "3 9x9",
                          "4 64x64", "x",      "5 64x64", NULL };
  int met = 0;

  g_test_summary ("Those that come later make up for what is missing");

  for (guint64 seed = 0; seed < 20; seed++) {
    Record record = { 0 };
    g_autoptr (PatchSource) source =
      new_source (names,
                  (PatchSourceOptions){ .patch = 8,
                                        .channels = 3,
                                        .step = 1,
                                        .max_patches = 700,
                                        .seed = seed },
                  &record);
    g_auto (Mat) Y = read_epoch (source, 192);

    /* No picture comes after the last one. */
    g_assert_cmpint (Y.cols, <=, 700);
    met += Y.cols == 700;
    /* From the second epoch on all is known but for the small one. */
    mat_clear (&Y);
    patch_source_begin (source, 1);
    Y = read_epoch (source, 192);
    g_assert_cmpint (Y.cols, >=, 4 * 140);
  }
  g_assert_cmpint (met, >=, 5);
}

static void
test_skipped (void)
{
  const char *names[] = { "0 20x20", "broken", "1 7x50", "2 50x7",
                          "3 8x8",   "worse",  NULL };
  const char *none[] = { "broken", "0 7x7", NULL };
  Record record = { 0 };
  PatchSourceOptions options = { .patch = 8, .channels = 3, .step = 1 };
  g_autoptr (PatchSource) source = new_source (names, options, &record);
  g_autoptr (PatchSource) empty = NULL;
  g_auto (Mat) block = mat_new (192, 10);

  g_test_summary ("Broken and small pictures are counted and told of once");

  for (int epoch = 0; epoch < 3; epoch++) {
    g_auto (Mat) Y = { 0 };

    patch_source_begin (source, epoch);
    Y = read_epoch (source, 192);
    g_assert_cmpint (Y.cols, ==, 13 * 13 + 1);
    g_assert_cmpint (patch_source_used (source), ==, 2);
    g_assert_cmpint (patch_source_skipped (source), ==, 4);
  }
  g_assert_cmpint (record.skips, ==, 4);
  g_assert_cmpint (record.loads, ==, 6 + 2 + 2);

  empty = new_source (none, options, &record);
  g_assert_cmpint (patch_source_read (empty, &block), ==, 0);
  g_assert_cmpint (patch_source_used (empty), ==, 0);
  g_assert_cmpint (patch_source_skipped (empty), ==, 2);
}

static void
test_cancel (void)
{
  const char *names[] = { "0 20x20", "1 20x20", "2 20x20", "3 20x20", NULL };
  Record record = { .cancel_after = 2 };
  g_autoptr (PatchSource) source = new_source (
    names, (PatchSourceOptions){ .patch = 8, .channels = 3, .step = 1 },
    &record);
  g_auto (Mat) Y = read_epoch (source, 192);

  g_test_summary ("A loader that was cancelled ends the epoch");

  g_assert_cmpint (Y.cols, ==, 2 * 13 * 13);
  g_assert_cmpint (record.loads, ==, 3);
  g_assert_cmpint (patch_source_skipped (source), ==, 0);
}

/* ---- in which order ---- */

static void
test_order (void)
{
  const char *names[] = { "0 40x40", "1 40x40", "2 40x40", "3 40x40", NULL };
  Record record = { 0 };
  PatchSourceOptions options = {
    .patch = 4, .channels = 3, .step = 1, .max_patches = 2000, .seed = 5
  };
  g_autoptr (PatchSource) source = new_source (names, options, &record);
  g_autoptr (PatchSource) same = new_source (names, options, &record);
  g_autoptr (PatchSource) other = NULL;
  g_auto (Mat) first = read_epoch (source, 48);
  g_auto (Mat) again = read_epoch (same, 48);
  g_auto (Mat) different = { 0 };
  g_auto (Mat) second = { 0 };
  g_auto (Mat) rewound = { 0 };
  int alike = 0, before = 0, rising = 0;

  g_test_summary ("Shuffled by the seed and the epoch, the same each time");

  options.seed = 6;
  other = new_source (names, options, &record);
  different = read_epoch (other, 48);
  patch_source_begin (source, 1);
  second = read_epoch (source, 48);
  patch_source_begin (source, 0);
  rewound = read_epoch (source, 48);
  g_assert_cmpint (first.cols, ==, 2000);
  g_assert_cmpfloat (largest_difference (&first, &again), ==, 0);
  g_assert_cmpfloat (largest_difference (&first, &rewound), ==, 0);
  g_assert_cmpfloat (largest_difference (&first, &second), >, 0.01);
  g_assert_cmpfloat (largest_difference (&first, &different), >, 0.01);

  /* Of random neighbours a quarter is from the same picture, and half of all
   * are further down than the one before; bounds of five deviations. */
  for (int j = 0; j < first.cols; j++) {
    Origin o = origin_of (*mat_at (&first, 0, j));

    if (j > 0) {
      Origin last = origin_of (*mat_at (&first, 0, j - 1));

      alike += o.picture == last.picture;
      rising += o.y > last.y;
    }
    before += j < 1000 && o.picture == 0;
  }
  g_assert_cmpint (ABS (alike - 500), <, 100);
  g_assert_cmpint (ABS (rising - 973), <, 115);
  g_assert_cmpint (ABS (before - 250), <, 60);
}

/* A picture with hundreds of times more patches than the pool has room for,
 * black above and white below. */
static Image *
load_two_halves (const char *path, gpointer data, GError **error)
{
  Image *image = image_new (1500, 1400, 1, 8, error);

  (void) path;
  (void) data;
  for (gsize i = image_pixels (image) / 2; i < image_pixels (image); i++)
    image->samples[i] = 255;
  return image;
}

static void
test_spread_in_time (void)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  PatchSourceOptions options = {
    .patch = 32, .channels = 1, .step = 1, .load = load_two_halves
  };
  g_autoptr (PatchSource) source = NULL;
  g_auto (Mat) block = mat_new (1024, 1000);

  g_test_summary ("The top of a large picture does not come before its "
                  "bottom");

  g_ptr_array_add (paths, (char *) "one");
  source = patch_source_new (paths, &options, NULL);
  for (int i = 0; i < 30; i++) {
    int white = 0;

    g_assert_cmpint (patch_source_read (source, &block), ==, 1000);
    for (int j = 0; j < 1000; j++)
      white += *mat_at (&block, 0, j) > 0.5;
    g_assert_cmpint (ABS (white - 500), <, 100);
  }
}

/* ---- kinds of pictures ---- */

static void
test_kinds (void)
{
  const char *kinds[] = { "0 8x8", "0 8x8 grey", "0 8x8 alpha", "0 8x8 8" };

  g_test_summary ("Colour to grey is the mean, grey to colour three times it");

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++) {
    const char *names[] = { kinds[k], NULL };
    gboolean is_grey = k == 1;
    double peak = k == 3 ? 255 : 65535;
    double green = k == 3 ? 1000 % 256 : 1000;
    double blue = k == 3 ? 2000 % 256 : 2000;

    for (int channels = 1; channels <= 3; channels += 2) {
      Record record = { 0 };
      g_autoptr (PatchSource) source = new_source (
        names,
        (PatchSourceOptions){ .patch = 8, .channels = channels, .step = 1 },
        &record);
      g_auto (Mat) Y = read_epoch (source, 64 * channels);

      g_assert_cmpint (Y.cols, ==, 1);
      for (int i = 0; i < 64; i++) {
        double red = k == 3 ? i % 8 : i / 8 * SIDE + i % 8;
        double plane[3] = { red, is_grey ? red : green, is_grey ? red : blue };

        if (channels == 1)
          plane[0] = (plane[0] + plane[1] + plane[2]) / 3;
        for (int c = 0; c < channels; c++)
          assert_at_most (fabs (*mat_at (&Y, c * 64 + i, 0) - plane[c] / peak),
                          1e-6);
      }
    }
  }
}

/* ---- memory ---- */

/* Most of what this process ever had in memory, in bytes; 0 where unknown.
 * The sanitizers keep for a while what was freed, or shadow it. */
static double
peak_memory (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (SANITIZED
      || !g_file_get_contents ("/proc/self/status", &text, NULL, NULL)
      || (line = strstr (text, "VmHWM:")) == NULL)
    return 0;
  return 1024 * g_ascii_strtod (line + 6, NULL);
}

static void
test_memory (void)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PatchSource) source = NULL;
  Record record = { 0 };
  PatchSourceOptions options = { .patch = 25,
                                 .channels = 3,
                                 .step = 1,
                                 .max_patches = 100000,
                                 .load = load,
                                 .data = &record };
  g_auto (Mat) block = mat_new (1875, 64);
  double before = peak_memory ();
  gint64 total = 0;
  int count;

  g_test_summary ("Memory is that of the pool, 24 MB, however much there is");

  if (before == 0) {
    g_test_skip ("nobody can tell");
    return;
  }
  for (int i = 0; i < 200; i++)
    g_ptr_array_add (paths, g_strdup ("0 60x60"));
  source = patch_source_new (paths, &options, NULL);
  while ((count = patch_source_read (source, &block)) > 0)
    total += count;
  g_assert_cmpint (total, ==, 100000);
  assert_at_most (peak_memory () - before, 40e6);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  /* First, while the most that was ever used is not much. */
  g_test_add_func ("/patchsource/memory", test_memory);
  g_test_add_func ("/patchsource/all", test_all);
  g_test_add_func ("/patchsource/shares", test_shares);
  g_test_add_func ("/patchsource/others-make-up", test_others_make_up);
  g_test_add_func ("/patchsource/skipped", test_skipped);
  g_test_add_func ("/patchsource/cancel", test_cancel);
  g_test_add_func ("/patchsource/order", test_order);
  g_test_add_func ("/patchsource/spread-in-time", test_spread_in_time);
  g_test_add_func ("/patchsource/kinds", test_kinds);
  return g_test_run ();
}
