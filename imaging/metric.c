/* metric.c - PSNR, SSIM and MS-SSIM
 *
 *     x, y   samples of the two pictures, scaled to the range 0 .. R
 */
#include "imaging/metric.h"

#include "base/error.h"
#include "imaging/ssim.h"

#include <math.h>

/* Weights of the scales of MS-SSIM, from the finest on: Wang's table. */
static const double scale_weights[] = { 0.0448, 0.2856, 0.3001, 0.2363,
                                        0.1333 };

#define SCALES ((int) G_N_ELEMENTS (scale_weights))

/* Two pictures of the same size, seen with the same channels and range. */
typedef struct {
  const Image *image[2];
  int scale[2]; /* takes samples to the range of the deeper picture */
  int channels; /* colours to compare, 1 or 3 */
  int peak;     /* R */
  int width, height;
} Pair;

static void
pair_init (Pair *pair, const Image *reference, const Image *result)
{
  int peaks[2] = { image_peak (reference), image_peak (result) };

  pair->image[0] = reference;
  pair->image[1] = result;
  pair->channels = MAX (image_colours (reference), image_colours (result));
  pair->peak = MAX (peaks[0], peaks[1]);
  pair->width = reference->width;
  pair->height = reference->height;
  /* 2^n - 1 divides 2^m - 1 when n divides m, as it does among our depths. */
  for (int i = 0; i < 2; i++)
    pair->scale[i] = pair->peak / peaks[i];
}

/* Channel @channel of the pixel that starts at @pixel, in the common range. */
static inline int
pair_sample (const Pair *pair, int i, const guint16 *pixel, int channel)
{
  /* In a grey picture, the grey stands for each colour. */
  int offset = image_colours (pair->image[i]) == 1 ? 0 : channel;

  return pixel[offset] * pair->scale[i];
}

/* Sum of (x - y)^2 over the channels of pixel @x, @y: below 2^34. */
static inline guint64
pixel_error (const Pair *pair, const guint16 *x, const guint16 *y)
{
  guint64 sum = 0;

  for (int c = 0; c < pair->channels; c++) {
    gint64 difference =
      pair_sample (pair, 0, x, c) - pair_sample (pair, 1, y, c);

    sum += (guint64) (difference * difference);
  }
  return sum;
}

static double
psnr (const Pair *pair, double squared_error, gsize pixels)
{
  double samples = (double) pixels * pair->channels;

  if (pixels == 0)
    return NAN;
  if (squared_error == 0)
    return INFINITY;
  return 10
         * log10 ((double) pair->peak * pair->peak * samples / squared_error);
}

/* Everything in @score but the SSIM. */
static void
score_samples (const Pair *pair, const Mask *mask, ImageScore *score)
{
  const guint8 *masked = mask != NULL ? mask->missing : NULL;
  double all = 0, inside = 0;
  gsize masked_pixels = 0;

  for (int row = 0; row < pair->height; row++) {
    const guint16 *x = image_pixel (pair->image[0], 0, row);
    const guint16 *y = image_pixel (pair->image[1], 0, row);
    guint64 row_all = 0, row_inside = 0; /* whole numbers: no rounding */

    for (int column = 0; column < pair->width; column++) {
      guint64 error = pixel_error (pair, x, y);

      row_all += error;
      if (masked != NULL && *masked++ != 0) {
        row_inside += error;
        masked_pixels++;
      }
      x += pair->image[0]->channels;
      y += pair->image[1]->channels;
    }
    all += (double) row_all;
    inside += (double) row_inside;
  }

  score->pixels = image_pixels (pair->image[0]);
  score->masked_pixels = masked_pixels;
  score->identical = all == 0;
  score->psnr = psnr (pair, all, score->pixels);
  score->psnr_masked = psnr (pair, inside, masked_pixels);
}

/* ---- structure ---- */

/* One channel of a pair, and its two planes at a coarser scale. */
typedef struct {
  const Pair *pair;
  int channel;
  int width, height;
  double *x, *y; /* NULL at the finest scale */
} Level;

static void
level_clear (Level *level)
{
  g_clear_pointer (&level->x, g_free);
  g_clear_pointer (&level->y, g_free);
}

static void
level_row (gconstpointer data, int row, double *x, double *y)
{
  const Level *level = data;
  const Pair *pair = level->pair;
  gsize first = (gsize) row * (gsize) level->width;

  for (int i = 0; i < level->width; i++)
    if (level->x != NULL) {
      x[i] = level->x[first + (gsize) i];
      y[i] = level->y[first + (gsize) i];
    } else {
      x[i] = pair_sample (pair, 0, image_pixel (pair->image[0], i, row),
                          level->channel);
      y[i] = pair_sample (pair, 1, image_pixel (pair->image[1], i, row),
                          level->channel);
    }
}

