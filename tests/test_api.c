/* test_api.c - the public interface: objects, options, errors, threads */
#include "include/tessera.h"
#include "tests/support.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define PHOTO "data/photos/beach4.png"

/* The upper left of a photograph, which is soon restored. */
static TesseraImage *
read_photo (void)
{
  g_autoptr (GError) error = NULL;
  TesseraImage *image = tessera_image_read (PHOTO, NULL, &error);
  TesseraImage *part = tessera_image_new (100, 80, 3, 8, NULL);
  int width = image != NULL ? tessera_image_width (image) : 0;
  g_autofree guint8 *data = NULL;
  TesseraPixels pixels = { NULL, TESSERA_UINT8, 3 * width, 3, 1 };

  g_assert_no_error (error);
  pixels.data = data =
    g_malloc ((gsize) (width * tessera_image_height (image) * 3));
  g_assert_true (tessera_image_get_pixels (image, &pixels, NULL));
  g_assert_true (tessera_image_set_pixels (part, &pixels, NULL));
  tessera_image_free (image);
  return part;
}

/* A photograph with blocks missing; the caller frees both. */
static TesseraImage *
damaged_photo (TesseraMask **missing)
{
  TesseraDamageOptions damage = { .size = sizeof damage,
                                  .missing = 0.2,
                                  .block_side = 8,
                                  .block_count = 9,
                                  .seed = 3 };
  TesseraImage *clean = read_photo ();
  TesseraImage *image = tessera_damage (clean, &damage, missing, NULL);

  g_assert_nonnull (image);
  tessera_image_free (clean);
  return image;
}

/* The bytes of a PNG of @image. */
static GBytes *
png_of (const TesseraImage *image)
{
  TesseraWriteOptions options = { .size = sizeof options,
                                  .format = TESSERA_PNG };
  g_autoptr (GError) error = NULL;
  gsize size;
  gpointer data = tessera_image_encode (image, &options, &size, &error);

  g_assert_no_error (error);
  return g_bytes_new_with_free_func (data, size, tessera_free, data);
}

/* ---- options ---- */

