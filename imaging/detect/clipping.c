#include "imaging/detect/clipping.h"

#include <math.h>

/* Entries of the table of the inverse, and halvings to find one: enough for 16
 * bits. */
#define TABLE 4096
#define HALVINGS 30

/* Noise crowds at an end if there are more samples at it than this times those
 * within a quarter of sigma beside it.  Clipped noise gives 5 for a clean
 * sample at the end and 0.8 for one 3 sigma away; noise with room beyond the
 * end, and sigma of 15 levels, 0.3. */
#define CROWD 0.6

static double
density (double x)
{
  return exp (-x * x / 2) / sqrt (2 * G_PI);
}

static double
distribution (double x)
{
  return erfc (-x / G_SQRT2) / 2;
}

double
clipped_mean (double x, double sigma)
{
  double a = -x / sigma, b = (1 - x) / sigma;

  return x * (distribution (b) - distribution (a))
         + sigma * (density (a) - density (b)) + 1 - distribution (b);
}

double
clipped_variance (double x, double sigma)
{
  double a = -x / sigma, b = (1 - x) / sigma;
  double mean = clipped_mean (x, sigma);
  double square =
    (x * x + sigma * sigma) * (distribution (b) - distribution (a))
    + sigma * (2 * x + sigma * a) * density (a)
    - sigma * (2 * x + sigma * b) * density (b) + 1 - distribution (b);

  return square - mean * mean;
}

double
inverse_clipped_mean (double mean, double sigma)
{
  double low = 0, high = 1;

  for (int i = 0; i < HALVINGS; i++) {
    double middle = (low + high) / 2;

    if (clipped_mean (middle, sigma) < mean)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

ClippedEnds
clipped_ends (const Image *image, double sigma)
{
  int peak = image_peak (image), near = MAX (1, (int) (sigma * peak / 4));
  gsize black = 0, dark = 0, white = 0, bright = 0;

  for (gsize i = 0; i < image_pixels (image); i++) {
    if (image_is_transparent (image, i))
      continue;
    for (int c = 0; c < image_colours (image); c++) {
      int sample = image->samples[i * (gsize) image->channels + (gsize) c];

      black += sample == 0;
      dark += sample > 0 && sample <= near;
      white += sample == peak;
      bright += sample < peak && sample >= peak - near;
    }
  }
  return (ClippedEnds){ (double) black > CROWD * (double) dark,
                        (double) white > CROWD * (double) bright };
}

float *
unclipping_table (double sigma, ClippedEnds ends)
{
  float *table;

  if (!ends.black && !ends.white)
    return NULL;
  table = g_new (float, TABLE + 1);
  for (int i = 0; i <= TABLE; i++) {
    double mean = (double) i / TABLE;
    gboolean undo = mean < 0.5 ? ends.black : ends.white;

    table[i] = (float) (undo ? inverse_clipped_mean (mean, sigma) : mean);
  }
  return table;
}

void
planes_unclip (Planes *planes, const float *table)
{
  if (table == NULL)
    return;
  for (gsize i = 0; i < planes_samples (planes); i++) {
    /* Written so that NaN becomes black. */
    float mean = planes->data[i] > 0 ? MIN (planes->data[i], 1) : 0;
    float at = mean * TABLE;
    int entry = MIN ((int) at, TABLE - 1);

    planes->data[i] =
      table[entry] + (at - (float) entry) * (table[entry + 1] - table[entry]);
  }
}
