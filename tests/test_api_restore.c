/* test_api_restore.c - the public interface: restoring, finding, threads */
#include "tests/apiphoto.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- restoring ---- */

/* Restores a damaged photograph with so many threads, 0 for no context. */
static GBytes *
restored (int threads)
{
  TesseraContext *context = threads > 0 ? tessera_context_new (threads) : NULL;
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .quality = TESSERA_QUALITY_FAST };
  TesseraRestoreReport report = { .size = sizeof report };
  g_autoptr (GError) error = NULL;
  TesseraMask *missing;
  TesseraImage *image = damaged_photo (&missing);
  GBytes *png;

  tessera_restore (context, image, missing, &options, &report, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report.filled_pixels, ==, tessera_mask_count (missing));
  g_assert_cmpuint (report.patches, >, 0);
  png = png_of (image);
  tessera_mask_free (missing);
  tessera_image_free (image);
  tessera_context_free (context);
  return png;
}

static void
test_threads (void)
{
  g_autoptr (GBytes) alone = restored (0);

  for (int threads = 1; threads <= 3; threads++) {
    g_autoptr (GBytes) with = restored (threads);

    g_assert_true (g_bytes_equal (alone, with));
  }
}

typedef struct {
  TesseraContext *context;
  GBytes *result;
} Shared;

static gpointer
restore_shared (gpointer data)
{
  Shared *shared = data;
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .quality = TESSERA_QUALITY_FAST };
  TesseraMask *missing;
  TesseraImage *image = damaged_photo (&missing);

  g_assert_true (
    tessera_restore (shared->context, image, missing, &options, NULL, NULL));
  shared->result = png_of (image);
  tessera_mask_free (missing);
  tessera_image_free (image);
  return NULL;
}

static void
test_shared_context (void)
{
  TesseraContext *context = tessera_context_new (2);
  Shared shared[3] = { { context, NULL },
                       { context, NULL },
                       { context, NULL } };
  GThread *threads[3];

  for (int i = 0; i < 3; i++)
    threads[i] = g_thread_new ("user", restore_shared, &shared[i]);
  for (int i = 0; i < 3; i++)
    g_thread_join (threads[i]);
  g_assert_true (g_bytes_equal (shared[0].result, shared[1].result));
  g_assert_true (g_bytes_equal (shared[0].result, shared[2].result));
  for (int i = 0; i < 3; i++)
    g_bytes_unref (shared[i].result);
  tessera_context_free (context);
}

typedef struct {
  double last, stop_at;
  GThread *caller;
} Watch;

static gboolean
watch (double done, void *data)
{
  Watch *self = data;

  g_assert_true (g_thread_self () == self->caller);
  g_assert_cmpfloat (done, >=, self->last);
  g_assert_cmpfloat (done, <=, 1);
  self->last = done;
  return done < self->stop_at;
}

static void
test_cancel (void)
{
  TesseraContext *context = tessera_context_new (2);
  Watch self = { .stop_at = 0.3, .caller = g_thread_self () };
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .progress = watch,
                                    .progress_data = &self,
                                    .quality = TESSERA_QUALITY_FAST };
  TesseraMask *missing;
  TesseraImage *image = damaged_photo (&missing);
  g_autoptr (GBytes) before = png_of (image), after = NULL;
  GError *error = NULL;

  g_assert_false (
    tessera_restore (context, image, missing, &options, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
  g_clear_error (&error);
  after = png_of (image);
  g_assert_true (g_bytes_equal (before, after));
  self.last = 0;
  self.stop_at = 2;
  g_assert_true (
    tessera_restore (context, image, missing, &options, NULL, &error));
  g_assert_cmpfloat (self.last, ==, 1);
  tessera_mask_free (missing);
  tessera_image_free (image);
  tessera_context_free (context);
}

/* The host is asked, which is how it cancels, also while few large patches are
 * coded.  Processor time, since the machine may be busy. */
typedef struct {
  double start, last, longest;
} Questions;

static double
processor_seconds (void)
{
  return (double) clock () / CLOCKS_PER_SEC;
}

static gboolean
note_question (double done, void *data)
{
  Questions *self = data;
  double now = processor_seconds ();

  (void) done;
  self->longest = MAX (self->longest, now - self->last);
  self->last = now;
  return now - self->start < 5;
}

static void
test_asked_often (void)
{
  Questions questions = { processor_seconds (), processor_seconds (), 0 };
  TesseraDictionary *dictionary = tessera_dictionary_dct (32, 3, NULL);
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .progress = note_question,
                                    .progress_data = &questions,
                                    .dictionary = dictionary };
  TesseraMask *missing;
  TesseraImage *image = damaged_photo (&missing);

  tessera_restore (NULL, image, missing, &options, NULL, NULL);
  note_question (1, &questions);
  g_test_message ("asked after %.2f s at most", questions.longest);
  g_assert_cmpfloat (questions.longest, <, 2);
  tessera_mask_free (missing);
  tessera_image_free (image);
  tessera_dictionary_free (dictionary);
}

