/* test_jpegset.c - coarse JPEGs get better, within what the file says */
#include "base/random.h"
#include "imaging/codec/codec.h"
#include "imaging/denoise/jpegset.h"
#include "imaging/detect/jpeggrid.h"
#include "imaging/inpaint/dct.h"
#include "imaging/metric.h"
#include "imaging/restore.h"
#include "tests/jpegs.h"
#include "tests/support.h"

static FoundNoise
find_noise (const Image *image)
{
  FoundNoise found;

  g_assert_true (image_find_noise (image, NULL, &found, NULL));
  return found;
}

#include <math.h>

static void
test_steps_are_read (void)
{
  g_autoptr (Image) photo = load_photo ("city10");
  g_autoptr (Image) coarse = through_jpeg (photo, 15);
  g_autoptr (Image) fine = through_jpeg (photo, 90);

  g_assert_false (photo->meta.has_steps);
  g_assert_true (coarse->meta.has_steps);
  g_assert_true (image_is_coarse_jpeg (coarse));
  g_assert_false (image_is_coarse_jpeg (fine));
  g_assert_cmpint (coarse->meta.steps[0][0], >, fine->meta.steps[0][0]);
}

/* Largest distance of a cosine of brightness from its interval, in levels. */
static double
farthest_outside (const Image *decoded, const Image *result)
{
  g_autoptr (Dct) dct = dct_new (8, 1);
  double farthest = 0;

  for (int top = 0; top + 8 <= result->height; top += 8)
    for (int left = 0; left + 8 <= result->width; left += 8) {
      float block[64], scratch[64];

      for (int i = 0; i < 64; i++) {
        const guint16 *a =
          image_pixel (decoded, left + i % 8, top + i / 8);
        const guint16 *b = image_pixel (result, left + i % 8, top + i / 8);

        block[i] = 0.299f * (float) (b[0] - a[0])
                   + 0.587f * (float) (b[1] - a[1])
                   + 0.114f * (float) (b[2] - a[2]);
      }
      dct_forward (dct, block, scratch, 1);
      for (int f = 0; f < 64; f++)
        farthest = fmax (farthest, (double) fabsf (block[f])
                                     - decoded->meta.steps[0][f] / 2.);
    }
  return farthest;
}

/* What `denoise` makes of @decoded with nothing told; it must see a JPEG. */
static Image *
restore_jpeg (const Image *decoded)
{
  Image *result = image_copy (decoded, NULL);
  g_autoptr (Mask) none = mask_new (decoded->width, decoded->height, NULL);
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  RestoreOptions options = RESTORE_DEFAULTS;

  options.quality = QUALITY_FAST;
  options.sigma = SIGMA_UNKNOWN;
  image_restore (result, none, &options, &report, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (report.noise.kind, ==, NOISE_JPEG);
  return result;
}

static void
test_coarse_jpeg_gets_better (void)
{
  const char *const photos[] = { "city10", "mountain5" };

  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    g_autoptr (Image) decoded = through_jpeg (photo, 15);
    g_autoptr (Image) result = restore_jpeg (decoded);

    g_test_message ("%s: %.2f dB, then %.2f; %.2f outside", photos[i],
                    psnr (photo, decoded), psnr (photo, result),
                    farthest_outside (decoded, result));
    g_assert_cmpfloat (psnr (photo, result), >, psnr (photo, decoded) + 0.4);
    /* Rounding to 8 bits moves a cosine by a level or two. */
    assert_at_most (farthest_outside (decoded, result), 6);
  }
}

/* At a quality at which no blocks are seen, its error is still removed, unless
 * the file says that the blocks were turned. */
static void
test_middling_jpeg_gets_better (void)
{
  const char *const photos[] = { "fields5", "mountain5", "water0" };

  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    g_autoptr (Image) decoded = through_jpeg (photo, 75);
    g_autoptr (Image) result = restore_jpeg (decoded);

    g_test_message ("%s: %.2f dB, then %.2f", photos[i],
                    psnr (photo, decoded), psnr (photo, result));
    g_assert_cmpfloat (psnr (photo, result), >, psnr (photo, decoded) + 0.1);
    decoded->meta.orientation = 6;
    g_assert_true (find_noise (decoded).kind != NOISE_JPEG);
  }
}

