/* test_restore.c - known pixels stay, missing ones come from the known */
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "dictlearn/starts.h"
#include "imaging/damage.h"
#include "imaging/metric.h"
#include "imaging/restore.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

static gsize
sample_count (const Image *image)
{
  return image_pixels (image) * (gsize) image->channels;
}

static gboolean
same_samples (const Image *a, const Image *b)
{
  return memcmp (a->samples, b->samples, sample_count (a) * sizeof (guint16))
         == 0;
}

/* A smooth picture: waves of one period per side. */
static Image *
smooth_image (int width, int height, int channels, int depth)
{
  Image *image = image_new (width, height, channels, depth, NULL);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < channels; c++)
        image_pixel (image, x, y)[c] =
          (guint16) (image_peak (image)
                     * (0.5 + 0.2 * sin (6.28 * x / width + c)
                        + 0.2 * cos (6.28 * y / height)));
  if (image_has_alpha (image))
    for (gsize i = 0; i < image_pixels (image); i++)
      image->samples[(i + 1) * (gsize) channels - 1] =
        (guint16) image_peak (image);
  return image;
}

static Mask *
random_mask (const Image *image, double share, guint64 seed)
{
  Mask *mask = mask_new (image->width, image->height, NULL);

  for (gsize i = 0; i < image_pixels (image); i++)
    mask->missing[i] = random_uniform (seed, 9, i) < share;
  return mask;
}

static void
scribble_under (Image *image, const Mask *mask, guint64 seed)
{
  for (gsize i = 0; i < sample_count (image); i++)
    if (mask->missing[i / (gsize) image->channels]
        && (!image_has_alpha (image)
            || (i + 1) % (gsize) image->channels != 0))
      image->samples[i] =
        (guint16) random_below (seed, 8, i, (guint64) image_peak (image) + 1);
}

static void
restore (Image *image, const Mask *mask, const Dictionary *dictionary)
{
  RestoreOptions options = RESTORE_DEFAULTS;
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (GError) error = NULL;

  options.dictionary = dictionary;
  image_restore (image, mask, &options, &report, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report.masked_pixels, ==, mask_count (mask));
}

/* Every kind of picture: what is known stays bit for bit, what is painted
 * under the mask has no influence, a smooth picture comes back. */
static void
test_all_kinds (void)
{
  const int depths[] = { 1, 4, 8, 16 };
  g_autoptr (Dictionary) grey = dictionary_dct (8, 1);
  g_autoptr (Dictionary) colour = dictionary_dct (8, 3);
  const Dictionary *dictionaries[] = { NULL, grey, colour };

  for (int channels = 1; channels <= 4; channels++)
    for (gsize d = 0; d < G_N_ELEMENTS (depths); d++)
      for (gsize k = 0; k < G_N_ELEMENTS (dictionaries); k++) {
        g_autoptr (Image) clean = NULL;
        g_autoptr (Image) first = NULL;
        g_autoptr (Image) second = NULL;
        g_autoptr (Mask) mask = NULL;

        if (depths[d] < 8 && channels > 1)
          continue;
        clean = smooth_image (48, 37, channels, depths[d]);
        mask = random_mask (clean, 0.5, d);
        first = image_copy (clean, NULL);
        second = image_copy (clean, NULL);
        scribble_under (first, mask, 1);
        scribble_under (second, mask, 2);
        g_assert_false (same_samples (first, second));
        restore (first, mask, dictionaries[k]);
        restore (second, mask, dictionaries[k]);
        g_assert_true (same_samples (first, second));
        for (gsize i = 0; i < sample_count (clean); i++) {
          int off = ABS (first->samples[i] - clean->samples[i]);

          if (!mask->missing[i / (gsize) channels])
            g_assert_cmpint (off, ==, 0);
          else
            assert_at_most (off, 1 + image_peak (clean) / 32);
        }
      }
}

/* Growing inward must not explode: what is filled, five patches from the next
 * known pixel, stays near the range of what is known, and is not left as it
 * was. */
