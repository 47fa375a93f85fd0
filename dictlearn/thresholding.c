#include "dictlearn/thresholding.h"

#include <math.h>
#include <stdlib.h>

gsize
threshold_apply (const Mat *C, double z, Mat *X)
{
  gsize kept = 0;

  for (int j = 0; j < C->cols; j++) {
    const double *c = mat_at (C, 0, j);
    double *x = mat_at (X, 0, j);

    for (int i = 0; i < C->rows; i++) {
      gboolean keep = fabs (c[i]) >= z;

      x[i] = keep ? c[i] : 0;
      kept += keep ? 1 : 0;
    }
  }
  return kept;
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* A threshold that @size does not reach, not even when both are rounded to
 * float. */
static double
just_above (double size)
{
  return nextafterf ((float) size, INFINITY);
}

double
threshold_for_density (const Mat *C, double density)
{
  gsize count = (gsize) C->rows * (gsize) C->cols, i = 0;
  g_autofree double *sizes = g_new (double, count);
  gsize kept = (gsize) (density * (double) count + 0.5);

  g_return_val_if_fail (count > 0, 0);

  for (int col = 0; col < C->cols; col++)
    for (int row = 0; row < C->rows; row++)
      sizes[i++] = fabs (*mat_at (C, row, col));
  qsort (sizes, count, sizeof (double), compare_doubles);
  if (kept == 0)
    return just_above (sizes[count - 1]);
  return sizes[count - MIN (kept, count)];
}

static double
largest (const Mat *C)
{
  double most = 0;

  for (int j = 0; j < C->cols; j++)
    for (int i = 0; i < C->rows; i++)
      most = fmax (most, fabs (*mat_at (C, i, j)));
  return most;
}

void
threshold_choose (const Mat *C, const LearnOptions *options, double *first,
                  double *end)
{
  *end = options->threshold > 0 ? options->threshold
                                : threshold_for_density (C, options->density);
  *first = options->shrink > 0 ? fmax (*end, just_above (largest (C))) : *end;
}

double
threshold_shrink (double z, double shrink, double end)
{
  return fmax (shrink * z, end);
}
