/* ssim.h - local means of two planes, and what SSIM makes of them
 *
 * With mx, my, sxx, syy, sxy the means, variances and covariance of x and y
 * under a Gaussian window of 11 x 11 pixels, sigma 1.5, whose weights sum to
 * one, and R the range of x and y:
 *
 *     l  = (2 mx my + C1) / (mx^2 + my^2 + C1)       C1 = (0.01 R)^2
 *     cs = (2 sxy + C2) / (sxx + syy + C2)           C2 = (0.03 R)^2
 *
 * SSIM is l cs; both are averaged over every place where the whole window
 * fits.
 */
#pragma once

#include <glib.h>

/* Side of the window. */
#define SSIM_WINDOW 11

/* Two planes of the same size. */
typedef struct {
  int width, height; /* each at least SSIM_WINDOW */
  double range;      /* R */
  /* Copies one row of each, @width numbers. */
  void (*row) (gconstpointer data, int row, double *x, double *y);
  gconstpointer data;
} SsimPlanes;

typedef struct {
  double ssim; /* mean of l cs */
  double cs;   /* mean of cs */
} SsimMeans;

/* FALSE with @error set (MEMORY) when there is not enough for a few dozen
 * rows. */
gboolean ssim_means (const SsimPlanes *planes, SsimMeans *means,
                     GError **error);
