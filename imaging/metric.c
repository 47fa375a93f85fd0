/* metric.c - PSNR and SSIM
 *
 *     x, y   samples of the two pictures, scaled to the range 0 .. R
 *     G      mean under the Gaussian window
 *
 * sxx and syy are only needed as their sum, so four means are enough:
 *     mx = G x,   my = G y,   p = G (x^2 + y^2),   q = G (x y)
 *     sxx + syy = p - mx^2 - my^2,   sxy = q - mx my
 *
 * The window is a product of two windows of one dimension.  Each row is
 * smoothed along x once, and the last eleven of them are kept in a ring; the
 * smoothing along y takes the ring.  No buffer is longer than a row.
 *
 * The means are sums of a few positive numbers up to 2 R^2 in double, so the
 * differences above lose about 2^-50 R^2 to rounding: nothing beside
 * C2 = 9e-4 R^2.
 */
#include "imaging/metric.h"

#include "base/error.h"

#include <math.h>

#define SSIM_SIGMA 1.5
#define SSIM_K1 0.01
#define SSIM_K2 0.03

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

/* The quantities whose local means make up the SSIM. */
typedef enum { MEAN_X, MEAN_Y, MEAN_SQUARES, MEAN_PRODUCT, N_MEANS } Mean;

typedef struct {
  double weights[SSIM_WINDOW];
  int inner;                          /* places of the window in a row */
  double *memory;                     /* holds all of the rows below */
  double *raw[N_MEANS];               /* one row, width of the picture */
  double *ring[SSIM_WINDOW][N_MEANS]; /* smoothed along x; inner long */
  double *mean[N_MEANS];              /* smoothed both ways; inner long */
} Ssim;

static gboolean
ssim_init (Ssim *self, int width, GError **error)
{
  gsize rows = N_MEANS * (SSIM_WINDOW + 2);
  double *next = g_try_malloc_n (rows * (gsize) width, sizeof *next);
  double sum = 0;

  self->memory = next;
  if (next == NULL) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY,
                 "not enough memory to compare pictures %d pixels wide",
                 width);
    return FALSE;
  }

  self->inner = width - SSIM_WINDOW + 1;
  for (int m = 0; m < N_MEANS; m++) {
    self->raw[m] = next;
    next += width;
    self->mean[m] = next;
    next += width;
    for (int k = 0; k < SSIM_WINDOW; k++) {
      self->ring[k][m] = next;
      next += width;
    }
  }

  for (int k = 0; k < SSIM_WINDOW; k++) {
    double t = (k - SSIM_WINDOW / 2) / SSIM_SIGMA;

    self->weights[k] = exp (-t * t / 2);
    sum += self->weights[k];
  }
  for (int k = 0; k < SSIM_WINDOW; k++)
    self->weights[k] /= sum;
  return TRUE;
}

static void
ssim_clear (Ssim *self)
{
  g_free (self->memory);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ssim, ssim_clear)

/* One channel of a row, as the quantities to be smoothed. */
static void
load_row (Ssim *self, const Pair *pair, int row, int channel)
{
  const guint16 *x = image_pixel (pair->image[0], 0, row);
  const guint16 *y = image_pixel (pair->image[1], 0, row);

  for (int i = 0; i < pair->width; i++) {
    double vx = pair_sample (pair, 0, x, channel);
    double vy = pair_sample (pair, 1, y, channel);

    self->raw[MEAN_X][i] = vx;
    self->raw[MEAN_Y][i] = vy;
    self->raw[MEAN_SQUARES][i] = vx * vx + vy * vy;
    self->raw[MEAN_PRODUCT][i] = vx * vy;
    x += pair->image[0]->channels;
    y += pair->image[1]->channels;
  }
}

/* out_i = sum over k of w_k in_(i + k), for i below @n. */
static void
smooth_along (const double *weights, const double *restrict in,
              double *restrict out, int n)
{
  for (int i = 0; i < n; i++) {
    double sum = 0;

    for (int k = 0; k < SSIM_WINDOW; k++)
      sum += weights[k] * in[i + k];
    out[i] = sum;
  }
}

/* out_i = sum over k of w_k (row k)_i, for i below @n. */
static void
smooth_across (const double *weights, const double *const rows[SSIM_WINDOW],
               double *restrict out, int n)
{
  for (int i = 0; i < n; i++) {
    double sum = 0;

    for (int k = 0; k < SSIM_WINDOW; k++)
      sum += weights[k] * rows[k][i];
    out[i] = sum;
  }
}

/* The sum of the SSIM over one row of places, from its four means. */
static double
ssim_of_means (const Ssim *self, int peak)
{
  double c1 = SSIM_K1 * peak * SSIM_K1 * peak;
  double c2 = SSIM_K2 * peak * SSIM_K2 * peak;
  double sum = 0;

  for (int i = 0; i < self->inner; i++) {
    double mx = self->mean[MEAN_X][i], my = self->mean[MEAN_Y][i];
    double product = mx * my, squares = mx * mx + my * my;
    double covariance = self->mean[MEAN_PRODUCT][i] - product;
    double variances = self->mean[MEAN_SQUARES][i] - squares;

    sum += (2 * product + c1) * (2 * covariance + c2)
           / ((squares + c1) * (variances + c2));
  }
  return sum;
}

/* The sum of the SSIM over every place of one channel. */
static double
ssim_channel (Ssim *self, const Pair *pair, int channel)
{
  double sum = 0;

  for (int row = 0; row < pair->height; row++) {
    load_row (self, pair, row, channel);
    for (int m = 0; m < N_MEANS; m++)
      smooth_along (self->weights, self->raw[m],
                    self->ring[row % SSIM_WINDOW][m], self->inner);
    if (row < SSIM_WINDOW - 1)
      continue;

    for (int m = 0; m < N_MEANS; m++) {
      const double *rows[SSIM_WINDOW]; /* the oldest, which is next, first */

      for (int k = 0; k < SSIM_WINDOW; k++)
        rows[k] = self->ring[(row + 1 + k) % SSIM_WINDOW][m];
      smooth_across (self->weights, rows, self->mean[m], self->inner);
    }
    sum += ssim_of_means (self, pair->peak);
  }
  return sum;
}

static gboolean
score_structure (const Pair *pair, double *mean_ssim, GError **error)
{
  g_auto (Ssim) ssim = { 0 };
  double sum = 0, places;

  *mean_ssim = NAN;
  if (MIN (pair->width, pair->height) < SSIM_WINDOW)
    return TRUE;
  if (!ssim_init (&ssim, pair->width, error))
    return FALSE;

  for (int c = 0; c < pair->channels; c++)
    sum += ssim_channel (&ssim, pair, c);
  places = (double) ssim.inner * (pair->height - SSIM_WINDOW + 1);
  *mean_ssim = sum / (places * pair->channels);
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
  return score_structure (&pair, &score->ssim, error);
}
