/* test_veil.c - what shines through a mark comes back, nothing else moves */
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/restore.h"
#include "imaging/veil/covershape.h"
#include "imaging/veil/opacity.h"
#include "imaging/veil/veil.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

#define PHOTO "city10"

/* How much a mark covers, at a pixel. */
typedef double (*CoverFunc) (int x, int y);

/* A slanting scratch, 2 pixels wide. */
static double
scratch (int x, int y)
{
  double q = x - 40.3 - 0.21 * y - 0.0006 * y * y;

  return CLAMP (1.5 - fabs (q), 0, 1);
}

/* A speck like an egg. */
static double
speck (int x, int y)
{
  double dx = x - 60.2, dy = 1.3 * (y - 50.4);

  return CLAMP (6 - sqrt (dx * dx + dy * dy), 0, 1);
}

/* @photo below a mark of the given cover and brightness; *@mask gets what is
 * covered at all. */
static Image *
cover (const Image *photo, CoverFunc shape, double most, double shade,
       Mask **mask)
{
  Image *copy = image_copy (photo, NULL);

  *mask = mask_new (photo->width, photo->height, NULL);
  for (int y = 0; y < photo->height; y++)
    for (int x = 0; x < photo->width; x++) {
      double a = most * shape (x, y);
      gsize i = (gsize) y * (gsize) photo->width + (gsize) x;

      (*mask)->missing[i] = a > 0 ? MASK_PIXEL : 0;
      for (int c = 0; c < photo->channels; c++)
        image_pixel (copy, x, y)[c] = (guint16) (
          (1 - a) * image_pixel (photo, x, y)[c] + a * shade + 0.5);
    }
  return copy;
}

static gboolean
same (const Image *a, const Image *b)
{
  return memcmp (a->samples, b->samples,
                 image_pixels (a) * (gsize) a->channels * sizeof (guint16))
         == 0;
}

static Image *
restored (const Image *damaged, const Mask *mask, gboolean see_through)
{
  RestoreOptions options = RESTORE_DEFAULTS;
  Image *image = image_copy (damaged, NULL);
  g_auto (RestoreReport) report = { 0 };

  options.quality = QUALITY_FAST;
  options.see_through = see_through;
  g_assert_true (image_restore (image, mask, &options, &report, NULL, NULL));
  return image;
}

/* ---- shapes ---- */

/* Largest difference of a fitted shape to the true one, of points in a square
 * around @x, @y that @shape covers, with an error of @noise here and there. */
static double
shape_error (CoverFunc shape, int x, int y, double noise, gboolean *is_line)
{
  CoverPoint points[SHAPE_PIXELS] = { 0 };
  CoverShape fitted;
  int count = 0;
  double worst = 0;

  for (int row = y - 8; row <= y + 8; row++)
    for (int col = x - 8; col <= x + 8; col++)
      if (shape (col, row) > 0) {
        double error = (row * 7 + col * 3) % 5 - 2;

        points[count++] = (CoverPoint){
          col, row, 0.8 * shape (col, row) + 0.5 * noise * error, 100
        };
      }
  cover_shape_fit (points, count, &fitted);
  for (int i = 0; i < count; i++)
    worst = MAX (worst, fabs (fitted.share[i]
                              - shape ((int) points[i].x,
                                       (int) points[i].y)));
  *is_line = fitted.is_line;
  return worst;
}

static void
test_shapes (void)
{
  gboolean is_line;

  g_test_summary ("Outlines of scratches and specks are found to a fraction "
                  "of a pixel, with errors in all covers, too");

  assert_at_most (shape_error (scratch, 52, 50, 0, &is_line), 0.12);
  g_assert_true (is_line);
  assert_at_most (shape_error (scratch, 52, 50, 0.05, &is_line), 0.2);
  assert_at_most (shape_error (speck, 60, 50, 0, &is_line), 0.15);
  g_assert_false (is_line);
  assert_at_most (shape_error (speck, 60, 50, 0.05, &is_line), 0.25);
}

/* ---- opacity ---- */

/* What 40 pairs of neighbours say below a white speck of that cover, in a picture
 * whose differences have the mean square 200, of which the fill knows half; with
 * differences of mean square @rough that are not of the picture. */
