#include "base/sort.h"

#include <stdlib.h>

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static int
compare_floats (const void *a, const void *b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

void
sort_doubles (double *values, gsize count)
{
  qsort (values, count, sizeof *values, compare_doubles);
}

void
sort_floats (float *values, gsize count)
{
  qsort (values, count, sizeof *values, compare_floats);
}
