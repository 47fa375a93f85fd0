/* preconditioner.c - a triangular factor under rank-one updates
 *
 * V is U without the division by c: V V' = Z, upper triangular.  [V y] is a
 * factor of Z + y y' with one column too many.  Rotating column k against y,
 * from the last column to the first, leaves the product as it is and makes
 * y_k zero; only entries 0 .. k of both are touched, so V stays triangular.
 *
 * The floor grows with the samples: V V' = Z + c s^2 I.  Rather than adding
 * s^2 I with each of them, which has full rank, sample number c adds n s^2 to
 * one diagonal entry, number c modulo n: n samples later it is the same.
 */
#include "dictlearn/preconditioner.h"

#include "base/cholesky.h"
#include "base/product.h"

#include <math.h>
#include <string.h>

/* Below this share of the mean eigenvalue of Z, what is left of a direction is
 * rounding: the samples do not span it.  Then FLOOR is added to all. */
#define ROUNDING 1e-13
#define FLOOR 1e-10

struct Preconditioner {
  int n;
  double floor; /* s */
  guint64 samples;
  Mat V;
  double *y; /* used up by an update */
};

/* V = the factor of Y Y' + floor; FALSE if that is singular. */
static gboolean
factor (const Mat *Y, double floor, double least, Mat *V)
{
  product_multiply (1, Y, PLAIN, Y, TRANSPOSED, 0, V);
  for (int i = 0; i < Y->rows; i++)
    *mat_at (V, i, i) += floor;
  if (!cholesky_factor_upper (V))
    return FALSE;
  for (int i = 0; i < Y->rows; i++)
    if (!(*mat_at (V, i, i) * *mat_at (V, i, i) > least))
      return FALSE;
  return TRUE;
}

Preconditioner *
preconditioner_new (const Mat *Y, double s)
{
  g_autoptr (Preconditioner) self = g_new0 (Preconditioner, 1);
  double mean = mat_dot (Y, Y) / Y->rows; /* eigenvalue of Z */

  self->n = Y->rows;
  self->floor = s;
  self->samples = (guint64) Y->cols;
  self->V = mat_new (self->n, self->n);
  self->y = g_new (double, self->n);
  if (!(mean > 0) || !isfinite (mean))
    return NULL;
  if (!factor (Y, Y->cols * s * s, ROUNDING * mean, &self->V)
      && !factor (Y, FLOOR * mean, 0, &self->V))
    return NULL;
  return g_steal_pointer (&self);
}

void
preconditioner_free (Preconditioner *self)
{
  if (self == NULL)
    return;
  mat_clear (&self->V);
  g_free (self->y);
  g_free (self);
}

void
preconditioner_add (Preconditioner *self, const double *y)
{
  memcpy (self->y, y, (gsize) self->n * sizeof (double));
  cholesky_update_upper (&self->V, self->y, self->n);
  if (self->floor > 0) {
    int entry = (int) (self->samples % (guint64) self->n);

    memset (self->y, 0, (gsize) self->n * sizeof (double));
    self->y[entry] = self->floor * sqrt (self->n);
    cholesky_update_upper (&self->V, self->y, entry + 1);
  }
  self->samples++;
}

int
preconditioner_length (const Preconditioner *self)
{
  return self->n;
}

guint64
preconditioner_samples (const Preconditioner *self)
{
  return self->samples;
}

static double
scale (const Preconditioner *self)
{
  return sqrt ((double) self->samples);
}

void
preconditioner_whiten (const Preconditioner *self, Mat *W)
{
  mat_solve_upper (scale (self), &self->V, PLAIN, W);
}

void
preconditioner_unwhiten (const Preconditioner *self, Mat *W)
{
  mat_multiply_upper (1 / scale (self), &self->V, W);
}

void
preconditioner_matrix (const Preconditioner *self, MatF *P)
{
  g_auto (Mat) inverse = mat_new (self->n, self->n);
  float factor = (float) scale (self);

  mat_copy (&self->V, &inverse);
  mat_invert_upper (&inverse);
  for (int j = 0; j < self->n; j++)
    for (int i = 0; i < self->n; i++)
      *matf_at (P, i, j) = factor * (float) *mat_at (&inverse, i, j);
}
