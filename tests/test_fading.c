/* test_fading.c - contrast and neutral colours of faded pictures */
#include "imaging/fading.h"
#include "base/parallel.h"
#include "imaging/codec/pngmeta.h"
#include "imaging/restore.h"
#include "tests/pictures.h"
#include "tests/support.h"

#include <math.h>

/* Below that, a clean picture counts as harmed. */
#define UNHARMED 38.

enum { PHOTOS = 10 };

static const char *const photos[PHOTOS] = {
  "badlands5", "beach0",  "beach4",  "canyon7",   "city10",
  "fields5",   "fields7", "forest3", "mountain5", "snow4"
};

/* How a picture has faded: contrast by half, or by an amount that changes over
 * the picture, and a cast that leaves these fractions of its channels. */
typedef struct {
  const char *name;
  double cast[3];
  gboolean is_uneven;
  double least_gain; /* mean over the photographs, in dB */
} Fading;

static const Fading fadings[] = {
  { "half of the contrast", { 1, 1, 1 }, FALSE, 7.5 },
  { "half, and yellow", { 1, 0.95, 0.72 }, FALSE, 7.5 },
  { "half, and uneven", { 1, 1, 1 }, TRUE, 4 },
  { "half, yellow and uneven", { 1, 0.95, 0.72 }, TRUE, 5 }
};

/* About -1 .. 1. */
static double
uneven_at (double u, double v)
{
  return 0.5 * u + 0.3 * v + 0.2 * cos (0.8 * G_PI * u) * cos (0.7 * G_PI * v);
}

static void
fade (Image *image, const Fading *fading)
{
  int peak = image_peak (image);

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) {
      double u = 2. * x / (image->width - 1) - 1;
      double v = 2. * y / (image->height - 1) - 1;
      double contrast = 0.5, middle = 0.5;

      if (fading->is_uneven) {
        contrast += 0.15 * uneven_at (u, v);
        middle += 0.05 * uneven_at (u, -v);
      }
      for (int c = 0; c < image_colours (image); c++) {
        guint16 *sample = image_pixel (image, x, y) + c;
        double value = (double) *sample / peak;

        value = fading->cast[c] * (middle + contrast * (value - 0.5));
        *sample = (guint16) CLAMP (value * peak + 0.5, 0, peak);
      }
    }
}

static Image *
faded_photo (const char *name, const Fading *fading)
{
  Image *image = load_photo (name);

  fade (image, fading);
  return image;
}

static Mask *
empty_mask (const Image *image)
{
  return mask_new (image->width, image->height, NULL);
}

static FoundFading
undo (Image *image, const Mask *missing, FadingMode mode)
{
  g_autoptr (Mask) nothing = empty_mask (image);
  g_autoptr (GError) error = NULL;
  FoundFading found;

  g_assert_true (image_undo_fading (
    image, missing != NULL ? missing : nothing, mode, &found, &error));
  g_assert_no_error (error);
  return found;
}

/* ---- what it is for ---- */

static void
test_faded (void)
{
  g_test_summary ("Faded photographs come closer to what they were");

  for (gsize f = 0; f < G_N_ELEMENTS (fadings); f++) {
    double before = 0, after = 0;
    int better = 0;

    for (int i = 0; i < PHOTOS; i++) {
      g_autoptr (Image) clean = load_photo (photos[i]);
      g_autoptr (Image) image = faded_photo (photos[i], &fadings[f]);
      double was = psnr (clean, image), is;

      undo (image, NULL, FADING_AUTO);
      is = psnr (clean, image);
      g_test_message ("%s, %s: %.1f to %.1f dB", photos[i], fadings[f].name,
                      was, is);
      better += is >= was;
      before += was / PHOTOS;
      after += is / PHOTOS;
    }
    g_test_message ("%s: %.1f to %.1f dB", fadings[f].name, before, after);
    g_assert_cmpfloat (after - before, >=, fadings[f].least_gain);
    /* Evening light cannot be told from a cast. */
    g_assert_cmpint (better, >=, PHOTOS - 1);
  }
}