/* A striped picture with a half-opaque line, which @mask names. */
static TesseraImage *
veiled_stripes (TesseraMask **mask)
{
  guint8 bytes[48 * 48], line[48 * 48];
  const TesseraPixels pixels = { bytes, TESSERA_UINT8, 48, 1, 1 };
  TesseraImage *image = tessera_image_new (48, 48, 1, 8, NULL);

  for (int i = 0; i < 48 * 48; i++) {
    int x = i % 48, y = i / 48, value = 60 + 37 * (x * x + 5 * y * y) % 101;

    line[i] = x > 20 && x < 24 ? TESSERA_MASK_PIXEL : 0;
    bytes[i] = (guint8) (line[i] ? (value + 240) / 2 : value);
  }
  g_assert_true (tessera_image_set_pixels (image, &pixels, NULL));
  *mask = tessera_mask_new (48, 48, NULL);
  tessera_mask_set (*mask, line, 48);
  return image;
}

static void
test_see_through (void)
{
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .quality = TESSERA_QUALITY_FAST };
  GBytes *results[2];

  for (int i = 0; i < 2; i++) {
    TesseraMask *mask;
    TesseraImage *image = veiled_stripes (&mask);

    options.see_through = i;
    g_assert_true (
      tessera_restore (NULL, image, mask, &options, NULL, NULL));
    results[i] = png_of (image);
    tessera_image_free (image);
    tessera_mask_free (mask);
  }
  g_assert_false (g_bytes_equal (results[0], results[1]));
  g_bytes_unref (results[0]);
  g_bytes_unref (results[1]);
}

static void
test_grain_of_fills (void)
{
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .quality = TESSERA_QUALITY_FAST };
  TesseraDamageOptions damage = { .size = sizeof damage,
                                  .noise = 12,
                                  .block_side = 12,
                                  .block_count = 8 };
  TesseraImage *photo = read_photo ();
  GBytes *results[2];

  g_test_summary ("Fills get grain where noise is kept, if that is asked for");
  for (int i = 0; i < 2; i++) {
    TesseraMask *mask;
    TesseraImage *image = tessera_damage (photo, &damage, &mask, NULL);

    g_assert_nonnull (image);
    options.grain = i;
    g_assert_true (
      tessera_restore (NULL, image, mask, &options, NULL, NULL));
    results[i] = png_of (image);
    tessera_image_free (image);
    tessera_mask_free (mask);
  }
  g_assert_false (g_bytes_equal (results[0], results[1]));
  g_bytes_unref (results[0]);
  g_bytes_unref (results[1]);
  tessera_image_free (photo);
}