static MarkEvidence
shine_through (double cover, double rough)
{
  const double pairs = 40, around = 200, open = 1 - cover;

  return (MarkEvidence){
    .shine = { .pairs = pairs,
               .damaged = pairs * (open * open * around + rough),
               .product = pairs * open * around / 2,
               .filled = pairs * around / 2 },
    .around = around,
    .colours = 3,
    .ground = { 90, 100, 80 },
    .contrast = { cover * 140, cover * 130, cover * 150 },
  };
}

/* The mean of t by @opacity. */
static double
mean_gain (const Opacity *opacity)
{
  double gain = 0;

  for (int j = 0; j < OPACITY_NOISES; j++)
    for (int k = 0; k < OPACITY_COVERS; k++)
      gain += opacity->of[j][k] * opacity_gain (k);
  return gain;
}

static void
test_opacity (void)
{
  const double votes[OPACITY_NOISES] = { 0 };

  g_test_summary ("The cover is found from what shines through, to a quarter "
                  "of what is left open");

  for (double cover = 0.55; cover < 0.92; cover += 0.05) {
    const MarkEvidence evidence = shine_through (cover, 0);
    Opacity opacity;

    opacity_find (&opacity, &evidence);
    opacity_settle (&opacity, votes);
    g_assert_cmpfloat_with_epsilon (mean_gain (&opacity) * (1 - cover), 1, 0.25);
  }
}

static void
test_votes (void)
{
  double votes[OPACITY_NOISES] = { 0 }, rough_votes[OPACITY_NOISES] = { 0 };
  const MarkEvidence clear = shine_through (0.9, 0);
  const MarkEvidence rough = shine_through (0.9, 150);
  Opacity opacity;
  double clear_share = 0;

  g_test_summary ("Marks below which nothing is rough vote for a clear view, "
                  "others for none, whatever the rest says");

  opacity_find (&opacity, &clear);
  opacity_vote (&opacity, votes);
  g_assert_cmpfloat (votes[0], >, votes[OPACITY_NOISES - 1] + 1);
  opacity_find (&opacity, &rough);
  opacity_vote (&opacity, rough_votes);
  g_assert_cmpfloat (rough_votes[0], <, rough_votes[OPACITY_NOISES - 2] - 1);
  for (int j = 0; j < OPACITY_NOISES; j++)
    votes[j] *= 100;
  opacity_settle (&opacity, votes);
  for (int k = 0; k < OPACITY_COVERS; k++)
    clear_share += opacity.of[0][k];
  assert_at_most (clear_share, 0.5);
}

/* ---- covers ---- */

/* Mean square of the differences where @mask is set. */
static double
error_in (const Image *truth, const Image *result, const Mask *mask)
{
  double sum = 0, count = 0;

  for (gsize i = 0; i < image_pixels (truth); i++)
    for (int c = 0; c < truth->channels && mask->missing[i]; c++) {
      gsize j = i * (gsize) truth->channels + (gsize) c;
      double d = (double) truth->samples[j] - result->samples[j];

      sum += d * d;
      count++;
    }
  return sum / count;
}

/* Puts @photo in place of the pixels of @mask, off by up to 10 levels. */
static void
fill_badly (const Image *photo, const Mask *mask, Image *filled)
{
  for (gsize i = 0; i < image_pixels (photo); i++)
    for (int c = 0; c < photo->channels && mask->missing[i]; c++) {
      gsize j = i * (gsize) photo->channels + (gsize) c;
      int value = photo->samples[j] + (int) (i * 7 % 11) * 2 - 10;

      filled->samples[j] = (guint16) CLAMP (value, 0, 255);
    }
}

static void
test_fill_gets_better (void)
{
  g_autoptr (Image) photo = load_photo_middle (PHOTO, 120, 120);
  const CoverFunc shapes[] = { scratch, speck };

  g_test_summary ("A fill that is off by up to ten levels gets better by what "
                  "is seen through the cover");

  for (guint k = 0; k < G_N_ELEMENTS (shapes); k++) {
    g_autoptr (Mask) mask = NULL;
    g_autoptr (Image) damaged = cover (photo, shapes[k], 0.6, 240, &mask);
    g_autoptr (Image) filled = image_copy (damaged, NULL);
    g_autoptr (Mask) rims = mask_new (photo->width, photo->height, NULL);
    g_autoptr (List) specks =
      list_new (sizeof (VeiledSpeck), NULL);
    double before;

    fill_badly (photo, mask, filled);
    before = error_in (photo, filled, mask);
    mask_see_through (mask);
    g_assert_true (
      image_unveil (damaged, mask, 0, filled, specks, rims, NULL, NULL));
    g_assert_cmpuint (specks->len, ==, shapes[k] == speck);
    g_assert_true (image_unveil_rims (damaged, mask, 0, specks, rims, filled,
                                      NULL, NULL));
    assert_at_most (error_in (photo, filled, mask), 0.8 * before);
  }
}

