#include "imaging/detect/noisecurve.h"

#include "base/sort.h"

#include <math.h>

/* Share of the bins that are below the ratio and the curve.  A quarter is
 * better for photographs with simulated noise, but takes too little from shots
 * of real cameras, whose ratio varies more. */
#define BELOW 0.5

/* How far above the ratio and the curve a bin may be. */
#define SLACK 1.1

/* Bins that determine a ratio and a curve, at least. */
#define RATIO_BINS 4
#define CURVE_BINS 5

/* Of log s, by brightness: noise in deep shadows is steeper in no camera. */
#define STEEPEST 8.

/* q (b) = value + slope (b - x) + bend (b - x) (b - y), as Newton wrote it. */
typedef struct {
  double x, y, value, slope, bend;
} Curve;

/* ---- the ratio of brightness to colours ---- */

/* Sorts @values. */
static double
quantile (double *values, int count, double share)
{
  double place = share * (count - 1);
  int below = (int) place, above = MIN (below + 1, count - 1);

  sort_doubles (values, (gsize) count);
  return values[below] + (place - below) * (values[above] - values[below]);
}

static double
colour_of (const NoiseBin *bin)
{
  return sqrt ((pow (bin->sigma[1], 2) + pow (bin->sigma[2], 2)) / 2);
}

static void
limit_by_colours (NoiseBin *bins, int count)
{
  double ratios[NOISE_BINS], ratio;
  int known = 0;

  for (int i = 0; i < count; i++)
    if (bins[i].is_noise && colour_of (&bins[i]) > 0)
      ratios[known++] = bins[i].sigma[0] / colour_of (&bins[i]);
  if (known < RATIO_BINS)
    return;
  ratio = SLACK * quantile (ratios, known, BELOW);
  for (int i = 0; i < count; i++)
    if (colour_of (&bins[i]) > 0)
      bins[i].level[0] =
        fmin (bins[i].level[0], ratio * colour_of (&bins[i]));
}

/* ---- the curve ---- */

static double
curve_at (const Curve *curve, double b)
{
  return curve->value
         + (b - curve->x) * (curve->slope + (b - curve->y) * curve->bend);
}

/* The one through three points. */
static Curve
curve_through (const double *x, const double *y, int i, int j, int k)
{
  double first = (y[j] - y[i]) / (x[j] - x[i]);
  double second = (y[k] - y[j]) / (x[k] - x[j]);

  return (Curve){ x[i], x[j], y[i], first,
                  (second - first) / (x[k] - x[i]) };
}

static double
loss_of (const Curve *curve, const double *x, const double *y, int count)
{
  double loss = 0;

  for (int i = 0; i < count; i++) {
    double above = y[i] - curve_at (curve, x[i]);

    loss += above > 0 ? BELOW * above : (BELOW - 1) * above;
  }
  return loss;
}

/* FALSE where no curve is flat enough. */
static gboolean
fit_curve (const double *x, const double *y, int count, Curve *best)
{
  double least = INFINITY;

  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      for (int k = j + 1; k < count; k++) {
        Curve curve = curve_through (x, y, i, j, k);
        double loss = loss_of (&curve, x, y, count);

        if (fabs (curve.slope) <= STEEPEST && loss < least) {
          least = loss;
          *best = curve;
        }
      }
  return least < INFINITY;
}

static void
limit_by_curve (NoiseBin *bins, int count, int c)
{
  double x[NOISE_BINS], y[NOISE_BINS];
  int known = 0;
  Curve curve = { 0 };

  for (int i = 0; i < count; i++)
    if (bins[i].is_noise && bins[i].level[c] > 0) {
      x[known] = bins[i].brightness;
      y[known++] = log (bins[i].level[c]);
    }
  if (known < CURVE_BINS || !fit_curve (x, y, known, &curve))
    return;
  for (int i = 0; i < count; i++)
    bins[i].level[c] =
      fmin (bins[i].level[c],
            SLACK * exp (curve_at (&curve, bins[i].brightness)));
}

void
noise_bins_find_levels (NoiseBin *bins, int count, int colours,
                        gboolean has_ratio)
{
  for (int i = 0; i < count; i++)
    for (int c = 0; c < colours; c++)
      bins[i].level[c] = bins[i].sigma[c];
  if (colours == 3 && has_ratio)
    limit_by_colours (bins, count);
  for (int c = 0; c < colours; c++)
    limit_by_curve (bins, count, c);
}
