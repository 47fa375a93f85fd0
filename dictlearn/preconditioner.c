/* preconditioner.c - a triangular factor under rank-one updates
 *
 * V is U without the division by c: V V' = Z, upper triangular.  [V y] is a
 * factor of Z + y y' with one column too many.  Rotating column k against y,
 * from the last column to the first, leaves the product as it is and makes
 * y_k zero; only entries 0 .. k of both are touched, so V stays triangular.
 */
#include "dictlearn/preconditioner.h"

#include "base/cholesky.h"

#include <math.h>
#include <string.h>

/* What is added to Z, relative to its mean eigenvalue: far below what
 * rounding to 8 bits adds, far above what double loses. */
#define FLOOR 1e-12

struct Preconditioner {
  int n;
  guint64 samples;
  Mat V;
  double *y; /* used up by an update */
};

/* Z + floor, and its factor. */
static gboolean
factor (const Mat *Y, Mat *V)
{
  int n = Y->rows;
  double trace = 0;

  mat_multiply (1, Y, PLAIN, Y, TRANSPOSED, 0, V);
  for (int i = 0; i < n; i++)
    trace += *mat_at (V, i, i);
  if (!(trace > 0) || !isfinite (trace))
    return FALSE;
  for (int i = 0; i < n; i++)
    *mat_at (V, i, i) += FLOOR * trace / n;
  return cholesky_factor_upper (V);
}

Preconditioner *
preconditioner_new (const Mat *Y)
{
  g_autoptr (Preconditioner) self = g_new0 (Preconditioner, 1);

  self->n = Y->rows;
  self->samples = (guint64) Y->cols;
  self->V = mat_new (self->n, self->n);
  self->y = g_new (double, self->n);
  if (!factor (Y, &self->V))
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
  cholesky_update_upper (&self->V, self->y);
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
preconditioner_transposed (const Preconditioner *self, Mat *W)
{
  mat_solve_upper (scale (self), &self->V, TRANSPOSED, W);
}
