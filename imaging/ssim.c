/* ssim.c - local means of two planes
 *
 *     G   mean under the Gaussian window
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
#include "imaging/ssim.h"

#include "base/error.h"

#include <math.h>

#define SSIM_SIGMA 1.5
#define SSIM_K1 0.01
#define SSIM_K2 0.03

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

/* A row, as the quantities to be smoothed. */
static void
load_row (Ssim *self, const SsimPlanes *planes, int row)
{
  double *x = self->raw[MEAN_X], *y = self->raw[MEAN_Y];

  planes->row (planes->data, row, x, y);
  for (int i = 0; i < planes->width; i++) {
    self->raw[MEAN_SQUARES][i] = x[i] * x[i] + y[i] * y[i];
    self->raw[MEAN_PRODUCT][i] = x[i] * y[i];
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

/* Adds one row of places, from its four means. */
static void
add_places (const Ssim *self, double range, SsimMeans *sums)
{
  double c1 = SSIM_K1 * range * SSIM_K1 * range;
  double c2 = SSIM_K2 * range * SSIM_K2 * range;

  for (int i = 0; i < self->inner; i++) {
    double mx = self->mean[MEAN_X][i], my = self->mean[MEAN_Y][i];
    double product = mx * my, squares = mx * mx + my * my;
    double covariance = self->mean[MEAN_PRODUCT][i] - product;
    double variances = self->mean[MEAN_SQUARES][i] - squares;

    sums->ssim += (2 * product + c1) * (2 * covariance + c2)
                  / ((squares + c1) * (variances + c2));
    sums->cs += (2 * covariance + c2) / (variances + c2);
  }
}

/* Smooths the rows of the ring, the oldest of which is after @row. */
static void
smooth_ring (Ssim *self, int row)
{
  for (int m = 0; m < N_MEANS; m++) {
    const double *rows[SSIM_WINDOW];

    for (int k = 0; k < SSIM_WINDOW; k++)
      rows[k] = self->ring[(row + 1 + k) % SSIM_WINDOW][m];
    smooth_across (self->weights, rows, self->mean[m], self->inner);
  }
}

gboolean
ssim_means (const SsimPlanes *planes, SsimMeans *means, GError **error)
{
  g_auto (Ssim) self = { 0 };
  double places;

  *means = (SsimMeans){ 0 };
  if (!ssim_init (&self, planes->width, error))
    return FALSE;
  for (int row = 0; row < planes->height; row++) {
    load_row (&self, planes, row);
    for (int m = 0; m < N_MEANS; m++)
      smooth_along (self.weights, self.raw[m],
                    self.ring[row % SSIM_WINDOW][m], self.inner);
    if (row < SSIM_WINDOW - 1)
      continue;
    smooth_ring (&self, row);
    add_places (&self, planes->range, means);
  }
  places = (double) self.inner * (planes->height - SSIM_WINDOW + 1);
  means->ssim /= places;
  means->cs /= places;
  return TRUE;
}
