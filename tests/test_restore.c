/* test_restore.c - known pixels stay, missing ones come from the known */
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "dictlearn/initial.h"
#include "imaging/damage/damage.h"
#include "imaging/metric.h"
#include "imaging/restore.h"
#include "tests/support.h"

#include <gio/gio.h>
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

/* Every kind of picture: what is known stays bit for bit, masked pixels never
 * affect the result, a smooth picture comes back. */
static void
test_all_kinds (void)
{
  const int depths[] = { 1, 4, 8, 16 };
  g_autoptr (Dictionary) grey = dictionary_dct (8, 1, NULL);
  g_autoptr (Dictionary) colour = dictionary_dct (8, 3, NULL);
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

/* Also where patches are separate and some lie wholly in the hole: nothing is
 * left as it was, and nothing leaves the range of what is known. */
static void
test_paper_protocol_fills_large_holes (void)
{
  g_autoptr (Image) clean = smooth_image (90, 80, 3, 8);
  g_autoptr (Image) image = image_copy (clean, NULL);
  g_autoptr (Mask) mask = mask_new (90, 80, NULL);
  RestoreOptions options = { .paper_protocol = TRUE };
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (GError) error = NULL;

  for (int y = 10; y < 51; y++)
    memset (mask->missing + y * 90 + 20, 1, 41);
  for (gsize i = 0; i < sample_count (image); i++)
    if (mask->missing[i / 3])
      image->samples[i] = 0;
  image_restore (image, mask, &options, &report, NULL, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < sample_count (image); i++)
    if (!mask->missing[i / 3]) {
      g_assert_cmpint (image->samples[i], ==, clean->samples[i]);
    } else {
      g_assert_cmpint (image->samples[i], >, 10);
      g_assert_cmpint (image->samples[i], <, 245);
    }
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

/* Invisible pixels count as unknown: the colour behind transparent pixels does
 * not leak into the filled ones. */
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

/* A picture with more below and to the right of it, of which nothing is
 * missing there, has the same holes filled the same way: nothing far from a
 * hole has any influence, and neither have the blocks the work is cut into. */
static void
test_more_picture_changes_nothing (void)
{
  g_autoptr (Image) large = load_photo_middle ("forest3", 340, 175);
  g_autoptr (Image) small = image_new (150, 140, 3, 8, NULL);
  g_autoptr (Mask) large_mask = mask_new (340, 175, NULL);
  g_autoptr (Mask) small_mask = mask_new (150, 140, NULL);

  for (int y = 0; y < 140; y++)
    memcpy (image_pixel (small, 0, y), image_pixel (large, 0, y), 150 * 6);
  for (int y = 5; y < 80; y++)
    for (int x = 5; x < 90; x++)
      small_mask->missing[y * 150 + x] = large_mask->missing[y * 340 + x] =
        random_uniform (1, 1, (guint64) (y * 150 + x)) < 0.3;
  restore (small, small_mask, NULL);
  restore (large, large_mask, NULL);
  for (int y = 0; y < 140; y++)
    g_assert_cmpmem (image_pixel (small, 0, y), 150 * 6,
                     image_pixel (large, 0, y), 150 * 6);
}

/* Only the channels that are named change, and those that are left help. */
static void
test_single_channels (void)
{
  g_autoptr (Image) clean = load_photo_middle ("mountain5", 100, 80);
  g_autoptr (Image) image = NULL;
  g_autoptr (Mask) mask = mask_new (100, 80, NULL);
  g_autoptr (Mask) whole = mask_new (100, 80, NULL);
  g_autoptr (Image) other = NULL;

  for (gsize i = 0; i < image_pixels (clean); i++)
    for (int c = 0; c < 3; c++)
      if (random_uniform (3, (guint64) c, i) < 0.5)
        mask->missing[i] |= MASK_CHANNEL (c);
  for (gsize i = 0; i < image_pixels (clean); i++)
    whole->missing[i] = mask->missing[i] != 0;
  image = image_copy (clean, NULL);
  other = image_copy (clean, NULL);
  for (gsize i = 0; i < sample_count (image); i++)
    if (mask_hides (mask->missing[i / 3], (int) (i % 3)))
      image->samples[i] = 0;
  restore (image, mask, NULL);
  restore (other, whole, NULL);
  for (gsize i = 0; i < sample_count (image); i++)
    if (!mask_hides (mask->missing[i / 3], (int) (i % 3)))
      g_assert_cmpint (image->samples[i], ==, clean->samples[i]);
  g_assert_cmpfloat (psnr (clean, image), >, psnr (clean, other) + 3);
}

/* A dictionary of one channel goes by what is known of that channel: holes in
 * red alone grow shut from their edge. */
static void
test_single_channels_one_by_one (void)
{
  g_autoptr (Image) clean = smooth_image (96, 96, 3, 8);
  g_autoptr (Image) image = image_copy (clean, NULL);
  g_autoptr (Mask) mask = mask_new (96, 96, NULL);
  g_autoptr (Dictionary) grey = dictionary_dct (8, 1, NULL);

  for (int y = 20; y < 60; y++)
    for (int x = 20; x < 60; x++) {
      mask->missing[y * 96 + x] = MASK_CHANNEL (0);
      image_pixel (image, x, y)[0] = 0;
    }
  restore (image, mask, grey);
  for (int y = 20; y < 60; y++)
    for (int x = 20; x < 60; x++)
      g_assert_cmpint (image_pixel (image, x, y)[0], >, 30);
}

/* A mask of colours fills whole pixels of a grey picture. */
static void
test_colour_mask_on_grey (void)
{
  g_autoptr (Image) clean = smooth_image (40, 40, 1, 8);
  g_autoptr (Image) image = image_copy (clean, NULL);
  g_autoptr (Mask) mask = random_mask (clean, 0.3, 11);

  for (gsize i = 0; i < image_pixels (clean); i++)
    if (mask->missing[i]) {
      mask->missing[i] = MASK_CHANNEL (i % 3);
      image->samples[i] = 0;
    }
  restore (image, mask, NULL);
  g_assert_cmpfloat (psnr (clean, image), >, 40);
}

/* Nothing known is near the second hole, which gets a colour all the same; the
 * first one gets its own. */
static void
test_hole_in_the_midst_of_nothing (void)
{
  const int holes[] = { 60 * 120 + 20, 60 * 120 + 100 };
  g_autoptr (Image) clean = smooth_image (120, 120, 4, 8);
  g_autoptr (Image) image = NULL;
  g_autoptr (Mask) mask = mask_new (120, 120, NULL);

  for (int y = 0; y < 120; y++)
    for (int x = 50; x < 120; x++)
      image_pixel (clean, x, y)[3] = 0;
  image = image_copy (clean, NULL);
  for (gsize h = 0; h < G_N_ELEMENTS (holes); h++) {
    mask->missing[holes[h]] = MASK_PIXEL;
    for (int c = 0; c < 3; c++)
      image->samples[4 * holes[h] + c] = 0;
  }
  restore (image, mask, NULL);
  for (gsize i = 0; i < sample_count (image); i++)
    if (!mask->missing[i / 4] || i % 4 == 3)
      g_assert_cmpint (image->samples[i], ==, clean->samples[i]);
  for (int c = 0; c < 3; c++) {
    int found = image->samples[4 * holes[0] + c];

    assert_at_most (ABS (found - clean->samples[4 * holes[0] + c]), 3);
    g_test_message ("colour %d in the midst of nothing: %d", c,
                    image->samples[4 * holes[1] + c]);
    g_assert_cmpint (image->samples[4 * holes[1] + c], >, 10);
    g_assert_cmpint (image->samples[4 * holes[1] + c], <, 245);
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

static void
test_report_can_be_used_again (void)
{
  g_autoptr (Image) image = smooth_image (30, 30, 3, 8);
  g_autoptr (Image) again = image_copy (image, NULL);
  g_autoptr (Mask) mask = random_mask (image, 0.3, 8);
  RestoreOptions options = { .quality = QUALITY_FAST };
  g_auto (RestoreReport) report = { 0 };
  gsize patches;

  g_test_summary ("What a report held before is dropped, not added to");
  g_assert_true (image_restore (image, mask, &options, &report, NULL, NULL));
  patches = report.patches;
  g_assert_cmpuint (patches, >, 0);
  g_assert_true (image_restore (again, mask, &options, &report, NULL, NULL));
  g_assert_cmpuint (report.patches, ==, patches);
  options.detector = detector_find ("blocks");
  g_assert_true (image_restore (image, NULL, &options, &report, NULL, NULL));
  g_assert_nonnull (report.found);
  g_assert_true (image_restore (again, mask, &options, &report, NULL, NULL));
  g_assert_null (report.found);
  restore_report_clear (&report);
  g_assert_cmpuint (report.patches, ==, 0);
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

    scribble_under (image, mask, 8);
    g_assert_true (
      image_restore (image, mask, &options[i], &report, NULL, NULL));
    g_test_message ("%.2f dB", psnr (photo, image));
    g_assert_cmpfloat (psnr (photo, image), >, last);
    last = psnr (photo, image);
  }
}

/* Thirty atoms for 150 known samples explain what is not there. */
static void
test_number_of_atoms (void)
{
  g_autoptr (Image) photo = load_photo_middle ("mountain5", 120, 90);
  g_autoptr (Mask) mask = random_mask (photo, 0.5, 7);
  const int atoms[] = { 0, 30, 10 };
  Image *restored[3];
  double psnr[3];

  for (gsize i = 0; i < 3; i++) {
    RestoreOptions options = { .paper_protocol = TRUE, .max_atoms = atoms[i] };
    g_auto (RestoreReport) report = { 0 };
    ImageScore score;

    restored[i] = image_copy (photo, NULL);
    scribble_under (restored[i], mask, 8);
    g_assert_true (
      image_restore (restored[i], mask, &options, &report, NULL, NULL));
    image_score (photo, restored[i], NULL, &score, NULL);
    psnr[i] = score.psnr;
  }
  g_assert_true (same_samples (restored[0], restored[1]));
  g_assert_cmpfloat (psnr[2], >, psnr[1]);
  for (gsize i = 0; i < 3; i++)
    g_clear_pointer (&restored[i], image_free);
}

/* What the report says about a fill of @share of the pixels. */
static char *
dictionary_of_fill (double share, gboolean cosines, RestoreQuality quality)
{
  RestoreOptions options = RESTORE_DEFAULTS;
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (Image) image = smooth_image (96, 96, 3, 8);
  g_autoptr (Mask) mask = random_mask (image, share, 3);

  options.quality = quality;
  options.cosines = cosines;
  g_assert_true (image_restore (image, mask, &options, &report, NULL, NULL));
  return g_steal_pointer (&report.dictionary);
}

static void
test_report_names_what_fills (void)
{
  g_test_summary ("The convolutional dictionary is named where it takes part: "
                  "always, but where cosines are asked for");
  for (int quality = QUALITY_FAST; quality <= QUALITY_NORMAL; quality++)
    for (int i = 0; i < 4; i++) {
      gboolean cosines = i % 2 == 1;
      g_autofree char *name =
        dictionary_of_fill (i < 2 ? 0.01 : 0.5, cosines, quality);

      g_assert_cmpint (g_str_has_prefix (name, "convolutional"), ==, !cosines);
    }
}

/* A convolutional dictionary with all numbers of its atoms times @factor. */
static Dictionary *
magnified (float factor)
{
  const ConvShape shape = { .side = 4,
                            .stride = 2,
                            .channels = 3,
                            .atoms = 12,
                            .rounds = 4,
                            .sets = 1,
                            .levels = 2 };
  ConvModel *model = conv_model_new (&shape, NULL);

  for (int i = 0; i < shape.levels; i++) {
    ConvLevel level = conv_level (&shape, model->numbers, i);

    for (gsize j = 0; j < conv_level_atoms (&shape); j++)
      level.C[j] *= factor;
  }
  return dictionary_from_model (model, NULL);
}

static void
test_dictionary_that_diverges (void)
{
  int refused = 0, restored = 0;

  g_test_summary ("A dictionary with any finite numbers restores a picture, or "
                  "one line says that it diverges and the picture stays");
  for (float factor = 1; factor < 1e38f; factor *= 100)
    for (int filling = 0; filling < 2; filling++) {
      g_autoptr (Dictionary) dictionary = magnified (factor);
      g_autoptr (Image) image = smooth_image (40, 32, 3, 8);
      g_autoptr (Image) before = NULL;
      g_autoptr (Mask) mask = random_mask (image, filling ? 0.3 : 0, 4);
      RestoreOptions options = RESTORE_DEFAULTS;
      g_auto (RestoreReport) report = { 0 };
      g_autoptr (GError) error = NULL;

      /* Crowded at both ends, as clipped noise is. */
      for (gsize i = 0; i < sample_count (image); i += 3)
        image->samples[i] = i % 2 == 0 ? 0 : 255;
      before = image_copy (image, NULL);
      options.dictionary = dictionary;
      options.sigma = filling ? 0 : 25;
      if (image_restore (image, mask, &options, &report, NULL, &error)) {
        g_assert_no_error (error);
        restored++;
        continue;
      }
      g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
      g_assert_null (strchr (error->message, '\n'));
      g_assert_true (same_samples (image, before));
      refused++;
    }
  g_assert_cmpint (restored, >=, 2);
  g_assert_cmpint (refused, >=, 2);
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
  g_test_add_func ("/restore/threads", test_threads_give_the_same);
  g_test_add_func ("/restore/more-picture", test_more_picture_changes_nothing);
  g_test_add_func ("/restore/channels", test_single_channels);
  g_test_add_func ("/restore/channel-by-channel",
                   test_single_channels_one_by_one);
  g_test_add_func ("/restore/colour-mask", test_colour_mask_on_grey);
  g_test_add_func ("/restore/nowhere", test_hole_in_the_midst_of_nothing);
  g_test_add_func ("/restore/errors", test_errors_leave_the_picture_alone);
  g_test_add_func ("/restore/named", test_report_names_what_fills);
  g_test_add_func ("/restore/report", test_report_can_be_used_again);
  g_test_add_func ("/restore/diverging", test_dictionary_that_diverges);
  g_test_add_func ("/restore/qualities", test_qualities);
  g_test_add_func ("/restore/atoms", test_number_of_atoms);
  return g_test_run ();
}