static void
test_grow (void)
{
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .quality = TESSERA_QUALITY_FAST };
  TesseraRestoreReport report = { .size = sizeof report };
  TesseraImage *image = read_photo (), *same = read_photo ();
  g_autofree guint8 *bytes =
    g_malloc0 ((gsize) tessera_image_width (image)
               * (gsize) tessera_image_height (image));
  int width = tessera_image_width (image);
  TesseraMask *mask = tessera_mask_new (width, tessera_image_height (image),
                                        NULL);
  g_autoptr (GBytes) wide = NULL, expected = NULL;
  GError *error = NULL;

  g_test_summary ("A mark that grows is filled like one that was larger, and "
                  "the mask stays");
  bytes[20 * width + 30] = TESSERA_MASK_PIXEL;
  tessera_mask_set (mask, bytes, width);
  options.grow = 1;
  g_assert_true (
    tessera_restore (NULL, image, mask, &options, &report, NULL));
  g_assert_cmpuint (report.filled_pixels, ==, 9);
  g_assert_cmpuint (tessera_mask_count (mask), ==, 1);
  for (int y = 19; y <= 21; y++)
    memset (bytes + y * width + 29, TESSERA_MASK_PIXEL, 3);
  tessera_mask_set (mask, bytes, width);
  options.grow = 0;
  g_assert_true (tessera_restore (NULL, same, mask, &options, NULL, NULL));
  wide = png_of (image);
  expected = png_of (same);
  g_assert_true (g_bytes_equal (wide, expected));
  for (int i = 0; i < 2; i++) {
    options.grow = i == 0 ? -1 : 17;
    g_assert_false (
      tessera_restore (NULL, same, mask, &options, NULL, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
    g_clear_error (&error);
  }
  tessera_mask_free (mask);
  tessera_image_free (image);
  tessera_image_free (same);
}

static void
test_restore_options (void)
{
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .quality = TESSERA_QUALITY_FAST,
                                    .noise = TESSERA_NOISE_GIVEN,
                                    .sigma = -1 };
  TesseraRestoreReport report = { .size = sizeof report };
  TesseraImage *image = read_photo ();
  TesseraMask *wrong = tessera_mask_new (7, 7, NULL);
  g_autoptr (GBytes) before = png_of (image), after = NULL, clean = NULL;
  GError *error = NULL;

  g_assert_false (tessera_restore (NULL, image, NULL, &options, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  options.noise = TESSERA_NOISE_KEEP;
  g_assert_false (
    tessera_restore (NULL, image, wrong, &options, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_true (tessera_restore (NULL, image, NULL, &options, NULL, NULL));
  after = png_of (image);
  g_assert_true (g_bytes_equal (before, after));
  options.fill = (TesseraFill) 3;
  g_assert_false (tessera_restore (NULL, image, NULL, &options, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  options.fill = TESSERA_FILL_AUTO;
  options.grain = 1.5;
  g_assert_false (tessera_restore (NULL, image, NULL, &options, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  options.grain = 0;
  options.area = (TesseraArea){ 0, 0, 1, 100000 };
  g_assert_false (tessera_restore (NULL, image, NULL, &options, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  options.area = (TesseraArea){ 0 };
  options.noise = TESSERA_NOISE_GIVEN;
  options.sigma = 20;
  g_assert_true (tessera_restore (NULL, image, NULL, &options, &report, NULL));
  g_assert_cmpfloat (report.sigma, ==, 20);
  clean = png_of (image);
  g_assert_false (g_bytes_equal (before, clean));
  tessera_mask_free (wrong);
  tessera_image_free (image);
}

/* A hole of 60 x 60 in the middle of 100 x 80 pixels, filled. */
static GBytes *
filled (TesseraFill fill, guint64 seed)
{
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .quality = TESSERA_QUALITY_FAST,
                                    .fill = fill,
                                    .seed = seed };
  TesseraImage *image = read_photo ();
  TesseraMask *hole = tessera_mask_new (100, 80, NULL);
  g_autofree guint8 *bytes = g_malloc0 (100 * 80);
  GBytes *png;

  for (int y = 10; y < 70; y++)
    memset (bytes + y * 100 + 20, TESSERA_MASK_PIXEL, 60);
  tessera_mask_set (hole, bytes, 100);
  g_assert_true (tessera_restore (NULL, image, hole, &options, NULL, NULL));
  png = png_of (image);
  tessera_mask_free (hole);
  tessera_image_free (image);
  return png;
}

static void
test_fill (void)
{
  g_autoptr (GBytes) smooth = filled (TESSERA_FILL_SMOOTH, 0);
  g_autoptr (GBytes) texture = filled (TESSERA_FILL_TEXTURE, 1);
  g_autoptr (GBytes) again = filled (TESSERA_FILL_TEXTURE, 1);

  g_assert_false (g_bytes_equal (smooth, texture));
  g_assert_true (g_bytes_equal (texture, again));
}

static void
test_find (void)
{
  TesseraDamageOptions damage = {
    .size = sizeof damage, .block_side = 10, .block_count = 9, .seed = 1
  };
  TesseraFindOptions find = { .size = sizeof find, .kinds = "blocks" };
  TesseraFindOptions unknown = { .size = sizeof unknown, .kinds = "blox" };
  TesseraImage *clean = read_photo (), *image;
  TesseraMask *missing, *found;
  GError *error = NULL;

  g_assert_cmpstr (tessera_find_name (0), !=, NULL);
  g_assert_cmpstr (tessera_find_noun (0), !=, NULL);
  g_assert_null (tessera_find_name (1000));
  image = tessera_damage (clean, &damage, &missing, NULL);
  found = tessera_find_damage (NULL, image, &find, NULL);
  g_assert_cmpuint (tessera_mask_count (found), ==, 900);
  g_assert_true (tessera_mask_add (found, missing, NULL));
  g_assert_cmpuint (tessera_mask_count (found), ==, 900);
  g_assert_null (tessera_find_damage (NULL, image, &unknown, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  tessera_mask_free (missing);
  tessera_mask_free (found);
  tessera_image_free (image);
  tessera_image_free (clean);
}

/* PSNR between a noisy picture and what is left when @grain stays. */
static double
change_by_removing (TesseraImage *noisy, double strength, double grain)
{
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .quality = TESSERA_QUALITY_FAST,
                                    .noise = TESSERA_NOISE_ESTIMATE,
                                    .strength = strength,
                                    .grain = grain };
  TesseraImage *image = tessera_image_copy (noisy, NULL);
  TesseraScore score = { .size = sizeof score };

  g_assert_true (tessera_restore (NULL, image, NULL, &options, NULL, NULL));
  g_assert_true (tessera_score (noisy, image, NULL, &score, NULL));
  tessera_image_free (image);
  return score.psnr;
}

static void
test_strength (void)
{
  TesseraDamageOptions damage = { .size = sizeof damage, .noise = 20 };
  TesseraImage *clean = read_photo ();
  TesseraImage *noisy = tessera_damage (clean, &damage, NULL, NULL);
  double usual = change_by_removing (noisy, 1, 0);

  g_assert_cmpfloat (change_by_removing (noisy, 0.3, 0), >, usual);
  g_assert_cmpfloat (change_by_removing (noisy, 1, 0.5), >, usual);
  tessera_image_free (noisy);
  tessera_image_free (clean);
}

static void
test_noise_level (void)
{
  TesseraDamageOptions damage = { .size = sizeof damage, .noise = 20 };
  TesseraImage *clean = read_photo ();
  TesseraImage *noisy = tessera_damage (clean, &damage, NULL, NULL);
  TesseraMask *wrong = tessera_mask_new (7, 7, NULL);
  GError *error = NULL;

  g_assert_cmpfloat (fabs (tessera_noise_level (NULL, noisy, NULL, NULL) - 20),
                     <, 3);
  g_assert_cmpfloat (tessera_noise_level (NULL, noisy, wrong, &error), <, 0);
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  tessera_mask_free (wrong);
  tessera_image_free (noisy);
  tessera_image_free (clean);
}

static void
test_noise_found (void)
{
  TesseraDamageOptions damage = { .size = sizeof damage, .noise = 20 };
  TesseraRestoreOptions options = { .size = sizeof options,
                                    .quality = TESSERA_QUALITY_FAST,
                                    .noise = TESSERA_NOISE_ESTIMATE };
  TesseraRestoreReport report = { .size = sizeof report };
  TesseraNoiseReport found = { .size = sizeof found }, unset = { 0 };
  TesseraImage *clean = read_photo ();
  TesseraImage *noisy = tessera_damage (clean, &damage, NULL, NULL);
  GError *error = NULL;

  g_assert_true (tessera_find_noise (NULL, noisy, NULL, &found, NULL));
  g_assert_cmpint (found.kind, !=, TESSERA_NOISE_NONE);
  g_assert_true (found.is_certain);
  g_assert_cmpfloat (fabs (found.sigma - 20), <, 3);
  g_assert_true (tessera_restore (NULL, noisy, NULL, &options, &report, NULL));
  g_assert_cmpint (report.noise_kind, ==, found.kind);
  g_assert_true (report.noise_is_certain);
  g_assert_cmpfloat (report.noise_sigma, ==, found.sigma);
  g_assert_false (tessera_find_noise (NULL, noisy, NULL, &unset, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  tessera_image_free (noisy);
  tessera_image_free (clean);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/api/threads", test_threads);
  g_test_add_func ("/api/shared-context", test_shared_context);
  g_test_add_func ("/api/cancel", test_cancel);
  g_test_add_func ("/api/asked-often", test_asked_often);
  g_test_add_func ("/api/restore-options", test_restore_options);
  g_test_add_func ("/api/fill", test_fill);
  g_test_add_func ("/api/see-through", test_see_through);
  g_test_add_func ("/api/grow", test_grow);
  g_test_add_func ("/api/grain-of-fills", test_grain_of_fills);
  g_test_add_func ("/api/find", test_find);
  g_test_add_func ("/api/strength", test_strength);
  g_test_add_func ("/api/noise-level", test_noise_level);
  g_test_add_func ("/api/noise-found", test_noise_found);
  return g_test_run ();
}