static void
test_detail_returns (void)
{
  g_autoptr (Image) photo = load_photo_middle (PHOTO, 120, 120);
  const CoverFunc shapes[] = { scratch, speck };

  double before = 0, after = 0;

  g_test_summary ("Seeing through a mark is better than filling it, whatever "
                  "its shade and cover");

  for (guint k = 0; k < G_N_ELEMENTS (shapes); k++)
    for (int shade = 10; shade <= 250; shade += 240)
      for (double most = 0.3; most < 0.7; most += 0.3) {
        g_autoptr (Mask) mask = NULL;
        g_autoptr (Image) damaged =
          cover (photo, shapes[k], most, shade, &mask);
        g_autoptr (Image) filled = restored (damaged, mask, FALSE);
        g_autoptr (Image) seen = restored (damaged, mask, TRUE);

        assert_at_most (error_in (photo, seen, mask),
                        error_in (photo, filled, mask));
        before += error_in (photo, filled, mask);
        after += error_in (photo, seen, mask);
      }
  assert_at_most (after, 0.8 * before);
}

static Image *
noisy (const Image *image, double sigma)
{
  Image *copy = image_copy (image, NULL);

  for (gsize i = 0; i < 3 * image_pixels (image); i++)
    copy->samples[i] = (guint16) CLAMP (
      image->samples[i] + sigma * random_normal (1, 0, i) + 0.5, 0, 255);
  return copy;
}

/* What lies below the marks of @damaged, given its fill and how noisy it is. */
static Image *
seen_through (const Image *damaged, const Mask *mask, const Image *fill,
              double noise)
{
  Image *filled = image_copy (fill, NULL);
  g_autoptr (Mask) rims = mask_new (mask->width, mask->height, NULL);
  g_autoptr (List) specks = list_new (sizeof (VeiledSpeck), NULL);

  g_assert_true (
    image_unveil (damaged, mask, noise, filled, specks, rims, NULL, NULL));
  g_assert_cmpuint (specks->len, ==, 0);
  return filled;
}

static void
test_noise_is_told (void)
{
  g_autoptr (Image) photo = load_photo (PHOTO);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Image) covered = cover (photo, scratch, 0.6, 240, &mask);
  g_autoptr (Image) damaged = noisy (covered, 10);
  g_autoptr (Image) whole = restored (damaged, mask, TRUE);
  g_autoptr (Image) fill = restored (damaged, mask, FALSE);
  g_autoptr (Image) told = NULL, untold = NULL;
  FoundNoise noise;

  g_test_summary ("Whoever sees through a mark is told how noisy the picture "
                  "is, although no noise is to be removed");
  g_assert_true (image_find_noise (damaged, mask, &noise, NULL));
  g_assert_cmpfloat (noise.sigma, >, 8);
  mask_see_through (mask);
  told = seen_through (damaged, mask, fill, noise.sigma);
  untold = seen_through (damaged, mask, fill, 0);
  g_assert_true (same (whole, told));
  assert_at_most (error_in (photo, told, mask),
                  0.95 * error_in (photo, untold, mask));
}