static void
test_clean (void)
{
  g_autoptr (GDir) folder = g_dir_open ("data/photos", 0, NULL);
  int pictures = 0;

  g_test_summary ("Clean photographs stay as they are");

  for (const char *name; (name = g_dir_read_name (folder)) != NULL;) {
    g_autofree char *path = g_build_filename ("data/photos", name, NULL);
    g_autoptr (Image) clean = load_image (path);
    g_autoptr (Image) image = image_copy (clean, NULL);
    FoundFading found = undo (image, NULL, FADING_AUTO);

    g_test_message ("%s: span %.2f", name, found.span);
    g_assert_cmpfloat (psnr (clean, image), >=, UNHARMED);
    pictures++;
  }
  g_assert_cmpint (pictures, >=, 19);
}

/* At night and in a low key there is black. */
static void
test_dark (void)
{
  g_autoptr (Image) clean = load_photo ("city11");
  gsize samples = 3 * image_pixels (clean);
  g_autoptr (Image) image = NULL;
  FoundFading found;

  for (gsize i = 0; i < samples; i++)
    clean->samples[i] = (guint16) (clean->samples[i] * 2 / 5);
  image = image_copy (clean, NULL);
  found = undo (image, NULL, FADING_AUTO);
  g_assert_cmpfloat (found.span, <, 0.45);
  assert_same_samples (image, clean);
  undo (image, NULL, FADING_ALWAYS);
  g_assert_cmpfloat (psnr (clean, image), <, 30);
}

/* ---- tones ---- */

/* A brown photograph of half the contrast. */
static Image *
sepia_photo (void)
{
  static const double tone[] = { 1.1, 1, 0.82 };
  Image *image = load_photo ("city10");

  for (gsize i = 0; i < image_pixels (image); i++) {
    guint16 *pixel = image->samples + 3 * i;
    double grey = 70 + 0.45 * (pixel[0] + pixel[1] + pixel[2]) / 3;

    for (int c = 0; c < 3; c++)
      pixel[c] = (guint16) (tone[c] * grey + 0.5);
  }
  return image;
}

static void
test_sepia (void)
{
  g_autoptr (Image) sepia = sepia_photo ();
  g_autoptr (Image) image = image_copy (sepia, NULL);
  g_autoptr (Image) neutral = image_copy (sepia, NULL);
  FoundFading found = undo (image, NULL, FADING_AUTO);
  int darkest = 255, brightest = 0;

  g_test_summary ("Sepia gains contrast, keeps its tone, and loses it if asked");

  g_assert_true (found.is_toned && found.is_changed);
  undo (neutral, NULL, FADING_NEUTRAL);
  for (gsize i = 0; i < image_pixels (image); i++) {
    const guint16 *was = sepia->samples + 3 * i, *is = image->samples + 3 * i;
    const guint16 *grey = neutral->samples + 3 * i;

    darkest = MIN (darkest, is[1]);
    brightest = MAX (brightest, is[1]);
    g_assert_true (grey[0] == grey[1] && grey[1] == grey[2]);
    for (int c = 0; c < 3; c += 2)
      if (is[c] > 0 && is[c] < 255 && is[1] > 0 && is[1] < 255)
        g_assert_cmpint (ABS (is[c] - is[1] - (was[c] - was[1])), <=, 1);
  }
  g_assert_cmpint (darkest, <, 40);
  g_assert_cmpint (brightest, >, 220);
}

/* A toned picture with all its contrast loses the tone only. */
static void
test_neutral_alone (void)
{
  g_autoptr (Image) image = load_photo ("city11");
  g_autoptr (Image) copy = NULL;
  FoundFading found;

  for (gsize i = 0; i < image_pixels (image); i++)
    image->samples[3 * i] = image->samples[3 * i + 2] =
      image->samples[3 * i + 1];
  copy = image_copy (image, NULL);
  for (gsize i = 0; i < image_pixels (image); i++)
    copy->samples[3 * i + 2] =
      (guint16) (0.8 * copy->samples[3 * i + 2] + 0.5);
  found = undo (copy, NULL, FADING_NEUTRAL);
  g_assert_true (found.is_toned && found.is_changed);
  g_assert_cmpfloat (found.strength, ==, 0);
  g_assert_cmpfloat (psnr (image, copy), >, 30);
  for (gsize i = 0; i < image_pixels (image); i++)
    g_assert_cmpint (copy->samples[3 * i], ==, copy->samples[3 * i + 2]);
}

/* ---- kinds of pictures ---- */

