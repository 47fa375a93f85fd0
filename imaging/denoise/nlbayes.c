#include "imaging/denoise/nlbayes.h"

#include "base/cpudispatch.h"
#include "base/orderedgemm.h"
#include "base/parallel.h"
#include "base/spdinverse.h"
#include "imaging/denoise/overlap.h"
#include "imaging/similar.h"

#include <math.h>
#include <string.h>

/* Similar patches of the guide that vary by less than this share of the
 * variance of the noise are alike.  So small, since all of it may be in one
 * direction, of as many as a patch has samples. */
#define FLAT 0.01f

/* Workspace of one thread. */
typedef struct {
  Candidate *candidates;
  int count;
  MatF X, Y; /* patches of the guide and noisy ones, n x k */
  MatF C, F; /* C + S and its inverse, and C (C + S)^-1, n x n */
  MatF Z, D; /* for few patches: n x k, k x k */
  float *mean, *squares;
} Workspace;

typedef struct {
  const Planes *noisy, *guide;
  GreyRows grey; /* of the guide: what patches are compared by */
  const NlBayesSettings *settings;
  float most_distance; /* of patches that look alike */
  MatF S[NOISE_LEVELS];  /* covariance of the noise, for each brightness */
  MatF P[NOISE_LEVELS];  /* its inverse, or empty */
  Workspace *workspaces; /* one for each thread */
} NlBayes;

int
nl_bayes_reach (const NlBayesSettings *settings)
{
  return 2 * (settings->search + settings->patch);
}

/* The guide has lost fine detail that the clean picture has, and C with it;
 * the more, the stronger the noise.  Underestimating the noise makes up for
 * that: by a factor of 0.4 + 5 / levels of noise in 255, 1 at most. */