static void
test_rims (void)
{
  g_autoptr (Image) photo = load_photo_middle (PHOTO, 120, 120);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Image) damaged = cover (photo, speck, 0.6, 250, &mask);
  g_autoptr (Image) filled = restored (damaged, mask, FALSE);
  g_autoptr (Mask) rims = mask_new (photo->width, photo->height, NULL);
  g_autoptr (List) specks = list_new (sizeof (VeiledSpeck), NULL);
  g_autoptr (Image) before = NULL;

  g_test_summary ("The rim of a speck gets better than its fill by what is "
                  "known of its inside, and nothing else changes");

  mask_see_through (mask);
  g_assert_true (
    image_unveil (damaged, mask, 0, filled, specks, rims, NULL, NULL));
  g_assert_cmpuint (specks->len, ==, 1);
  g_assert_cmpfloat_with_epsilon (
    list_at (specks, VeiledSpeck, 0).mark.cover, 0.6, 0.05);
  fill_badly (photo, rims, filled);
  before = image_copy (filled, NULL);
  g_assert_true (image_unveil_rims (damaged, mask, 0, specks, rims, filled,
                                    NULL, NULL));
  assert_at_most (error_in (photo, filled, rims),
                  0.9 * error_in (photo, before, rims));
  for (gsize i = 0; i < image_pixels (photo); i++)
    if (!rims->missing[i])
      g_assert_cmpmem (before->samples + 3 * i, 3 * sizeof (guint16),
                       filled->samples + 3 * i, 3 * sizeof (guint16));
}

static double
block (int x, int y)
{
  return x >= 50 && x < 58 && y >= 40 && y < 50;
}

static void
test_opaque_is_filled (void)
{
  g_autoptr (Image) photo = load_photo_middle (PHOTO, 120, 120);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Image) damaged = cover (photo, block, 1, 255, &mask);
  g_autoptr (Image) filled = restored (damaged, mask, FALSE);
  g_autoptr (Image) seen = restored (damaged, mask, TRUE);

  g_test_summary ("Where nothing shines through, the fill stays, bit for bit");

  g_assert_true (same (filled, seen));
}

/* Another speck, over the edge of the first. */
static double
second_speck (int x, int y)
{
  double dx = x - 66.1, dy = y - 53.7;

  return CLAMP (5 - sqrt (dx * dx + dy * dy), 0, 1);
}

static void
test_overlap (void)
{
  g_autoptr (Image) photo = load_photo_middle ("sky2", 120, 120);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Mask) other = NULL;
  g_autoptr (Image) once = cover (photo, speck, 0.8, 250, &mask);
  g_autoptr (Image) damaged = cover (once, second_speck, 0.7, 20, &other);
  g_autoptr (Image) filled = NULL;
  g_autoptr (Image) seen = NULL;

  g_test_summary ("Specks that overlap are not taken for one: what is seen is "
                  "as good as the fill");

  mask_add (mask, other);
  filled = restored (damaged, mask, FALSE);
  seen = restored (damaged, mask, TRUE);
  assert_at_most (error_in (photo, seen, mask),
                  error_in (photo, filled, mask));
}

/* ---- stains ---- */

/* A round stain, 100 pixels across, with a soft edge. */
static double
stain (int x, int y)
{
  double dx = x - 90.4, dy = y - 80.3;

  return CLAMP ((50 - sqrt (dx * dx + dy * dy)) / 3, 0, 1);
}

static void
test_stain (void)
{
  g_autoptr (Image) photo = load_photo_middle (PHOTO, 180, 160);

  g_test_summary ("The picture below a dark or a light stain comes back, "
                  "which no fill knows: 6 dB better");

  for (int shade = 0; shade <= 255; shade += 255) {
    g_autoptr (Mask) mask = NULL;
    g_autoptr (Image) damaged = cover (photo, stain, 0.5, shade, &mask);
    g_autoptr (Image) filled = restored (damaged, mask, FALSE);
    g_autoptr (Image) seen = restored (damaged, mask, TRUE);

    assert_at_most (4 * error_in (photo, seen, mask),
                    error_in (photo, filled, mask));
  }
}

static void
test_opaque_stain (void)
{
  g_autoptr (Image) photo = load_photo_middle (PHOTO, 180, 160);
  g_autoptr (Mask) mask = NULL;
  g_autoptr (Image) damaged = cover (photo, stain, 1, 200, &mask);
  g_autoptr (Image) filled = NULL, seen = NULL;

  g_test_summary ("A stain that lets nothing through is filled, bit for bit");

  /* Its soft edge would let something through. */
  for (int y = 0; y < photo->height; y++)
    for (int x = 0; x < photo->width; x++)
      for (int c = 0; c < 3 && stain (x, y) > 0; c++)
        image_pixel (damaged, x, y)[c] = 200;
  filled = restored (damaged, mask, FALSE);
  seen = restored (damaged, mask, TRUE);
  g_assert_true (same (filled, seen));
}