static void
test_hole_larger_than_a_patch (void)
{
  g_autoptr (Image) image = smooth_image (90, 80, 3, 8);
  g_autoptr (Mask) mask = mask_new (90, 80, NULL);
  int least = 255, most = 0;

  for (int y = 10; y < 65; y++)
    memset (mask->missing + y * 90 + 20, 1, 50);
  for (gsize i = 0; i < sample_count (image); i++)
    if (mask->missing[i / 3])
      image->samples[i] = 0;
    else {
      least = MIN (least, image->samples[i]);
      most = MAX (most, image->samples[i]);
    }
  restore (image, mask, NULL);
  for (gsize i = 0; i < sample_count (image); i++) {
    g_assert_cmpint (image->samples[i], >, MAX (0, least - 25));
    g_assert_cmpint (image->samples[i], <, most + 25);
  }
}

/* Also where patches are separate and some lie wholly in the hole. */
static void
test_paper_protocol_fills_large_holes (void)
{
  g_autoptr (Image) image = smooth_image (90, 80, 3, 8);
  g_autoptr (Mask) mask = mask_new (90, 80, NULL);
  RestoreOptions options = { .paper_protocol = TRUE };
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (GError) error = NULL;

  for (int y = 10; y < 51; y++)
    memset (mask->missing + y * 90 + 20, 1, 41);
  image_restore (image, mask, &options, &report, NULL, &error);
  g_assert_no_error (error);
}

static void
test_pictures_smaller_than_a_patch (void)
{
  for (int width = 1; width <= 9; width += 4)
    for (int height = 1; height <= 9; height += 4) {
      g_autoptr (Image) image = smooth_image (width, height, 3, 8);
      g_autoptr (Mask) mask = mask_new (width, height, NULL);
      g_autoptr (GError) error = NULL;
      RestoreOptions options = RESTORE_DEFAULTS;
      g_auto (RestoreReport) report = { 0 };
      gboolean some_known = width * height > 1;

      mask->missing[0] = 1;
      g_assert_true (
        image_restore (image, mask, &options, &report, NULL, &error)
        == some_known);
      if (!some_known)
        g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
    }
}

/* What cannot be seen is no knowledge: the colour behind transparent pixels
 * does not leak into the filled ones. */
static void
test_transparent_pixels_do_not_leak (void)
{
  g_autoptr (Image) one = smooth_image (40, 30, 4, 8);
  g_autoptr (Mask) mask = random_mask (one, 0.2, 4);
  g_autoptr (Image) other = NULL;

  for (gsize i = 0; i < image_pixels (one); i += 3)
    one->samples[4 * i + 3] = 0;
  other = image_copy (one, NULL);
  for (gsize i = 0; i < image_pixels (one); i += 3)
    other->samples[4 * i] = 255;
  restore (one, mask, NULL);
  restore (other, mask, NULL);
  for (gsize i = 0; i < image_pixels (one); i++)
    if (mask->missing[i])
      g_assert_cmpmem (one->samples + 4 * i, 8, other->samples + 4 * i, 8);
}

static void
test_threads_give_the_same (void)
{
  g_autoptr (Image) photo = load_photo_middle ("forest3", 120, 90);
  g_autoptr (Mask) mask = random_mask (photo, 0.6, 5);
  g_autoptr (Image) one = image_copy (photo, NULL);

  parallel_init (1);
  restore (one, mask, NULL);
  for (int threads = 2; threads <= 4; threads += 2) {
    g_autoptr (Image) more = image_copy (photo, NULL);

    parallel_init (threads);
    restore (more, mask, NULL);
    g_assert_true (same_samples (one, more));
  }
}