static void
weaken (const NoiseModel *noise, MatF S[NOISE_LEVELS])
{
  for (int level = 0; level < NOISE_LEVELS; level++) {
    double levels = 255 * noise_model_sigma_at (noise, level);
    float factor = (float) fmin (1, 0.4 + 5 / levels);

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

/* B = factor A */
static void
scale_into (float factor, const MatF *A, MatF *B)
{
  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < A->rows; i++)
      *matf_at (B, i, j) = factor * *matf_at (A, i, j);
}

/* F = I - S (C + S)^-1.  Where that cannot be, nothing is known but the noisy
 * patches, and F = I.  @C is overwritten. */
static void
find_filter (MatF *C, const MatF *S, gboolean is_white, MatF *F)
{
  int n = C->rows;

  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      *matf_at (C, i, j) += *matf_at (S, i, j);
  if (!spd_invert (C))
    memset (C->data, 0, (gsize) n * (gsize) n * sizeof (float));
  if (is_white)
    scale_into (-*matf_at (S, 0, 0), C, F);
  else
    ordered_multiply (-1, S, PLAIN, C, PLAIN, F);
  for (int i = 0; i < n; i++)
    *matf_at (F, i, i) += 1;
}

/* X = F Y, where X had the patches of the guide, for more patches than a patch
 * has samples. */
static void
filter_many (const NlBayes *g, Workspace *w, int level, MatF *X, const MatF *Y)
{
  ordered_multiply (1 / (float) (X->cols - 1), X, PLAIN, X, TRANSPOSED, &w->C);
  find_filter (&w->C, &g->S[level], g->settings->noise->is_white, &w->F);
  ordered_multiply (1, &w->F, PLAIN, Y, PLAIN, X);
}

/* The same for few.  Then the matrix to be inverted is as small as they are
 * few: with m = k - 1,
 *     F = X X'/m (X X'/m + S)^-1 = X (X' S^-1 X + m I)^-1 X' S^-1. */
static void
filter_few (const NlBayes *g, Workspace *w, int level, MatF *X, MatF *Y)
{
  int k = X->cols;
  MatF Z = matf_columns (&w->Z, 0, k), G = { w->C.data, k, k, k };
  MatF B = { w->F.data, k, k, k }, D = { w->D.data, k, k, k };

  if (g->settings->noise->is_white)
    scale_into (*matf_at (&g->P[level], 0, 0), X, &Z);
  else
    ordered_multiply (1, &g->P[level], PLAIN, X, PLAIN, &Z);
  ordered_multiply (1, X, TRANSPOSED, &Z, PLAIN, &G);
  for (int i = 0; i < k; i++)
    *matf_at (&G, i, i) += (float) (k - 1);
  if (!spd_invert (&G)) {
    scale_into (1, Y, X);
    return;
  }
  ordered_multiply (1, &Z, TRANSPOSED, Y, PLAIN, &B);
  ordered_multiply (1, &G, PLAIN, &B, PLAIN, &D);
  ordered_multiply (1, X, PLAIN, &D, PLAIN, &Z);
  scale_into (1, &Z, X);
}

/* squares_i += x_i^2 */
CPU_DISPATCH static void
add_squares (int n, const float *restrict x, float *restrict squares)
{
  for (int i = 0; i < n; i++)
    squares[i] += x[i] * x[i];
}

/* Whether the patches of the guide, less their mean, have next to nothing but
 * noise that was left in them. */
static gboolean
is_flat (const MatF *X, const MatF *S, float *squares)
{
  float sum = 0, noise = 0;

  memset (squares, 0, (gsize) X->rows * sizeof (float));
  for (int j = 0; j < X->cols; j++)
    add_squares (X->rows, matf_at (X, 0, j), squares);
  for (int i = 0; i < X->rows; i++) {
    sum += squares[i];
    noise += *matf_at (S, i, i);
  }
  return sum < FLAT * noise * (float) (X->cols - 1);
}

/* Puts the estimates of the noisy patches, the columns of @Y, into @X, which
 * has those of the guide.  @Y is overwritten. */
static void
estimate (const NlBayes *g, Workspace *w, MatF *X, MatF *Y)
{
  int level;

  centre (X, w->mean);
  level = level_of_mean (w->mean, X->rows);
  centre (Y, w->mean);
  if (is_flat (X, &g->S[level], w->squares))
    memset (X->data, 0, (gsize) X->ld * (gsize) X->cols * sizeof (float));
  else if (X->cols <= X->rows && g->P[level].data != NULL)
    filter_few (g, w, level, X, Y);
  else
    filter_many (g, w, level, X, Y);
  for (int j = 0; j < X->cols; j++)
    matf_axpy (X->rows, 1, w->mean, matf_at (X, 0, j));
}

/* k for the first @count candidates. */
static int
count_alike (const NlBayes *g, const Candidate *candidates, int count)
{
  const NlBayesSettings *s = g->settings;
  int alike = 0;

  if (s->alike <= 0)
    return s->similar;
  for (int i = 0; i < count; i++)
    alike += candidates[i].distance <= g->most_distance;
  return CLAMP (alike, s->least, s->similar);
}

static void
do_reference (const NlBayes *g, Workspace *w, Strip *strip, int x, int y)
{
  const NlBayesSettings *s = g->settings;
  MatF X, Y;

  w->count = similar_list (&g->grey, x, y, s->patch, s->search, w->candidates);
  w->count = similar_select (w->candidates, w->count,
                             count_alike (g, w->candidates, w->count));
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

/* Those reference patches whose similar ones may have a pixel that is
 * needed. */
static void
do_strip (Strip *strip, int worker, gpointer data)
{
  const NlBayes *g = data;
  const NlBayesSettings *s = g->settings;
  int width = g->noisy->width, height = g->noisy->height;
  int before = s->search + s->patch - 1, after = s->search;
  int left = grid_place_after (s->needed.x - before, width, s->patch, s->step);
  int right = grid_place_after (s->needed.x + s->needed.width + after, width,
                                s->patch, s->step);
  int top = MAX (s->needed.y - before, strip->first);
  int bottom = MIN (s->needed.y + s->needed.height + after, strip->end);

  for (int i = grid_place_after (top, height, s->patch, s->step);
       i < grid_place_after (bottom, height, s->patch, s->step); i++)
    for (int j = left; j < right; j++)
      do_reference (g, &g->workspaces[worker], strip,
                    grid_place (j, width, s->patch, s->step),
                    grid_place (i, height, s->patch, s->step));
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

/* The covariances of the noise; and their inverses, empty where there are
 * none. */
static void
find_covariances (NlBayes *g)
{
  const NlBayesSettings *s = g->settings;

  noise_model_covariances (s->noise, s->patch, g->S);
  weaken (s->noise, g->S);
  for (int level = 0; level < NOISE_LEVELS; level++) {
    int n = g->S[level].rows;

    g->P[level] = matf_new (n, n);
    scale_into (1, &g->S[level], &g->P[level]);
    if (!spd_invert (&g->P[level]))
      matf_clear (&g->P[level]);
  }
}

/* As nlbayes.h says, for the mean noise of all brightnesses. */
static float
most_distance (const NlBayesSettings *s)
{
  double sigma = noise_model_sigma (s->noise);

  return (float) (s->alike * s->patch * s->patch * sigma * sigma);
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
                    .Z = matf_new (n, MIN (n, s->similar)),
                    .D = matf_new (n, n),
                    .mean = g_new (float, n),
                    .squares = g_new (float, n) };
}

static void
workspace_clear (Workspace *w)
{
  g_free (w->candidates);
  matf_clear (&w->X);
  matf_clear (&w->Y);
  matf_clear (&w->C);
  matf_clear (&w->F);
  matf_clear (&w->Z);
  matf_clear (&w->D);
  g_free (w->mean);
  g_free (w->squares);
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
                .most_distance = most_distance (settings),
                .workspaces = workspaces };
  gboolean ok;

  if (!mean_of_channels (guide, &g.grey, error))
    return FALSE;
  find_covariances (&g);
  for (int i = 0; i < parallel_threads (); i++)
    workspace_init (&workspaces[i], settings, noisy->channels);
  ok = overlap_average (out, settings->search + settings->patch, do_strip, &g,
                        progress, error);
  for (int i = 0; i < parallel_threads (); i++)
    workspace_clear (&workspaces[i]);
  for (int level = 0; level < NOISE_LEVELS; level++) {
    matf_clear (&g.S[level]);
    matf_clear (&g.P[level]);
  }
  grey_rows_clear (&g.grey);
  return ok;
}