static void
test_depths (void)
{
  g_autoptr (Image) image = faded_photo ("beach4", &fadings[3]);
  g_autoptr (Image) deep = image_new (image->width, image->height, 3, 16,
                                      NULL);
  gsize samples = 3 * image_pixels (image);

  g_test_summary ("16 bits lead to the colours of 8 bits");

  for (gsize i = 0; i < samples; i++)
    deep->samples[i] = (guint16) (257 * image->samples[i]);
  undo (image, NULL, FADING_AUTO);
  undo (deep, NULL, FADING_AUTO);
  for (gsize i = 0; i < samples; i++)
    g_assert_cmpint (ABS (257 * image->samples[i] - deep->samples[i]), <=,
                     130);
}

/* The green of @image. */
static Image *
green_of (const Image *image)
{
  Image *grey = image_new (image->width, image->height, 1, 8, NULL);

  for (gsize i = 0; i < image_pixels (image); i++)
    grey->samples[i] = image->samples[3 * i + 1];
  return grey;
}

static void
test_grey (void)
{
  g_autoptr (Image) colour = faded_photo ("beach4", &fadings[0]);
  g_autoptr (Image) clean = load_photo ("beach4");
  g_autoptr (Image) grey = green_of (colour);
  g_autoptr (Image) wanted = green_of (clean);
  double was = psnr (wanted, grey);

  g_test_summary ("Grey pictures gain contrast, in one channel or in three");

  for (gsize i = 0; i < image_pixels (grey); i++)
    for (gsize c = 0; c < 3; c++)
      colour->samples[3 * i + c] = grey->samples[i];
  g_assert_true (undo (grey, NULL, FADING_AUTO).is_changed);
  g_assert_true (undo (colour, NULL, FADING_AUTO).is_changed);
  g_assert_cmpfloat (psnr (wanted, grey), >, was + 6);
  for (gsize i = 0; i < image_pixels (grey); i++)
    for (gsize c = 0; c < 3; c++)
      g_assert_cmpint (colour->samples[3 * i + c], ==, grey->samples[i]);
}

static void
test_left_alone (void)
{
  g_autoptr (Image) small = random_picture (5, 5, 3, 8);
  g_autoptr (Image) coarse = random_picture (60, 50, 1, 4);
  g_autoptr (Image) plain = image_new (60, 50, 3, 8, NULL);
  Image *images[] = { small, coarse, plain };

  g_test_summary ("Tiny, coarse and plain pictures stay");

  for (gsize i = 0; i < 60 * 50; i++)
    plain->samples[3 * i + 1] = (guint16) (90 + i % 3);
  for (gsize i = 0; i < G_N_ELEMENTS (images); i++) {
    g_autoptr (Image) copy = image_copy (images[i], NULL);

    undo (images[i], NULL, FADING_AUTO);
    assert_same_samples (images[i], copy);
    undo (images[i], NULL, FADING_ALWAYS);
    assert_same_samples (images[i], copy);
  }
}

static void
test_palette (void)
{
  g_autoptr (Image) image = random_palette_picture (90, 80, 8, 0);
  g_autoptr (Image) back = NULL;

  for (gsize i = 0; i < 3 * image_pixels (image); i++)
    image->samples[i] = (guint16) (90 + image->samples[i] / 4);
  undo (image, NULL, FADING_AUTO);
  g_assert_null (image->palette);
  back = through_file (image, TESSERA_PNG);
  assert_same_samples (back, image);
}

/* ---- who has a say ---- */

/* Hides the middle of @image; at @is_mask with a mask, else as transparent. */
static Mask *
hide_middle (Image *image, gboolean is_mask)
{
  Mask *mask = empty_mask (image);

  for (int y = image->height / 4; y < image->height / 2; y++)
    for (int x = image->width / 4; x < image->width / 2; x++) {
      guint16 *pixel = image_pixel (image, x, y);

      for (int c = 0; c < 3; c++)
        pixel[c] = (guint16) g_test_rand_int_range (0, 256);
      if (is_mask)
        mask->missing[y * image->width + x] = MASK_PIXEL;
      else
        pixel[3] = 0;
    }
  return mask;
}

static Image *
with_alpha (const Image *image)
{
  Image *copy = image_new (image->width, image->height, 4, 8, NULL);

  for (gsize i = 0; i < image_pixels (image); i++) {
    for (gsize c = 0; c < 3; c++)
      copy->samples[4 * i + c] = image->samples[3 * i + c];
    copy->samples[4 * i + 3] = 200;
  }
  return copy;
}

