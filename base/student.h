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
