/* preconditioner.c - a triangular factor under rank-one updates
 *
 * V is U without the division by c: V V' = Z, upper triangular.  [V y] is a
 * factor of Z + y y' with one column too many.  Rotating column k against y,
 * from the last column to the first, leaves the product as it is and makes
 * y_k zero; only entries 0 .. k of both are touched, so V stays triangular.
 *
 * The inverse is kept too.  With q = V^-1 y, V V' + y y' = V (I + q q') V',
 * and I + q q' = S S' with S upper triangular, S_ii = sqrt (t_i / t_(i+1)),
 * S_ij = q_i q_j / sqrt (t_j t_(j+1)), t_i = 1 + q_i^2 + ... + q_n^2, so that
 * the new inverse is S^-1 V^-1, by substitution from the last row up: a
 * running sum of rows makes that O(n^2).  It is recomputed now and then so
 * that rounding errors do not accumulate.
 *
 * The floor grows with the samples: V V' = Z + c s^2 I.  Rather than adding
 * s^2 I with each of them, which has full rank, sample number c adds n s^2 to
 * one diagonal entry, number c modulo n: n samples later it is the same.
 */
#include "dictlearn/preconditioner.h"

#include "base/cholesky.h"
#include "base/parallelgemm.h"

#include <math.h>
#include <string.h>

/* Below this share of the mean eigenvalue of Z, what is left of a direction is
 * rounding: the samples do not span it.  Then FLOOR is added to all. */
#define ROUNDING 1e-13
#define FLOOR 1e-10

/* Samples after which the inverse is recomputed. */
#define REFRESH 4096

struct Preconditioner {
  int n;
  double floor; /* s */
  guint64 samples;
  Mat V;
  Mat inverse; /* V^-1 transposed: one of its rows is a column here */
  double *y;   /* overwritten by an update */
  double *q;
  double *sum; /* of rows */
};

/* V = the factor of Y Y' + floor; FALSE if that is singular. */
static gboolean
factor (const Mat *Y, double floor, double least, Mat *V)
{
  parallel_gemm (1, Y, PLAIN, Y, TRANSPOSED, 0, V);
  for (int i = 0; i < Y->rows; i++)
    *mat_at (V, i, i) += floor;
  if (!cholesky_factor_upper (V))
    return FALSE;
  for (int i = 0; i < Y->rows; i++)
    if (!(*mat_at (V, i, i) * *mat_at (V, i, i) > least))
      return FALSE;
  return TRUE;
}

static void
make_inverse (Preconditioner *self)
{
  g_auto (Mat) inverse = mat_new (self->n, self->n);

  mat_copy (&self->V, &inverse);
  mat_invert_upper (&inverse);
  for (int j = 0; j < self->n; j++)
    for (int i = 0; i <= j; i++)
      *mat_at (&self->inverse, j, i) = *mat_at (&inverse, i, j);
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
  self->inverse = mat_new (self->n, self->n);
  self->y = g_new (double, self->n);
  self->q = g_new (double, self->n);
  self->sum = g_new (double, self->n);
  if (!(mean > 0) || !isfinite (mean))
    return NULL;
  if (!factor (Y, Y->cols * s * s, ROUNDING * mean, &self->V)
      && !factor (Y, FLOOR * mean, 0, &self->V))
    return NULL;
  make_inverse (self);
  return g_steal_pointer (&self);
}

void
preconditioner_free (Preconditioner *self)
{
  if (self == NULL)
    return;
  mat_clear (&self->V);
  mat_clear (&self->inverse);
  g_free (self->q);
  g_free (self->sum);
  g_free (self->y);
  g_free (self);
}

/* Row i of V^-1, from its diagonal entry on. */
static double *
inverse_row (const Preconditioner *self, int i)
{
  return mat_at (&self->inverse, i, i);
}

/* The inverse for V V' + y y', where all but the first @m entries of y are
 * zero; V is still the old one. */
static void
update_inverse (Preconditioner *self, int m)
{
  int n = self->n;
  double t = 1; /* t_(i+1) */

  for (int i = 0; i < m; i++)
    self->q[i] = vector_dot (m - i, inverse_row (self, i), self->y + i);
  memset (self->sum, 0, (gsize) n * sizeof (double));
  for (int i = m - 1; i >= 0; i--) {
    double q = self->q[i], next = t + q * q;
    double *row = inverse_row (self, i);

    vector_axpy (n - i, -q, self->sum + i, row);
    vector_scale (n - i, sqrt (t / next), row);
    vector_axpy (n - i, q / sqrt (t * next), row, self->sum + i);
    t = next;
  }
}

/* Adds y y' to V V', for y in self->y. */
static void
take_in (Preconditioner *self, int m)
{
  update_inverse (self, m);
  cholesky_update_upper (&self->V, self->y, m);
}

void
preconditioner_add (Preconditioner *self, const double *y)
{
  memcpy (self->y, y, (gsize) self->n * sizeof (double));
  take_in (self, self->n);
  if (self->floor > 0) {
    int entry = (int) (self->samples % (guint64) self->n);

    memset (self->y, 0, (gsize) self->n * sizeof (double));
    self->y[entry] = self->floor * sqrt (self->n);
    take_in (self, entry + 1);
  }
  self->samples++;
  if (self->samples % REFRESH == 0)
    make_inverse (self);
}

int
preconditioner_length (const Preconditioner *self)
{
  return self->n;
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
preconditioner_matrix (const Preconditioner *self, MatF *Pt)
{
  double factor = scale (self);

  for (int j = 0; j < self->n; j++) {
    const double *from = mat_at (&self->inverse, 0, j);
    float *to = matf_at (Pt, 0, j);

    for (int i = 0; i < self->n; i++)
      to[i] = (float) (factor * from[i]);
  }
}