static void
test_hidden (gconstpointer data)
{
  gboolean is_mask = GPOINTER_TO_INT (data);
  g_autoptr (Image) plain = faded_photo ("canyon7", &fadings[3]);
  g_autoptr (Image) first = with_alpha (plain);
  g_autoptr (Image) second = image_copy (first, NULL);
  g_autoptr (Mask) mask = hide_middle (first, is_mask);
  g_autoptr (Mask) other = hide_middle (second, is_mask);
  g_autoptr (Image) before = image_copy (first, NULL);

  g_test_summary ("Pixels that are missing or transparent have no say");

  g_assert_true (undo (first, mask, FADING_AUTO).is_changed);
  undo (second, other, FADING_AUTO);
  for (int y = 0; y < first->height; y++)
    for (int x = 0; x < first->width; x++) {
      gboolean is_hidden =
        y >= first->height / 4 && y < first->height / 2
        && x >= first->width / 4 && x < first->width / 2;
      const guint16 *a = image_pixel (first, x, y);

      if (!is_hidden)
        assert_same_memory (a, image_pixel (second, x, y), 8);
      else if (!is_mask)
        assert_same_memory (a, image_pixel (before, x, y), 8);
      g_assert_cmpint (a[3], ==, is_hidden && !is_mask ? 0 : 200);
    }
}

static void
test_threads (void)
{
  g_autoptr (Image) one = faded_photo ("forest3", &fadings[3]);
  g_autoptr (Image) three = image_copy (one, NULL);
  g_autoptr (ThreadPool) pool = thread_pool_new (3);
  ParallelScope scope;

  parallel_enter (&scope, NULL);
  g_assert_true (undo (one, NULL, FADING_AUTO).is_changed);
  parallel_leave (&scope);
  parallel_enter (&scope, pool);
  undo (three, NULL, FADING_AUTO);
  parallel_leave (&scope);
  assert_same_samples (one, three);
}

/* ---- with the rest of the work ---- */

static void
restore (Image *image, const Mask *missing, FadingMode mode,
         RestoreReport *report)
{
  RestoreOptions options = RESTORE_DEFAULTS;
  g_autoptr (GError) error = NULL;

  options.quality = QUALITY_FAST;
  options.sigma = 8;
  options.fading = mode;
  g_assert_true (image_restore (image, missing, &options, report, NULL,
                                &error));
  g_assert_no_error (error);
}

static void
test_last (void)
{
  g_autoptr (Image) photo = load_photo_middle ("canyon7", 120, 100);
  g_autoptr (Image) plain = NULL, copy = NULL;
  g_autoptr (Mask) mask = NULL;
  g_auto (RestoreReport) report = { 0 };

  g_test_summary ("Fading is undone in what was filled and denoised before");

  fade (photo, &fadings[1]);
  mask = hide_middle (photo, TRUE);
  add_chunk (photo, "tEXt", PLACE_BEFORE_IDAT, "Title");
  copy = image_copy (photo, NULL);
  plain = image_copy (photo, NULL);
  restore (photo, mask, FADING_AUTO, &report);
  g_assert_true (report.fading.is_changed);
  g_assert_cmpuint (report.masked_pixels, >, 0);
  g_assert_cmpfloat (report.sigma, ==, 8);
  restore (plain, mask, FADING_KEEP, &report);
  g_assert_false (report.fading.is_changed);
  undo (plain, mask, FADING_AUTO);
  assert_same_samples (photo, plain);
  assert_same_meta (&photo->meta, &copy->meta);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/fading/faded", test_faded);
  g_test_add_func ("/fading/clean", test_clean);
  g_test_add_func ("/fading/dark", test_dark);
  g_test_add_func ("/fading/sepia", test_sepia);
  g_test_add_func ("/fading/neutral-alone", test_neutral_alone);
  g_test_add_func ("/fading/depths", test_depths);
  g_test_add_func ("/fading/grey", test_grey);
  g_test_add_func ("/fading/left-alone", test_left_alone);
  g_test_add_func ("/fading/palette", test_palette);
  g_test_add_data_func ("/fading/masked", GINT_TO_POINTER (TRUE), test_hidden);
  g_test_add_data_func ("/fading/transparent", GINT_TO_POINTER (FALSE),
                        test_hidden);
  g_test_add_func ("/fading/threads", test_threads);
  g_test_add_func ("/fading/last", test_last);
  return g_test_run ();
}