/* ---- promises ---- */

static void
test_known_pixels_stay (void)
{
  g_autoptr (Image) photo = load_photo_middle (PHOTO, 120, 120);
  const CoverFunc shapes[] = { scratch, speck };

  g_test_summary ("Pixels that are not missing stay, bit for bit");

  for (guint k = 0; k < G_N_ELEMENTS (shapes); k++) {
    g_autoptr (Mask) mask = NULL;
    g_autoptr (Image) damaged = cover (photo, shapes[k], 0.6, 240, &mask);
    g_autoptr (Image) seen = restored (damaged, mask, TRUE);

    for (gsize i = 0; i < image_pixels (photo); i++)
      if (!mask->missing[i])
        g_assert_cmpmem (seen->samples + 3 * i, 3 * sizeof (guint16),
                         damaged->samples + 3 * i, 3 * sizeof (guint16));
  }
}

static void
test_masks_hide (void)
{
  g_autoptr (Image) photo = load_photo_middle (PHOTO, 120, 120);
  g_autoptr (Mask) mask = NULL, other = NULL;
  g_autoptr (Image) light = cover (photo, scratch, 0.6, 240, &mask);
  g_autoptr (Image) dark = cover (photo, scratch, 0.9, 20, &other);
  g_autoptr (Image) first = restored (light, mask, FALSE);
  g_autoptr (Image) second = restored (dark, mask, FALSE);

  g_test_summary ("Without being asked for, nothing below a mask is used");

  g_assert_true (same (first, second));
}

static void
test_threads (void)
{
  g_autoptr (Image) photo = load_photo_middle (PHOTO, 120, 120);
  const CoverFunc shapes[] = { scratch, speck };

  g_test_summary ("One thread and four give the same bytes");

  for (guint k = 0; k < G_N_ELEMENTS (shapes); k++) {
    g_autoptr (Mask) mask = NULL;
    g_autoptr (Image) damaged = cover (photo, shapes[k], 0.6, 240, &mask);
    g_autoptr (Image) one = NULL, four = NULL;

    parallel_init (1);
    one = restored (damaged, mask, TRUE);
    parallel_init (4);
    four = restored (damaged, mask, TRUE);
    g_assert_true (same (one, four));
  }
}

static void
test_masks_add (void)
{
  g_autoptr (Mask) a = mask_new (4, 1, NULL);
  g_autoptr (Mask) b = mask_new (4, 1, NULL);

  g_test_summary ("A pixel may be looked at only if all that name it say so");

  a->missing[1] = a->missing[2] = a->missing[3] = MASK_PIXEL;
  mask_see_through (a);
  a->missing[3] = MASK_PIXEL;
  b->missing[2] = b->missing[3] = MASK_PIXEL;
  mask_see_through (b);
  mask_add (b, a);
  g_assert_cmpuint (b->missing[0], ==, 0);
  g_assert_cmpuint (b->missing[1], ==, MASK_PIXEL | MASK_THROUGH);
  g_assert_cmpuint (b->missing[2], ==, MASK_PIXEL | MASK_THROUGH);
  g_assert_cmpuint (b->missing[3], ==, MASK_PIXEL);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/veil/shapes", test_shapes);
  g_test_add_func ("/veil/opacity", test_opacity);
  g_test_add_func ("/veil/votes", test_votes);
  g_test_add_func ("/veil/truth-stays", test_fill_gets_better);
  g_test_add_func ("/veil/detail-returns", test_detail_returns);
  g_test_add_func ("/veil/noise", test_noise_is_told);
  g_test_add_func ("/veil/rims", test_rims);
  g_test_add_func ("/veil/opaque-is-filled", test_opaque_is_filled);
  g_test_add_func ("/veil/overlap", test_overlap);
  g_test_add_func ("/veil/stain", test_stain);
  g_test_add_func ("/veil/opaque-stain", test_opaque_stain);
  g_test_add_func ("/veil/known-pixels-stay", test_known_pixels_stay);
  g_test_add_func ("/veil/masks-hide", test_masks_hide);
  g_test_add_func ("/veil/threads", test_threads);
  g_test_add_func ("/veil/masks-add", test_masks_add);
  return g_test_run ();
}