/* White noise of 20 levels. */
static void
add_white_noise (Image *image)
{
  gsize count = image_pixels (image) * (gsize) image->channels;

  for (gsize i = 0; i < count; i++) {
    double sample = image->samples[i] + 20 * random_normal (5, 0, i);

    image->samples[i] = (guint16) CLAMP (lround (sample), 0, 255);
  }
}

/* A file that has been made of white noise is known to, and its level. */
static void
test_white_noise_in_jpeg (void)
{
  const char *const photos[] = { "fields5", "mountain5", "city10" };
  const int qualities[] = { 75, 92 };

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i / 2]);
    g_autoptr (Image) decoded = NULL;
    FoundNoise noise;

    add_white_noise (photo);
    decoded = through_jpeg (photo, qualities[i % 2]);
    noise = find_noise (decoded);
    g_test_message ("%s, quality %d: kind %d, %.2f", photos[i / 2],
                    qualities[i % 2], (int) noise.kind, noise.sigma);
    g_assert_cmpint (noise.kind, ==, NOISE_WHITE);
    assert_at_most (fabs (noise.sigma / 20 - 1), 0.25);
  }
}

/* What may be noise keeps a picture out of the bounds of its JPEG. */
static void
test_bounds_hold_without_noise (void)
{
  g_autoptr (Image) photo = load_photo ("fields5");
  g_autoptr (Image) fine = through_jpeg (photo, 92);
  g_autoptr (Image) coarse = through_jpeg (photo, 15);

  g_assert_false (find_noise (fine).is_within_steps);
  g_assert_true (find_noise (coarse).is_within_steps);
}

/* The projection moves what is outside, and leaves what is inside. */
static void
test_projection (void)
{
  g_autoptr (Image) photo = load_photo ("snow4");
  g_autoptr (Image) decoded = through_jpeg (photo, 30);
  g_autoptr (Image) same = image_copy (decoded, NULL);
  g_autoptr (Image) flat = image_copy (decoded, NULL);

  image_project_to_jpeg (decoded, same);
  g_assert_true (isinf (psnr (decoded, same)));
  for (gsize i = 0; i < image_pixels (flat) * 3; i++)
    flat->samples[i] = 128;
  g_assert_cmpfloat (farthest_outside (decoded, flat), >, 100);
  image_project_to_jpeg (decoded, flat);
  assert_at_most (farthest_outside (decoded, flat), 6);
}

/* The quality that the file was written with is known from its steps. */
static void
test_quality (void)
{
  const int qualities[] = { 10, 15, 50, 75, 92 };
  g_autoptr (Image) photo = load_photo ("snow4");

  g_assert_cmpint (image_jpeg_quality (photo), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (qualities); i++) {
    g_autoptr (Image) decoded = through_jpeg (photo, qualities[i]);

    g_assert_cmpint (ABS (image_jpeg_quality (decoded) - qualities[i]), <=, 1);
  }
}

/* Blocks are found in what was a JPEG, wherever they begin, and nowhere else.
 */
static void
test_grid (void)
{
  const char *const photos[] = { "city10", "forest3", "mountain5", "snow4" };

  for (gsize i = 0; i < G_N_ELEMENTS (photos); i++) {
    g_autoptr (Image) photo = load_photo (photos[i]);
    g_autoptr (Image) decoded = through_jpeg (photo, 75);
    g_autoptr (Image) moved =
      image_new (photo->width - 3, photo->height - 5, 3, 8, NULL);

    for (int y = 0; y < moved->height; y++)
      memcpy (image_pixel (moved, 0, y), image_pixel (decoded, 3, y + 5),
              (gsize) moved->width * 3 * sizeof (guint16));
    g_assert_false (image_has_jpeg_grid (photo));
    g_assert_true (image_has_jpeg_grid (decoded));
    g_assert_true (image_has_jpeg_grid (moved));
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/jpegset/steps", test_steps_are_read);
  g_test_add_func ("/jpegset/better", test_coarse_jpeg_gets_better);
  g_test_add_func ("/jpegset/middling", test_middling_jpeg_gets_better);
  g_test_add_func ("/jpegset/white-noise", test_white_noise_in_jpeg);
  g_test_add_func ("/jpegset/bounds", test_bounds_hold_without_noise);
  g_test_add_func ("/jpegset/projection", test_projection);
  g_test_add_func ("/jpegset/quality", test_quality);
  g_test_add_func ("/jpegset/grid", test_grid);
  return g_test_run ();
}