static void
test_options (void)
{
  struct {
    TesseraReadOptions known;
    int later;
  } newer = { { .size = sizeof newer }, 0 };
  TesseraReadOptions unset = { 0 };
  TesseraReadOptions shorter = { .size = sizeof (gsize), .max_side = 1 };
  GError *error = NULL;
  TesseraImage *image;

  g_test_summary ("A struct may be older or newer, but must have a size");
  g_assert_null (tessera_image_read (PHOTO, &unset, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  image = tessera_image_read (PHOTO, &shorter, &error);
  g_assert_no_error (error); /* max_side is beyond its size */
  tessera_image_free (image);
  image = tessera_image_read (PHOTO, &newer.known, &error);
  g_assert_no_error (error);
  tessera_image_free (image);
  newer.later = 1;
  g_assert_null (tessera_image_read (PHOTO, &newer.known, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
}

static void
test_reports (void)
{
  struct {
    TesseraScore known;
    int later;
  } newer = { { .size = sizeof newer }, 7 };
  struct {
    gsize size;
    double psnr, not_written;
  } older = { .size = sizeof (gsize) + sizeof (double), .not_written = -1 };
  TesseraScore unset = { 0 };
  TesseraImage *image = read_photo ();
  GError *error = NULL;

  g_assert_true (tessera_score (image, image, NULL, &newer.known, NULL));
  g_assert_true (isinf (newer.known.psnr));
  g_assert_cmpint (newer.later, ==, 0);
  g_assert_cmpuint (newer.known.size, ==, sizeof newer);
  g_assert_true (
    tessera_score (image, image, NULL, (TesseraScore *) &older, NULL));
  g_assert_true (isinf (older.psnr));
  g_assert_cmpfloat (older.not_written, ==, -1);
  g_assert_false (tessera_score (image, image, NULL, &unset, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  tessera_image_free (image);
}

/* ---- images and masks ---- */

static void
test_pixels (void)
{
  static const TesseraType types[] = { TESSERA_UINT8, TESSERA_UINT16,
                                       TESSERA_FLOAT32, TESSERA_FLOAT64 };
  static const int sizes[] = { 1, 2, 4, 8 };
  TesseraImage *image = read_photo ();
  int width = tessera_image_width (image);
  int height = tessera_image_height (image);
  g_autoptr (GBytes) expected = png_of (image);

  g_test_summary ("Out and in again by any type and strides is the same");
  for (int t = 0; t < 4; t++) {
    gsize bytes = (gsize) (width * height * 3 * sizes[t]);
    g_autofree guint8 *data = g_malloc (bytes + 1);
    TesseraImage *copy = tessera_image_copy (image, NULL);
    TesseraImage *black = tessera_image_new (width, height, 3, 8, NULL);
    g_autoptr (GBytes) got = NULL;
    TesseraScore score = { .size = sizeof score };
    /* Upside down, plane after plane, not aligned. */
    TesseraPixels pixels = { .data =
                               data + 1 + (height - 1) * width * sizes[t],
                             .type = types[t],
                             .row_stride = -width * sizes[t],
                             .pixel_stride = sizes[t],
                             .channel_stride = width * height * sizes[t] };

    g_assert_true (tessera_image_get_pixels (image, &pixels, NULL));
    g_assert_true (tessera_image_set_pixels (black, &pixels, NULL));
    g_assert_true (tessera_score (image, black, NULL, &score, NULL));
    g_assert_true (isinf (score.psnr));
    g_assert_true (tessera_image_set_pixels (copy, &pixels, NULL));
    got = png_of (copy);
    g_assert_true (g_bytes_equal (got, expected));
    tessera_image_free (copy);
    tessera_image_free (black);
  }
  tessera_image_free (image);
}

static void
test_pixel_ranges (void)
{
  TesseraImage *deep = tessera_image_new (2, 1, 1, 16, NULL);
  float values[] = { -0.5f, 1.5f };
  guint16 samples[2];
  TesseraPixels floats = { values, TESSERA_FLOAT32, 8, 4, 4 };
  TesseraPixels shorts = { samples, TESSERA_UINT16, 4, 2, 2 };
  TesseraPixels bytes = { samples, TESSERA_UINT8, 2, 1, 1 };
  GError *error = NULL;

  g_assert_true (tessera_image_set_pixels (deep, &floats, NULL));
  g_assert_true (tessera_image_get_pixels (deep, &shorts, NULL));
  g_assert_cmpint (samples[0], ==, 0);
  g_assert_cmpint (samples[1], ==, 65535);
  g_assert_false (tessera_image_get_pixels (deep, &bytes, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  values[1] = NAN;
  g_assert_false (tessera_image_set_pixels (deep, &floats, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  tessera_image_free (deep);
  g_assert_null (tessera_image_new (2, 1, 3, 4, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
}

static void
test_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tessera-XXXXXX", NULL);
  g_autofree char *png = g_build_filename (folder, "a.png", NULL);
  g_autofree char *jpeg = g_build_filename (folder, "a.jpg", NULL);
  g_autofree char *other = g_build_filename (folder, "a.tiff", NULL);
  TesseraImage *image = read_photo (), *back;
  g_autoptr (GBytes) before = png_of (image), after = NULL;
  GError *error = NULL;

  for (int i = 0; i < 2; i++) /* the second time it exists */
    g_assert_true (tessera_image_write (image, png, NULL, NULL));
  g_assert_true (tessera_image_write (image, jpeg, NULL, NULL));
  g_assert_false (tessera_image_write (image, other, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  back = tessera_image_read (png, NULL, NULL);
  after = png_of (back);
  g_assert_true (g_bytes_equal (before, after));
  g_assert_null (tessera_image_read (other, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, other));
  g_clear_error (&error);
  g_remove (png);
  g_remove (jpeg);
  g_rmdir (folder);
  tessera_image_free (back);
  tessera_image_free (image);
}

static void
test_masks (void)
{
  guint8 bytes[] = { 0, 1, 255, /* row */ 2, 0, 8 }, back[6];
  TesseraMask *mask = tessera_mask_new (3, 2, NULL), *copy, *picture_mask;
  TesseraMask *small = tessera_mask_new (2, 2, NULL);
  TesseraImage *picture;
  GError *error = NULL;

  tessera_mask_set (mask, bytes, 3);
  g_assert_cmpuint (tessera_mask_count (mask), ==, 4);
  copy = tessera_mask_copy (mask, NULL);
  tessera_mask_get (copy, back, 3);
  g_assert_cmpint (back[2], ==, 15); /* unknown bits are gone */
  g_assert_cmpint (back[3], ==, TESSERA_MASK_CHANNEL (0));
  picture = tessera_mask_to_image (mask, NULL);
  g_assert_cmpint (tessera_image_channels (picture), ==, 3);
  picture_mask =
    tessera_mask_from_image (picture, TESSERA_MASK_TOGETHER, NULL);
  g_assert_cmpuint (tessera_mask_count (picture_mask), ==, 4);
  g_assert_false (tessera_mask_add (mask, small, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  tessera_mask_free (mask);
  tessera_mask_free (copy);
  tessera_mask_free (small);
  tessera_mask_free (picture_mask);
  tessera_image_free (picture);
}

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

/* ---- dictionaries and arrays ---- */

static void
test_dictionaries (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tessera-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "d.safetensors", NULL);
  TesseraDictionary *dct = tessera_dictionary_dct (4, 3, NULL), *other;
  g_autofree double *a = g_new (double, 48 * 48), *b = g_new (double, 48 * 48);
  TesseraMatrix columns = { a, TESSERA_FLOAT64, 48, 48, 8, 8 * 48 };
  TesseraMatrix rows = { b, TESSERA_FLOAT64, 48, 48, 8 * 48, 8 };
  TesseraImage *mosaic;
  GError *error = NULL;

  g_assert_true (tessera_dictionary_get_atoms (dct, &columns, NULL));
  for (int i = 0; i < 48 * 48; i++)
    a[i] *= 5; /* lengths do not matter */
  other = tessera_dictionary_from_atoms (&columns, 4, 3, NULL);
  g_assert_cmpint (tessera_dictionary_patch (other), ==, 4);
  g_assert_cmpint (tessera_dictionary_channels (other), ==, 3);
  g_assert_cmpint (tessera_dictionary_atoms (other), ==, 48);
  g_assert_true (tessera_dictionary_write (other, path, NULL));
  tessera_dictionary_free (other);
  other = tessera_dictionary_read (path, NULL);
  g_assert_true (tessera_dictionary_get_atoms (other, &rows, NULL));
  for (int j = 0; j < 48; j++)
    for (int i = 0; i < 48; i++)
      g_assert_cmpfloat (fabs (b[i * 48 + j] - a[j * 48 + i] / 5), <, 1e-6);
  mosaic = tessera_dictionary_mosaic (other, 2, NULL);
  g_assert_nonnull (mosaic);
  a[48 * 3] = INFINITY;
  g_assert_null (tessera_dictionary_from_atoms (&columns, 4, 3, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_null (tessera_dictionary_from_atoms (&columns, 5, 3, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_null (tessera_dictionary_dct (65, 3, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  g_remove (path);
  g_rmdir (folder);
  tessera_image_free (mosaic);
  tessera_dictionary_free (other);
  tessera_dictionary_free (dct);
}

enum { N = 12, K = 20, P = 50, S = 3 };

/* Three random atoms for each of P signals, as rows of doubles; the codes are
 * found exactly, with and without hidden samples. */
static void
test_pursuit (void)
{
  g_auto (MatF) D = random_dictionary (N, K, 1);
  TesseraMatrix atoms = { D.data, TESSERA_FLOAT32, N, K, 4, 4 * D.ld };
  g_auto (Mat) values = random_mat (S, P, 2);
  g_autofree double *Y = g_new0 (double, N *P), *back = g_new0 (double, N *P);
  g_autofree float *weights = g_new (float, N *P);
  /* One signal per row, as numpy has it. */
  TesseraMatrix signals = { Y, TESSERA_FLOAT64, N, P, 8, 8 * N };
  TesseraMatrix result = { back, TESSERA_FLOAT64, N, P, 8, 8 * N };
  TesseraMatrix w = { weights, TESSERA_FLOAT32, N, P, 4, 4 * N };
  int counts[P], indices[P * S];
  float x[P * S];
  TesseraCodes codes = { S, counts, indices, x };
  TesseraContext *context = tessera_context_new (2);
  TesseraPursuit *pursuit = tessera_pursuit_new (context, &atoms, NULL);
  GError *error = NULL;

  tessera_context_free (context); /* the pursuit keeps it */
  for (int j = 0; j < P; j++) {
    int first = j % K;
    double size = 1 + fabs (*mat_at (&values, 0, j));

    for (int i = 0; i < N; i++)
      Y[j * N + i] = size * *matf_at (&D, i, first);
  }
  for (int i = 0; i < N * P; i++)
    weights[i] = i % 5 != 0;
  for (int masked = 0; masked < 2; masked++) {
    for (int i = 0; i < N * P; i++)
      if (masked && weights[i] == 0)
        Y[i] = NAN; /* hidden, so it does not count */
    g_assert_true (tessera_pursuit_encode (
      pursuit, &signals, masked ? &w : NULL, NULL, &codes, &error));
    g_assert_no_error (error);
    g_assert_true (tessera_pursuit_decode (pursuit, &codes, &result, NULL));
    for (int j = 0; j < P; j++) {
      double size = 1 + fabs (*mat_at (&values, 0, j));

      g_assert_cmpint (counts[j], >=, 1);
      g_assert_cmpint (indices[j * S], ==, j % K);
      for (int i = 0; i < N; i++)
        g_assert_cmpfloat (
          fabs (back[j * N + i] - size * *matf_at (&D, i, j % K)), <, 1e-4);
    }
  }
  g_assert_false (
    tessera_pursuit_encode (pursuit, &signals, NULL, NULL, &codes, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT); /* NaN */
  g_clear_error (&error);
  weights[7] = 1.5f;
  g_assert_false (
    tessera_pursuit_encode (pursuit, &signals, &w, NULL, &codes, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  indices[0] = K;
  g_assert_false (tessera_pursuit_decode (pursuit, &codes, &result, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  tessera_pursuit_free (pursuit);
  D.data[0] += 1;
  g_assert_null (tessera_pursuit_new (NULL, &atoms, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
}

/* ---- learning ---- */

static void
test_learner (void)
{
  g_auto (Mat) Y = random_mat (16, 400, 5);
  TesseraMatrix samples = { Y.data, TESSERA_FLOAT64, 16, 400, 8, 8 * 16 };
  g_auto (MatF) D = matf_new (16, 24);
  TesseraMatrix atoms = { D.data, TESSERA_FLOAT32, 16, 24, 4, 4 * 16 };
  TesseraLearnOptions options = { .size = sizeof options,
                                  .algorithm = "ksvd",
                                  .length = 16,
                                  .atoms = 24,
                                  .iterations = 3,
                                  .atoms_per_sample = 3 };
  TesseraLearnStatus status = { .size = sizeof status };
  TesseraLearner *learner = tessera_learner_new (NULL, &options, NULL);
  GError *error = NULL;

  g_assert_false (tessera_learner_get_atoms (learner, &atoms, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_true (tessera_learner_feed (learner, &samples, NULL));
  g_assert_false (tessera_learner_done (learner));
  g_assert_true (tessera_learner_finish (learner, NULL));
  g_assert_true (tessera_learner_status (learner, &status, NULL));
  g_assert_cmpint (status.iterations, ==, 3);
  g_assert_cmpuint (status.samples, ==, 400);
  g_assert_true (tessera_learner_get_atoms (learner, &atoms, NULL));
  for (int j = 0; j < 24; j++) {
    double sum = 0;

    for (int i = 0; i < 16; i++)
      sum += pow (*matf_at (&D, i, j), 2);
    g_assert_cmpfloat (fabs (sum - 1), <, 1e-5);
  }
  g_assert_null (tessera_learner_dictionary (learner, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  *mat_at (&Y, 3, 3) = NAN;
  g_assert_false (tessera_learner_feed (learner, &samples, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  tessera_learner_free (learner);
}

static void
test_every_algorithm (void)
{
  g_auto (Mat) Y = random_mat (27, 300, 5);
  TesseraMatrix samples = { Y.data, TESSERA_FLOAT64, 27, 300, 8, 8 * 27 };
  int count = 0;

  for (; tessera_algorithm_name (count) != NULL; count++) {
    TesseraLearnOptions options = { .size = sizeof options,
                                    .algorithm =
                                      tessera_algorithm_name (count),
                                    .patch = 3,
                                    .iterations = 2,
                                    .window = 50 };
    g_autoptr (GError) error = NULL;
    TesseraLearner *learner = tessera_learner_new (NULL, &options, &error);
    TesseraDictionary *dictionary;

    g_assert_no_error (error);
    tessera_learner_feed (learner, &samples, &error);
    g_assert_no_error (error);
    tessera_learner_finish (learner, &error);
    g_assert_no_error (error);
    dictionary = tessera_learner_dictionary (learner, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (tessera_dictionary_algorithm (dictionary), ==,
                     options.algorithm);
    g_assert_cmpint (tessera_dictionary_atoms (dictionary), ==, 27);
    g_assert_nonnull (tessera_algorithm_summary (count));
    tessera_dictionary_free (dictionary);
    tessera_learner_free (learner);
  }
  g_assert_cmpint (count, >=, 7);
}

static void
test_learn_from_files (void)
{
  const char *paths[] = { "no/such/file.png", PHOTO };
  TesseraLearnOptions options = {
    .size = sizeof options, .patch = 4, .iterations = 3, .window = 200
  };
  TesseraDictionary *dictionary =
    tessera_learn_from_files (NULL, paths, 2, &options, NULL);
  GError *error = NULL;

  g_assert_cmpint (tessera_dictionary_atoms (dictionary), ==, 48);
  tessera_dictionary_free (dictionary);
  g_assert_null (tessera_learn_from_files (NULL, paths, 1, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, paths[0]));
  g_clear_error (&error);
  options.algorithm = "frobnicate";
  g_assert_null (tessera_learn_from_files (NULL, paths, 2, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
}

static void
test_version (void)
{
  g_autofree char *header =
    g_strdup_printf ("%d.%d.%d", TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR,
                     TESSERA_VERSION_MICRO);

  g_assert_cmpstr (tessera_version (), ==, header);
  g_assert_true (g_str_has_prefix (tessera_blas_name (), "OpenBLAS"));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/api/version", test_version);
  g_test_add_func ("/api/options", test_options);
  g_test_add_func ("/api/reports", test_reports);
  g_test_add_func ("/api/pixels", test_pixels);
  g_test_add_func ("/api/pixel-ranges", test_pixel_ranges);
  g_test_add_func ("/api/files", test_files);
  g_test_add_func ("/api/masks", test_masks);
  g_test_add_func ("/api/threads", test_threads);
  g_test_add_func ("/api/shared-context", test_shared_context);
  g_test_add_func ("/api/cancel", test_cancel);
  g_test_add_func ("/api/restore-options", test_restore_options);
  g_test_add_func ("/api/fill", test_fill);
  g_test_add_func ("/api/find", test_find);
  g_test_add_func ("/api/strength", test_strength);
  g_test_add_func ("/api/noise-level", test_noise_level);
  g_test_add_func ("/api/dictionaries", test_dictionaries);
  g_test_add_func ("/api/pursuit", test_pursuit);
  g_test_add_func ("/api/learner", test_learner);
  g_test_add_func ("/api/every-algorithm", test_every_algorithm);
  g_test_add_func ("/api/learn-from-files", test_learn_from_files);
  return g_test_run ();
}
