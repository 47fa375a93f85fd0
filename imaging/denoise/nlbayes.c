#include "imaging/denoise/nlbayes.h"

#include "base/orderedgemm.h"
#include "base/parallel.h"
#include "base/spdinverse.h"
#include "imaging/denoise/overlap.h"
#include "imaging/similar.h"

#include <math.h>
#include <string.h>

/* Workspace of one thread. */
typedef struct {
  Candidate *candidates;
  int count;
  MatF X, Y; /* patches of the guide and noisy ones, n x k */
  MatF C, F; /* covariance and C (C + S)^-1, n x n */
  Mat A;     /* C + S and its inverse */
  float *mean;
} Workspace;

typedef struct {
  const Planes *noisy, *guide;
  GreyRows grey; /* of the guide: what patches are compared by */
  const NlBayesSettings *settings;
  MatF S[NOISE_LEVELS];  /* covariance of the noise, for each brightness */
  Workspace *workspaces; /* one for each thread */
} NlBayes;

int
nl_bayes_reach (const NlBayesSettings *settings)
{
  return 2 * (settings->search + settings->patch);
}

/* The guide has lost fine detail that the clean picture has, and C with it;
 * the more, the stronger the noise.  Underestimating the noise makes up for
 * that: by a factor of 0.5 + 5 / levels of noise in 255, 1 at most. */
static void
weaken (const NoiseModel *noise, MatF S[NOISE_LEVELS])
{
  for (int level = 0; level < NOISE_LEVELS; level++) {
    double levels = 255 * noise_model_sigma_at (noise, level);
    float factor = (float) fmin (1, 0.5 + 5 / levels);

    for (int j = 0; j < S[level].cols; j++)
      for (int i = 0; i < S[level].rows; i++)
        *matf_at (&S[level], i, j) *= factor;
  }
}

/* ---- their distribution ---- */

/* Reads the patches of @planes that look alike into the columns of @Y. */
static void
read_patches (const NlBayes *g, const Workspace *w, const Planes *planes,
              MatF *Y)
{
  for (int j = 0; j < Y->cols; j++)
    planes_get_patch (planes, w->candidates[j].x, w->candidates[j].y,
                      g->settings->patch, matf_at (Y, 0, j));
}

/* Subtracts the mean of the columns from each of them. */
static void
centre (MatF *Y, float *mean)
{
  for (int i = 0; i < Y->rows; i++)
    mean[i] = 0;
  for (int j = 0; j < Y->cols; j++)
    matf_axpy (Y->rows, 1 / (float) Y->cols, matf_at (Y, 0, j), mean);
  for (int j = 0; j < Y->cols; j++)
    matf_axpy (Y->rows, -1, mean, matf_at (Y, 0, j));
}

/* The level of brightness of patches whose mean is @mean. */
static int
level_of_mean (const float *mean, int n)
{
  float sum = 0;

  for (int i = 0; i < n; i++)
    sum += mean[i];
  return noise_model_level (sum / (float) n);
}

/* F = I - S (C + S)^-1.  Where that cannot be, nothing is known but the noisy
 * patches, and F = I.  @C is overwritten. */
static void
find_filter (MatF *C, const MatF *S, Mat *A, MatF *F)
{
  int n = C->rows;

  mat_from_float (C, A);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      *mat_at (A, i, j) += *matf_at (S, i, j);
  if (!spd_invert (A))
    memset (A->data, 0, (gsize) n * (gsize) n * sizeof (double));
  mat_to_float (A, C);
  ordered_multiply (-1, S, PLAIN, C, PLAIN, F);
  for (int i = 0; i < n; i++)
    *matf_at (F, i, i) += 1;
}

/* The same for white noise, S = v I. */
static void
find_white_filter (const MatF *C, double variance, Mat *A, MatF *F)
{
  int n = C->rows;

  mat_from_float (C, A);
  for (int i = 0; i < n; i++)
    *mat_at (A, i, i) += variance;
  if (!spd_invert (A))
    memset (A->data, 0, (gsize) n * (gsize) n * sizeof (double));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      *matf_at (F, i, j) = (float) ((i == j) - variance * *mat_at (A, i, j));
}

/* Puts the estimates of the noisy patches, the columns of @Y, into @X, which
 * has those of the guide.  @Y is overwritten. */
