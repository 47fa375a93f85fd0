/* student.c - Student's distribution for whole degrees of freedom
 *
 * With theta = atan (t / sqrt (v)), integrating the density by parts leaves
 * finite sums (M. Abramowitz, I. A. Stegun, "Handbook of mathematical
 * functions", 26.7.3 and 26.7.4):
 *
 *   v even:  sin (1 + 1/2 cos^2 + 1.3/2.4 cos^4 + ...  up to cos^(v-2))
 *   v odd:   2/pi (theta + sin (cos + 2/3 cos^3 + ...  up to cos^(v-2)))
 *
 * Each term is the one before times cos^2 (k - 1) / k, for k = 2, 4, ... or
 * k = 3, 5, ...
 */
#include "base/student.h"

#include <math.h>

/* Halvings of the range of theta: more than a double has bits. */
#define HALVINGS 64

/* Probability that |t| is at most sqrt (v) tan (theta). */
static double
within_angle (int freedom, double theta)
{
  double c = cos (theta), term = freedom % 2 == 0 ? 1 : c, sum = 0;

  for (int k = freedom % 2; k <= freedom - 2; k += 2) {
    if (k >= 2)
      term *= c * c * (k - 1) / k;
    sum += term;
  }
  if (freedom % 2 == 0)
    return sin (theta) * sum;
  return (theta + sin (theta) * sum) / G_PI_2;
}

double
student_quantile (int freedom, double confidence)
{
  double low = 0, high = G_PI_2;

  for (int i = 0; i < HALVINGS; i++) {
    double middle = (low + high) / 2;

    if (within_angle (freedom, middle) < confidence)
      low = middle;
    else
      high = middle;
  }
  return sqrt (freedom) * tan (low);
}

/* The squares are those of differences from the mean: sums of squares would
 * cancel. */
SampleStats
sample_stats (const double *values, int count)
{
  SampleStats sample = { count, NAN, NAN };
  double sum = 0, squares = 0;

  for (int i = 0; i < count; i++)
    sum += values[i];
  if (count > 0)
    sample.mean = sum / count;
  for (int i = 0; i < count; i++)
    squares += (values[i] - sample.mean) * (values[i] - sample.mean);
  if (count > 1)
    sample.deviation = sqrt (squares / (count - 1));
  return sample;
}

double
confidence_margin (const SampleStats *sample, double confidence)
{
  if (sample->count < 2)
    return NAN;
  return student_quantile (sample->count - 1, confidence) * sample->deviation
         / sqrt (sample->count);
}
