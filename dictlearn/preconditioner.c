/* preconditioner.c - a triangular factor under rank-one updates
 *
 * V is U without the division by c: V V' = Z, upper triangular.  [V y] is a
 * factor of Z + y y' with one column too many.  Rotating column k against y,
 * from the last column to the first, leaves the product as it is and makes
 * y_k zero; only entries 0 .. k of both are touched, so V stays triangular.
 *
 * Samples that were whitened before can follow.  With q = V^-1 y,
 * V V' + y y' = V (I + q q') V', and I + q q' = S S' with S upper triangular,
 * S_ii = sqrt (t_i / t_(i+1)), S_ij = q_i q_j / sqrt (t_j t_(j+1)),
 * t_i = 1 + q_i^2 + ... + q_n^2.  The new V is V S, so that V^-1 x becomes
 * S^-1 (V^-1 x), by substitution from the last entry up, where one running sum
 * makes that O(n).
 *
 * The floor grows with the samples: V V' = Z + c s^2 I.  Rather than adding
 * s^2 I with each of them, which has full rank, sample number c adds n s^2 to
 * one diagonal entry, number c modulo n: n samples later it is the same.
 */
#include "dictlearn/preconditioner.h"

#include "base/cholesky.h"
#include "base/cpudispatch.h"
#include "base/parallel.h"
#include "base/parallelgemm.h"

#include <math.h>
#include <string.h>

/* Below this share of the mean eigenvalue of Z, what is left of a direction is
 * rounding: the samples do not span it.  Then FLOOR is added to all. */
#define ROUNDING 1e-13
#define FLOOR 1e-10

/* Samples that one thread whitens at a time, and that are followed together.
 */
#define BLOCK 100
#define TILE 16

struct Preconditioner {
  int n;
  double floor; /* s */
  guint64 samples;
  Mat V;
  double *y;                 /* overwritten by an update */
  float *q, *diagonal, *off; /* q_i, 1 / S_ii, q_i / sqrt (t_i t_(i+1)) */
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
  self->q = g_new (float, self->n);
  self->diagonal = g_new (float, self->n);
  self->off = g_new (float, self->n);
  if (!(mean > 0) || !isfinite (mean))
    return NULL;
  if (isinf (s)) {
    for (int i = 0; i < self->n; i++)
      *mat_at (&self->V, i, i) = 1;
    return g_steal_pointer (&self);
  }
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
  g_free (self->q);
  g_free (self->diagonal);
  g_free (self->off);
  g_free (self->y);
  g_free (self);
}

/* The entries of S for y in self->y, of which all but the first @m are zero; V
 * is still the old one. */
static void
make_step (Preconditioner *self, int m)
{
  g_autofree double *q = g_memdup2 (self->y, (gsize) m * sizeof (double));
  Mat leading = { self->V.data, m, m, self->V.ld };
  Mat column = { q, m, 1, m };
  double t = 1; /* t_(i+1) */

  mat_solve_upper (1, &leading, PLAIN, &column);
  for (int i = m - 1; i >= 0; i--) {
    double next = t + q[i] * q[i];

    self->q[i] = (float) q[i];
    self->diagonal[i] = (float) sqrt (t / next);
    self->off[i] = (float) (q[i] / sqrt (t * next));
    t = next;
  }
}

/* x = S^-1 x for the TILE columns x of which @tile has the first @m entries,
 * one row after the other. */
CPU_DISPATCH static void
follow_tile (const float *restrict q, const float *restrict diagonal,
             const float *restrict off, int m, float *restrict tile)
{
  float sum[TILE] = { 0 };

  for (int i = m - 1; i >= 0; i--) {
    float *x = tile + (gsize) i * TILE;

    for (int j = 0; j < TILE; j++) {
      x[j] = diagonal[i] * (x[j] - q[i] * sum[j]);
      sum[j] += off[i] * x[j];
    }
  }
}

static void
follow (const Preconditioner *self, int m, MatF *W)
{
  g_autofree float *tile = g_new0 (float, (gsize) m *TILE);

  for (int first = 0; first < W->cols; first += TILE) {
    int count = MIN (TILE, W->cols - first);

    for (int j = 0; j < count; j++)
      for (int i = 0; i < m; i++)
        tile[(gsize) i * TILE + (gsize) j] = *matf_at (W, i, first + j);
    follow_tile (self->q, self->diagonal, self->off, m, tile);
    for (int j = 0; j < count; j++)
      for (int i = 0; i < m; i++)
        *matf_at (W, i, first + j) = tile[(gsize) i * TILE + (gsize) j];
  }
}

/* Adds y y' to V V', for y in self->y. */
static void
take_in (Preconditioner *self, int m, MatF *W)
{
  if (W != NULL) {
    make_step (self, m);
    follow (self, m, W);
  }
  cholesky_update_upper (&self->V, self->y, m);
}

void
preconditioner_add (Preconditioner *self, const double *y, MatF *W)
{
  double before = (double) self->samples;
  float growth = (float) sqrt ((before + 1) / before);

  if (isinf (self->floor))
    return;
  memcpy (self->y, y, (gsize) self->n * sizeof (double));
  take_in (self, self->n, W);
  if (self->floor > 0) {
    int entry = (int) (self->samples % (guint64) self->n);

    memset (self->y, 0, (gsize) self->n * sizeof (double));
    self->y[entry] = self->floor * sqrt (self->n);
    take_in (self, entry + 1, W);
  }
  self->samples++;
  for (int j = 0; W != NULL && j < W->cols; j++) {
    float *x = matf_at (W, 0, j);

    for (int i = 0; i < W->rows; i++)
      x[i] *= growth;
  }
}

int
preconditioner_length (const Preconditioner *self)
{
  return self->n;
}

static double
scale (const Preconditioner *self)
{
  return isinf (self->floor) ? 1 : sqrt ((double) self->samples);
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

typedef struct {
  const Preconditioner *self;
  const MatF *Y;
  MatF *W;
} WhitenTask;

static void
whiten_block (int block, int worker, gpointer data)
{
  const WhitenTask *task = data;
  int first = block * BLOCK, count = MIN (BLOCK, task->Y->cols - first);
  MatF Y = matf_columns (task->Y, first, count);
  MatF W = matf_columns (task->W, first, count);
  g_auto (Mat) wide = mat_new (Y.rows, count);

  (void) worker;
  mat_from_float (&Y, &wide);
  preconditioner_whiten (task->self, &wide);
  mat_to_float (&wide, &W);
}

void
preconditioner_whiten_samples (const Preconditioner *self, const MatF *Y,
                               MatF *W)
{
  WhitenTask task = { self, Y, W };

  parallel_for ((Y->cols + BLOCK - 1) / BLOCK, whiten_block, &task, NULL,
                NULL);
}