static void
estimate (const NlBayes *g, Workspace *w, MatF *X, MatF *Y)
{
  const MatF *S;

  centre (X, w->mean);
  S = &g->S[level_of_mean (w->mean, X->rows)];
  ordered_multiply (1 / (float) (X->cols - 1), X, PLAIN, X, TRANSPOSED, &w->C);
  if (g->settings->noise->is_white)
    find_white_filter (&w->C, *matf_at (S, 0, 0), &w->A, &w->F);
  else
    find_filter (&w->C, S, &w->A, &w->F);
  centre (Y, w->mean);
  ordered_multiply (1, &w->F, PLAIN, Y, PLAIN, X);
  for (int j = 0; j < X->cols; j++)
    matf_axpy (X->rows, 1, w->mean, matf_at (X, 0, j));
}

static void
do_reference (const NlBayes *g, Workspace *w, Strip *strip, int x, int y)
{
  const NlBayesSettings *s = g->settings;
  MatF X, Y;

  w->count = similar_list (&g->grey, x, y, s->patch, s->search, w->candidates);
  w->count = similar_select (w->candidates, w->count, s->similar);
  X = matf_columns (&w->X, 0, w->count);
  Y = matf_columns (&w->Y, 0, w->count);
  read_patches (g, w, g->noisy, &Y);
  read_patches (g, w, w->count > 1 ? g->guide : g->noisy, &X);
  if (w->count > 1)
    estimate (g, w, &X, &Y);
  for (int j = 0; j < w->count; j++)
    strip_add (strip, w->candidates[j].x, w->candidates[j].y, s->patch,
               matf_at (&X, 0, j), 1);
}

static void
do_strip (Strip *strip, int worker, gpointer data)
{
  const NlBayes *g = data;
  const NlBayesSettings *s = g->settings;
  int width = g->noisy->width, height = g->noisy->height;

  for (int i = 0; i < grid_places (height, s->patch, s->step); i++) {
    int y = grid_place (i, height, s->patch, s->step);

    if (y < strip->first || y >= strip->end)
      continue;
    for (int j = 0; j < grid_places (width, s->patch, s->step); j++)
      do_reference (g, &g->workspaces[worker], strip,
                    grid_place (j, width, s->patch, s->step), y);
  }
}

/* ---- the picture ---- */

static gboolean
mean_of_channels (const Planes *planes, GreyRows *grey, GError **error)
{
  gsize count = (gsize) planes->width * (gsize) planes->height;
  float scale = 1 / (float) planes->channels;

  if (!grey_rows_init (grey, planes->width, planes->height, planes->height,
                       error))
    return FALSE;
  memset (grey->data, 0, count * sizeof (float));
  for (int c = 0; c < planes->channels; c++) {
    const float *from = planes_at (planes, c, 0, 0);

    for (gsize i = 0; i < count; i++)
      grey->data[i] += scale * from[i];
  }
  return TRUE;
}

static void
workspace_init (Workspace *w, const NlBayesSettings *s, int channels)
{
  int n = s->patch * s->patch * channels;

  *w = (Workspace){ .candidates = g_new (Candidate, similar_most (s->search)),
                    .X = matf_new (n, s->similar),
                    .Y = matf_new (n, s->similar),
                    .C = matf_new (n, n),
                    .F = matf_new (n, n),
                    .A = mat_new (n, n),
                    .mean = g_new (float, n) };
}

static void
workspace_clear (Workspace *w)
{
  g_free (w->candidates);
  matf_clear (&w->X);
  matf_clear (&w->Y);
  matf_clear (&w->C);
  matf_clear (&w->F);
  mat_clear (&w->A);
  g_free (w->mean);
}

gboolean
planes_nl_bayes (const Planes *noisy, const Planes *guide,
                 const NlBayesSettings *settings, Planes *out,
                 const Progress *progress, GError **error)
{
  g_autofree Workspace *workspaces = g_new0 (Workspace, parallel_threads ());
  NlBayes g = { .noisy = noisy,
                .guide = guide,
                .settings = settings,
                .workspaces = workspaces };
  gboolean ok;

  if (!mean_of_channels (guide, &g.grey, error))
    return FALSE;
  noise_model_covariances (settings->noise, settings->patch, g.S);
  weaken (settings->noise, g.S);
  for (int i = 0; i < parallel_threads (); i++)
    workspace_init (&workspaces[i], settings, noisy->channels);
  ok = overlap_average (out, settings->search + settings->patch, do_strip, &g,
                        progress, error);
  for (int i = 0; i < parallel_threads (); i++)
    workspace_clear (&workspaces[i]);
  for (int level = 0; level < NOISE_LEVELS; level++)
    matf_clear (&g.S[level]);
  grey_rows_clear (&g.grey);
  return ok;
}
