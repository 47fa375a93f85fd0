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

/* Mean squares of a table of P x S values. */
typedef struct {
  double rows, columns, rest; /* A, B, E */
} MeanSquares;

static MeanSquares
mean_squares (const double *x, const SampleStats *across, const double *row,
              const double *column, int P, int S)
{
  MeanSquares squares = { 0 };

  for (int p = 0; p < P; p++)
    squares.rows += S * pow (row[p] - across->mean, 2) / (P - 1);
  if (S == 1)
    return squares;
  for (int s = 0; s < S; s++)
    squares.columns += P * pow (column[s] - across->mean, 2) / (S - 1);
  for (int p = 0; p < P; p++)
    for (int s = 0; s < S; s++)
      squares.rest +=
        pow (x[p * S + s] - row[p] - column[s] + across->mean, 2)
        / ((P - 1.) * (S - 1));
  return squares;
}

/* Satterthwaite: the freedom of V = A + B - E, rounded down. */
static int
freedom_of (const MeanSquares *m, double V, int P, int S)
{
  double sum = m->rows * m->rows / (P - 1);

  if (S > 1)
    sum += m->columns * m->columns / (S - 1)
           + m->rest * m->rest / ((P - 1.) * (S - 1));
  return sum > 0 ? CLAMP ((int) (V * V / sum + 1e-9), 1, P * S - 1) : P - 1;
}

CrossedStats
crossed_stats (const double *values, int rows, int columns, double confidence)
{
  g_autofree double *row = g_new0 (double, MAX (1, rows));
  g_autofree double *column = g_new0 (double, MAX (1, columns));
  CrossedStats stats = { NAN, NAN, NAN };
  SampleStats sample;
  MeanSquares squares;
  double V;

  for (int p = 0; p < rows; p++)
    for (int s = 0; s < columns; s++) {
      row[p] += values[p * columns + s] / columns;
      column[s] += values[p * columns + s] / rows;
    }
  sample = sample_stats (row, rows);
  stats.mean = sample.mean;
  stats.deviation = sample.deviation;
  if (rows < 2)
    return stats;
  squares = mean_squares (values, &sample, row, column, rows, columns);
  V = MAX (squares.rows + squares.columns - squares.rest,
           MAX (squares.rows, squares.columns));
  stats.margin =
    student_quantile (freedom_of (&squares, V, rows, columns), confidence)
    * sqrt (V / ((double) rows * columns));
  return stats;
}
