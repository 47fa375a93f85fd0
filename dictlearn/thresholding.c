#include "dictlearn/thresholding.h"

#include "base/error.h"
#include "base/parallelgemm.h"
#include "base/polar.h"
#include "base/sort.h"

#include <math.h>

/* Singular values of a start below this share of the largest are ignored. */
#define SINGULAR 1e-10

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

/* A threshold that @size does not reach, not even when both are rounded to
 * float. */
static double
just_above (double size)
{
  return nextafterf ((float) size, INFINITY);
}

/* Sets @z so that HT_z keeps a share @density of the entries of @C, 0 .. 1: a
 * quantile of |c|. */
static gboolean
find_for_density (const Mat *C, double density, double *z, GError **error)
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
  sort_doubles (sizes, count);
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
threshold_choose (Threshold *self, const Mat *C, const LearnOptions *options,
                  GError **error)
{
  self->end = options->threshold;
  if (options->threshold <= 0
      && !find_for_density (C, options->density, &self->end, error))
    return FALSE;
  self->z = self->end;
  if (options->shrink > 0)
    self->z = fmax (self->end, options->shrink_from > 0
                                 ? options->shrink_from * largest (C)
                                 : just_above (largest (C)));
  return TRUE;
}

void
threshold_fall (Threshold *self, double shrink, LearnStatus *status)
{
  if (self->z > self->end)
    status->change = INFINITY;
  self->z = fmax (shrink * self->z, self->end);
}

gboolean
threshold_start_orthonormal (Threshold *self, const Learner *learner, Mat *D,
                             Mat *X, GError **error)
{
  if (!learner_initial_dictionary (learner, &learner->Y, D, error))
    return FALSE;
  if (!polar_svd (D, NULL, SINGULAR, D))
    return learner_failed (error);
  parallel_gemm (1, D, TRANSPOSED, &learner->Y, PLAIN, 0, X);
  return threshold_choose (self, X, &learner->options, error);
}
