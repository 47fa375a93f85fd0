#include "imaging/denoise/shrinkage.h"

#include "base/orderedgemm.h"
#include "base/parallel.h"
#include "imaging/denoise/overlap.h"
#include "omp/pursuit.h"

#include <math.h>
#include <string.h>

/* Of all thresholds the one that leaves the least error on photographs; it is
 * exceeded by 7 in 1000 codes of pure noise. */
#define THRESHOLD 2.7

/* The mean square of n samples of noise has the standard deviation
 * sqrt (2 / n) s^2.  A pursuit stops this many of these above s^2. */
#define EXCESS 1.5

/* A pursuit that needs more atoms than this share of n explains noise. */
#define MOST_ATOMS 0.5

/* Patches that are coded at a time. */
#define CHUNK 128

typedef struct {
  const Planes *noisy;
  const ShrinkageSettings *settings;
  const Pursuit *pursuit; /* NULL for an orthonormal dictionary */
} Shrinkage;

/* Workspace for a chunk of patches. */
typedef struct {
  MatF Y, C;
  SparseMat X;
  float weights[CHUNK];
  float means[CHUNK * 3]; /* of the channels of each patch */
} Batch;

/* ---- one patch ---- */

/* Returns the weight of the patch. */
static float
threshold (float *c, int n, float least)
{
  int kept = 1;

  for (int i = 0; i < n; i++)
    if (fabsf (c[i]) < least)
      c[i] = 0;
    else
      kept++;
  return (float) n / (float) kept;
}

/* ---- a chunk of patches of one row ---- */

static int
most_atoms (const Dictionary *d)
{
  int most = MAX (1, (int) (MOST_ATOMS * d->atoms.rows));

  return MIN (most, d->atoms.cols);
}

static gboolean
batch_init (Batch *b, const Shrinkage *s, GError **error)
{
  const Dictionary *d = s->settings->dictionary;

  return matf_try_new (&b->Y, d->atoms.rows, CHUNK, error)
         && (s->pursuit != NULL
               ? sparse_try_new (&b->X, d->atoms.cols, CHUNK, most_atoms (d),
                                 error)
               : matf_try_new (&b->C, d->atoms.cols, CHUNK, error));
}

static void
batch_clear (Batch *b)
{
  matf_clear (&b->Y);
  matf_clear (&b->C);
  sparse_clear (&b->X);
}

/* Reads patches of one row, from place number @first on. */
static void
read_patches (const Shrinkage *s, int row, int first, MatF *Y)
{
  const Planes *planes = s->noisy;
  int patch = s->settings->dictionary->patch;

  for (int j = 0; j < Y->cols; j++)
    planes_get_patch (
      planes, grid_place (first + j, planes->width, patch, s->settings->step),
      row, patch, matf_at (Y, 0, j));
}

/* Takes the mean of each channel from the patches in @Y, and puts it back.
 * It has hardly any noise; and in the dark, where clipping leaves less noise
 * than there should be, a pursuit would stop before it is explained. */
static void
subtract_means (MatF *Y, int area, float *means)
{
  for (int j = 0; j < Y->cols; j++)
    for (int first = 0; first < Y->rows; first += area, means++) {
      float *y = matf_at (Y, first, j);

      *means = 0;
      for (int i = 0; i < area; i++)
        *means += y[i] / (float) area;
      for (int i = 0; i < area; i++)
        y[i] -= *means;
    }
}

static void
add_means (MatF *Y, int area, const float *means)
{
  for (int j = 0; j < Y->cols; j++)
    for (int first = 0; first < Y->rows; first += area, means++)
      for (int i = 0; i < area; i++)
        *matf_at (Y, first + i, j) += *means;
}

