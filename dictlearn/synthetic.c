/* synthetic.c - synthetic samples whose dictionary and codes are known
 *
 * Every random number has a key of its own: the entry it is for.  A sample is
 * summed atom by atom instead of by a product of matrices, whose rounding may
 * depend on how many columns there are; with a third of the codes zero or
 * fewer that is hardly slower.
 */
#include "dictlearn/synthetic.h"

#include "base/parallel.h"
#include "base/polar.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

/* Streams of random numbers. */
enum {
  STREAM_LEFT = 0x706c,
  STREAM_RIGHT,
  STREAM_WHERE,
  STREAM_VALUE,
  STREAM_NOISE
};

/* Samples per chunk, some milliseconds of work. */
#define CHUNK 256

/* ---- the dictionary ---- */

/* The polar factor of a Gaussian matrix G.  G is distributed like Q G for any
 * orthonormal Q, therefore so is its factor: it is uniform. */
static gboolean
random_orthonormal (guint64 seed, guint64 stream, Mat *Q)
{
  int n = Q->rows;

  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      *mat_at (Q, i, j) =
        random_normal (seed, stream, (guint64) j * (guint64) n + (guint64) i);
  return polar_svd (Q, NULL, 0, Q);
}

/* Scales column i by  condition^(-i / (n - 1)). */
static void
spread_columns (Mat *U, double condition)
{
  int n = U->cols;

  for (int j = 1; j < n; j++) {
    double s = pow (condition, -(double) j / (n - 1));

    for (int i = 0; i < n; i++)
      *mat_at (U, i, j) *= s;
  }
}

SyntheticData *
synthetic_new (const SyntheticOptions *options)
{
  g_autoptr (SyntheticData) self = g_new0 (SyntheticData, 1);
  int n = options->n;
  g_auto (Mat) U = mat_new (n, n);
  g_auto (Mat) V = mat_new (n, n);

  g_return_val_if_fail (n >= 1 && options->condition >= 1, NULL);
  g_return_val_if_fail (options->density > 0 && options->density <= 1, NULL);
  g_return_val_if_fail (options->smallest >= 0 && options->noise >= 0, NULL);

  self->options = *options;
  self->A = mat_new (n, n);
  if (!random_orthonormal (options->seed, STREAM_LEFT, &U)
      || !random_orthonormal (options->seed, STREAM_RIGHT, &V))
    return NULL;
  spread_columns (&U, options->condition);
  mat_multiply (1, &U, PLAIN, &V, TRANSPOSED, 0, &self->A);
  return g_steal_pointer (&self);
}

void
synthetic_free (SyntheticData *self)
{
  if (self == NULL)
    return;
  mat_clear (&self->A);
  g_free (self);
}

/* ---- the samples ---- */

static double
draw_code (const SyntheticOptions *o, guint64 key)
{
  double value;

  if (random_uniform (o->seed, STREAM_WHERE, key) >= o->density)
    return 0;
  value = random_normal (o->seed, STREAM_VALUE, key);
  return copysign (fmax (fabs (value), o->smallest), value);
}

/* Sample number @number into @y, and its code into @x unless NULL. */
static void
draw_sample (const SyntheticData *self, guint64 number, double *y, double *x)
{
  const SyntheticOptions *o = &self->options;
  int n = o->n;
  guint64 first_key = number * (guint64) n;

  memset (y, 0, (gsize) n * sizeof (double));
  for (int k = 0; k < n; k++) {
    const double *atom = mat_at (&self->A, 0, k);
    double code = draw_code (o, first_key + (guint64) k);

    if (x != NULL)
      x[k] = code;
    if (code != 0)
      for (int i = 0; i < n; i++)
        y[i] += code * atom[i];
  }
  if (o->noise > 0)
    for (int i = 0; i < n; i++)
      y[i] += o->noise
              * random_normal (o->seed, STREAM_NOISE, first_key + (guint64) i);
}

typedef struct {
  const SyntheticData *synthetic;
  guint64 first;
  Mat *Y, *X;
} Job;

static void
draw_chunk (int chunk, int worker, gpointer data)
{
  const Job *job = data;
  int end = MIN (job->Y->cols, (chunk + 1) * CHUNK);

  (void) worker;
  for (int j = chunk * CHUNK; j < end; j++)
    draw_sample (job->synthetic, job->first + (guint64) j,
                 mat_at (job->Y, 0, j),
                 job->X != NULL ? mat_at (job->X, 0, j) : NULL);
}

void
synthetic_samples (const SyntheticData *self, guint64 first, Mat *Y, Mat *X)
{
  Job job = { self, first, Y, X };

  g_return_if_fail (Y->rows == self->options.n);
  g_return_if_fail (X == NULL || (X->rows == Y->rows && X->cols == Y->cols));

  parallel_for ((Y->cols + CHUNK - 1) / CHUNK, draw_chunk, &job, NULL, NULL);
}

/* For a standard normal g and z = Gamma,
 *     E max (|g|, z)^2 = z^2 P(|g| < z) + E (g^2; |g| >= z)
 *                      = z^2 erf (z / sqrt 2) + erfc (z / sqrt 2)
 *                        + 2 z phi (z),    phi (z) = exp (-z^2/2)/sqrt (2 pi),
 * the last two by parts. */
double
synthetic_deviation (const SyntheticOptions *options)
{
  double z = options->smallest;
  double below = erf (z * M_SQRT1_2), above = erfc (z * M_SQRT1_2);
  double phi = exp (-z * z / 2) / sqrt (2 * G_PI);

  return sqrt (options->density * (z * z * below + above + 2 * z * phi));
}
