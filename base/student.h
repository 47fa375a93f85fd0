/* student.h - means, and intervals for them by Student's distribution
 *
 * For n independent values with mean m and standard deviation s (divisor
 * n - 1), the interval
 *     m - t s / sqrt (n)  ..  m + t s / sqrt (n),
 * holds the true mean with probability c, where t is such that a Student
 * variable of n - 1 degrees of freedom lies within -t .. t with probability c.
 */
#pragma once

#include <glib.h>

typedef struct {
  int count;
  double mean;      /* NAN without values */
  double deviation; /* NAN for fewer than two values */
} SampleStats;

SampleStats sample_stats (const double *values, int count);

/* The t for which a Student variable of @freedom >= 1 degrees of freedom lies
 * within -t .. t with probability @confidence, 0 <= confidence < 1. */
double student_quantile (int freedom, double confidence);

/* Half the length of the interval of @confidence around the mean; NAN for
 * fewer than two values. */
double confidence_margin (const SampleStats *sample, double confidence);

/* Values x_ps for @rows pictures p and @columns seeds s, picture after picture,
 * where both are samples of more:  x_ps = m + a_p + b_s + e_ps.  With the mean
 * squares of the analysis of variance,
 *     A = S sum_p (x_p. - x)^2 / (P - 1),   B = P sum_s (x_.s - x)^2 / (S - 1),
 *     E = sum_ps (x_ps - x_p. - x_.s + x)^2 / ((P - 1) (S - 1)),
 * the variance of the mean is estimated by  V = (A + B - E) / (P S),  at least
 * by A / (P S) and B / (P S), and Satterthwaite's degrees of freedom are those
 * of Student's distribution.  With one seed this is the interval above. */
typedef struct {
  double mean;
  double deviation; /* of the means of rows; NAN for fewer than two */
  double margin;    /* half the interval of the mean; NAN likewise */
} CrossedStats;

CrossedStats crossed_stats (const double *values, int rows, int columns,
                            double confidence);
