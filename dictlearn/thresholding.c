#include "dictlearn/thresholding.h"

#include "base/error.h"

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

gboolean
threshold_for_density (const Mat *C, double density, double *z, GError **error)
{
  gsize count = (gsize) C->rows * (gsize) C->cols, i = 0;
  g_autofree double *sizes =
    tessera_try_new (double, count, "the sizes of all codes", error);
  gsize kept = (gsize) (density * (double) count + 0.5);

  g_return_val_if_fail (count > 0, FALSE);

  if (sizes == NULL)
    return FALSE;
  for (int col = 0; col < C->cols; col++)
    for (int row = 0; row < C->rows; row++)
      sizes[i++] = fabs (*mat_at (C, row, col));
  qsort (sizes, count, sizeof (double), compare_doubles);
  *z = kept == 0 ? just_above (sizes[count - 1])
                 : sizes[count - MIN (kept, count)];
  return TRUE;
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

gboolean
threshold_choose (const Mat *C, const LearnOptions *options, double *first,
                  double *end, GError **error)
{
  *end = options->threshold;
  if (options->threshold <= 0
      && !threshold_for_density (C, options->density, end, error))
    return FALSE;
  *first = options->shrink > 0 ? fmax (*end, just_above (largest (C))) : *end;
  return TRUE;
}

double
threshold_shrink (double z, double shrink, double end)
{
  return fmax (shrink * z, end);
}