static void
test_errors_leave_the_picture_alone (void)
{
  g_autoptr (Image) image = smooth_image (30, 30, 3, 8);
  g_autoptr (Image) before = image_copy (image, NULL);
  g_autoptr (Mask) all = mask_new (30, 30, NULL);
  g_autoptr (Mask) wrong = mask_new (31, 30, NULL);
  g_autoptr (Mask) some = random_mask (image, 0.5, 6);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Progress progress = { .cancellable = cancellable };
  RestoreOptions options = RESTORE_DEFAULTS;
  g_auto (RestoreReport) report = { 0 };
  GError *error = NULL;

  memset (all->missing, 1, 900);
  g_assert_false (image_restore (image, all, &options, &report, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_false (
    image_restore (image, wrong, &options, &report, NULL, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  g_assert_false (
    image_restore (image, some, &options, &report, &progress, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_true (same_samples (image, before));
}

/* Better quality is better, and all of them beat the paper's protocol. */
static void
test_qualities (void)
{
  g_autoptr (Image) photo = load_photo_middle ("mountain5", 120, 90);
  g_autoptr (Mask) mask = random_mask (photo, 0.5, 7);
  const RestoreOptions options[] = { { .paper_protocol = TRUE },
                                     { .quality = QUALITY_FAST },
                                     { .quality = QUALITY_NORMAL },
                                     { .quality = QUALITY_BEST } };
  double last = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (options); i++) {
    g_autoptr (Image) image = image_copy (photo, NULL);
    g_auto (RestoreReport) report = { 0 };
    ImageScore score;

    scribble_under (image, mask, 8);
    g_assert_true (
      image_restore (image, mask, &options[i], &report, NULL, NULL));
    g_assert_true (image_score (photo, image, NULL, &score, NULL));
    g_test_message ("%.2f dB", score.psnr);
    g_assert_cmpfloat (score.psnr, >, last);
    last = score.psnr;
  }
}

/* An opaque alpha channel, which makes image_restore() look at all of the
 * picture. */
static Image *
with_alpha (const Image *image)
{
  Image *copy = image_new (image->width, image->height, 4, 8, NULL);

  for (gsize i = 0; i < image_pixels (image); i++) {
    memcpy (copy->samples + i * 4, image->samples + i * 3,
            3 * sizeof (guint16));
    copy->samples[i * 4 + 3] = 255;
  }
  return copy;
}

static void
assert_same_colours (const Image *image, const Image *alpha)
{
  for (gsize i = 0; i < image_pixels (image); i++)
    g_assert_cmpint (memcmp (image->samples + i * 3, alpha->samples + i * 4,
                             3 * sizeof (guint16)),
                     ==, 0);
}

static void
test_only_surroundings_count (void)
{
  g_test_summary ("Work on the surroundings alone gives the same bytes");

  g_autoptr (Image) photo = load_photo ("beach0");
  g_autoptr (Dictionary) dictionary = dictionary_dct (8, 3);
  const int corners[][2] = { { 0, 0 }, { 131, 97 }, { 226, 61 } };

  for (gsize i = 0; i < G_N_ELEMENTS (corners) * 3 * 2; i++) {
    const int *corner = corners[i % G_N_ELEMENTS (corners)];
    RestoreOptions options = { .quality = (RestoreQuality) (i / 3 % 3),
                               .dictionary = i < 9 ? NULL : dictionary };
    g_autoptr (Image) part = image_copy (photo, NULL);
    g_autoptr (Image) whole = with_alpha (photo);
    g_autoptr (Mask) mask = mask_new (photo->width, photo->height, NULL);
    g_auto (RestoreReport) one = { 0 }, other = { 0 };

    for (int y = corner[1]; y < corner[1] + 23; y++)
      memset (mask->missing + y * photo->width + corner[0], 1, 14);
    g_assert_true (image_restore (part, mask, &options, &one, NULL, NULL));
    g_assert_true (image_restore (whole, mask, &options, &other, NULL, NULL));
    assert_same_colours (part, whole);
    g_assert_cmpuint (one.patches, ==, other.patches);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/restore/kinds", test_all_kinds);
  g_test_add_func ("/restore/large-hole", test_hole_larger_than_a_patch);
  g_test_add_func ("/restore/paper-hole",
                   test_paper_protocol_fills_large_holes);
  g_test_add_func ("/restore/tiny", test_pictures_smaller_than_a_patch);
  g_test_add_func ("/restore/transparent",
                   test_transparent_pixels_do_not_leak);
  g_test_add_func ("/restore/surroundings", test_only_surroundings_count);
  g_test_add_func ("/restore/threads", test_threads_give_the_same);
  g_test_add_func ("/restore/errors", test_errors_leave_the_picture_alone);
  g_test_add_func ("/restore/qualities", test_qualities);
  return g_test_run ();
}