static gboolean
code_by_pursuit (const Shrinkage *s, Batch *b, MatF *Y, GError **error)
{
  const Dictionary *d = s->settings->dictionary;
  double n = d->atoms.rows, variance = pow (s->settings->sigma, 2);
  PursuitOptions options = { .max_atoms = most_atoms (d),
                             .max_error =
                               variance * (1 + EXCESS * sqrt (2 / n)) };
  SparseMat X = b->X;

  X.cols = Y->cols;
  if (!pursuit_encode (s->pursuit, Y, NULL, &options, &X, NULL, error))
    return FALSE;
  for (int j = 0; j < Y->cols; j++) {
    sparse_apply (&d->atoms, &X, j, matf_at (Y, 0, j));
    b->weights[j] = (float) n / (float) (1 + X.count[j]);
  }
  return TRUE;
}

static void
code_by_threshold (const Shrinkage *s, Batch *b, MatF *Y)
{
  const MatF *D = &s->settings->dictionary->atoms;
  float least = (float) (THRESHOLD * s->settings->sigma);
  MatF C = matf_columns (&b->C, 0, Y->cols);

  ordered_multiply (1, D, TRANSPOSED, Y, PLAIN, &C);
  for (int j = 0; j < Y->cols; j++)
    b->weights[j] = threshold (matf_at (&C, 0, j), C.rows, least);
  ordered_multiply (1, D, PLAIN, &C, PLAIN, Y);
}

/* Codes the patches in @Y and replaces them by what their codes represent. */
static gboolean
code (const Shrinkage *s, Batch *b, MatF *Y, GError **error)
{
  int area = s->settings->dictionary->patch * s->settings->dictionary->patch;

  subtract_means (Y, area, b->means);
  if (s->pursuit == NULL)
    code_by_threshold (s, b, Y);
  else if (!code_by_pursuit (s, b, Y, error))
    return FALSE;
  add_means (Y, area, b->means);
  return TRUE;
}

static gboolean
do_row (const Shrinkage *s, Batch *b, Strip *strip, int row, GError **error)
{
  int patch = s->settings->dictionary->patch, step = s->settings->step;
  int width = s->noisy->width, places = grid_places (width, patch, step);

  for (int first = 0; first < places; first += CHUNK) {
    MatF Y = matf_columns (&b->Y, 0, MIN (CHUNK, places - first));

    read_patches (s, row, first, &Y);
    if (!parallel_goes_on (error) || !code (s, b, &Y, error))
      return FALSE;
    for (int j = 0; j < Y.cols; j++)
      strip_add (strip, grid_place (first + j, width, patch, step), row, patch,
                 matf_at (&Y, 0, j), b->weights[j]);
  }
  return TRUE;
}

static void
do_strip (Strip *strip, int worker, gpointer data)
{
  const Shrinkage *s = data;
  int patch = s->settings->dictionary->patch, step = s->settings->step;
  int height = s->noisy->height;
  GError *error = NULL;
  Batch b = { 0 };
  gboolean ok = batch_init (&b, s, &error);

  (void) worker;
  for (int i = 0; ok && i < grid_places (height, patch, step); i++) {
    int row = grid_place (i, height, patch, step);

    if (row >= strip->first && row < strip->end)
      ok = do_row (s, &b, strip, row, &error);
  }
  if (!ok)
    parallel_fail (error);
  batch_clear (&b);
}

/* ---- the picture ---- */

gboolean
planes_threshold (const Planes *noisy, const ShrinkageSettings *settings,
                  Planes *out, const Progress *progress, GError **error)
{
  Shrinkage s = { noisy, settings, NULL };

  return overlap_average (out, settings->dictionary->patch, do_strip, &s,
                          progress, error);
}

gboolean
planes_pursue (const Planes *noisy, const ShrinkageSettings *settings,
               Planes *out, const Progress *progress, GError **error)
{
  g_autoptr (Pursuit) pursuit =
    pursuit_new (&settings->dictionary->atoms, error);
  Shrinkage s = { noisy, settings, pursuit };

  return pursuit != NULL
         && overlap_average (out, settings->dictionary->patch, do_strip, &s,
                             progress, error);
}