/* The means of 2 x 2 pixels; an odd row or column at the end is dropped. */
static void
halve_rows (const double *even, const double *odd, int width, double *half)
{
  for (int i = 0; i < width; i++)
    half[i] =
      (even[2 * i] + even[2 * i + 1] + odd[2 * i] + odd[2 * i + 1]) / 4;
}

/* Makes @coarse from @fine. */
static gboolean
level_halve (const Level *fine, Level *coarse, GError **error)
{
  gsize row = (gsize) fine->width;
  g_autofree double *rows = g_new (double, 4 * row);
  gsize pixels;

  *coarse = (Level){ .pair = fine->pair,
                     .channel = fine->channel,
                     .width = fine->width / 2,
                     .height = fine->height / 2 };
  pixels = (gsize) coarse->width * (gsize) coarse->height;
  coarse->x = tessera_try_new (double, pixels, "a smaller picture", error);
  if (coarse->x == NULL)
    return FALSE;
  coarse->y = tessera_try_new (double, pixels, "a smaller picture", error);
  if (coarse->y == NULL)
    return FALSE;
  for (int r = 0; r < coarse->height; r++) {
    gsize first = (gsize) r * (gsize) coarse->width;

    level_row (fine, 2 * r, rows, rows + row);
    level_row (fine, 2 * r + 1, rows + 2 * row, rows + 3 * row);
    halve_rows (rows, rows + 2 * row, coarse->width, coarse->x + first);
    halve_rows (rows + row, rows + 3 * row, coarse->width, coarse->y + first);
  }
  return TRUE;
}

static gboolean
level_means (const Level *level, SsimMeans *means, GError **error)
{
  const SsimPlanes planes = { level->width, level->height, level->pair->peak,
                              level_row, level };

  return ssim_means (&planes, means, error);
}

/* Scales at which the window fits. */
static int
count_scales (const Pair *pair)
{
  int side = MIN (pair->width, pair->height), count = 0;

  for (; count < SCALES && side >= SSIM_WINDOW; side /= 2)
    count++;
  return count;
}

/* A mean that is negative, as where one picture is the negative of the other,
 * has no power: it counts as 0. */
static double
weighted (double mean, double weight)
{
  return pow (MAX (0, mean), weight);
}

/* Adds what one channel has to the sums of SSIM and MS-SSIM. */
static gboolean
add_channel (const Pair *pair, int channel, ImageScore *sums, GError **error)
{
  int scales = count_scales (pair);
  Level level = { pair, channel, pair->width, pair->height, NULL, NULL };
  double all = 0, product = 1;
  gboolean ok = TRUE;

  for (int s = 0; s < scales; s++)
    all += scale_weights[s];
  for (int s = 0; ok && s < scales; s++) {
    SsimMeans means;
    Level coarse = { 0 };

    ok = level_means (&level, &means, error);
    if (!ok)
      break;
    if (s == 0)
      sums->ssim += means.ssim;
    product *= weighted (s < scales - 1 ? means.cs : means.ssim,
                         scale_weights[s] / all);
    if (s < scales - 1)
      ok = level_halve (&level, &coarse, error);
    level_clear (&level);
    level = coarse;
  }
  level_clear (&level);
  sums->ms_ssim += product;
  return ok;
}

static gboolean
score_structure (const Pair *pair, ImageScore *score, GError **error)
{
  score->ssim = score->ms_ssim = NAN;
  if (count_scales (pair) == 0)
    return TRUE;
  score->ssim = score->ms_ssim = 0;
  for (int c = 0; c < pair->channels; c++)
    if (!add_channel (pair, c, score, error))
      return FALSE;
  score->ssim /= pair->channels;
  score->ms_ssim /= pair->channels;
  return TRUE;
}

gboolean
image_score (const Image *reference, const Image *result, const Mask *masked,
             ImageScore *score, GError **error)
{
  Pair pair;

  if (reference->width != result->width
      || reference->height != result->height) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "the reference has %d x %d pixels but the result %d x %d: "
                 "only pictures of the same size can be compared",
                 reference->width, reference->height, result->width,
                 result->height);
    return FALSE;
  }

  pair_init (&pair, reference, result);
  if (masked != NULL
      && !mask_check_size (masked, pair.width, pair.height, error))
    return FALSE;
  score_samples (&pair, masked, score);
  return score_structure (&pair, score, error);
}
