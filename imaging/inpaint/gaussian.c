#include "imaging/inpaint/gaussian.h"

#include "base/cpudispatch.h"
#include "base/parallel.h"
#include "imaging/inpaint/patches.h"
#include "imaging/inpaint/patchsearch.h"

#include <math.h>
#include <string.h>

/* Patches that a thread estimates at a time, and that wait to be averaged. */
#define CHUNK 64
#define BATCH 4096

/* Added to the known share of a patch to make its weight. */
#define LEAST_WEIGHT 0.01f

/* Draws are laid out in rows of a multiple of this many. */
#define LANES 8

/* Of one thread. */
typedef struct {
  Candidate *candidates;
  float *patch;    /* a draw */
  float *X;        /* samples x stride: a row has the draws of one sample */
  float *mean;     /* of the samples */
  float *y, *known; /* of the patch, and the trust in its samples */
  float *gram;     /* stride x stride, lower triangle by columns */
  float *a;        /* right side, and the solution */
} Workspace;

typedef struct {
  const GaussianSettings *settings;
  PatchSearch search;
  Workspace *workspaces; /* one for each thread */
  int numbers;           /* samples of a patch */
  float *patches;        /* those of a batch */
  float *weights;
  gsize coded;
} Models;

typedef struct {
  const Models *models;
  RowWindow *window;
  const Place *places;
  int count;
} Batch;

/* ---- one patch ---- */

static int
stride_of (int draws)
{
  return (draws + LANES - 1) / LANES * LANES;
}

/* Transposes the draws into rows, with zeros behind the last. */
static void
read_draws (const Batch *b, Workspace *w, int draws)
{
  int n = b->models->numbers, stride = stride_of (draws);

  memset (w->X, 0, (gsize) (n * stride) * sizeof (float));
  for (int j = 0; j < draws; j++) {
    Place place = { w->candidates[j].x, w->candidates[j].y };

    patch_copy (b->window, place, b->models->settings->side, w->patch);
    for (int i = 0; i < n; i++)
      w->X[i * stride + j] = w->patch[i];
  }
}

/* Subtracts the mean of each row from it. */
CPU_DISPATCH static void
centre (float *X, int n, int draws, float *mean)
{
  int stride = stride_of (draws);

  for (int i = 0; i < n; i++) {
    float *row = X + i * stride;
    float sums[LANES] = { 0 }, sum = 0;

    for (int j = 0; j < stride; j += LANES)
      for (int k = 0; k < LANES; k++)
        sums[k] += row[j + k];
    for (int k = 0; k < LANES; k++)
      sum += sums[k];
    mean[i] = sum / (float) draws;
    for (int j = 0; j < draws; j++)
      row[j] -= mean[i];
  }
}

/* The lower triangle of X' M X + ridge I, and X' M (y - mu). */
CPU_DISPATCH static void
normal_equations (const float *restrict X, const float *restrict known,
                  const float *restrict y, const float *restrict mean, int n,
                  int stride, float ridge, float *restrict gram,
                  float *restrict right)
{
  memset (gram, 0, (gsize) (stride * stride) * sizeof (float));
  memset (right, 0, (gsize) stride * sizeof (float));
  for (int i = 0; i < n; i++) {
    const float *restrict row = X + i * stride;
    float off = y[i] - mean[i];

    if (known[i] < 1)
      continue;
    for (int j = 0; j < stride; j++)
      right[j] += off * row[j];
    for (int j = 0; j < stride; j++) {
      float x = row[j];
      float *restrict column = gram + j * stride;

      for (int k = j / LANES * LANES; k < stride; k++)
        column[k] += x * row[k];
    }
  }
  for (int j = 0; j < stride; j++)
    gram[j * stride + j] += ridge;
}

/* Solves A a = right, A symmetric, its lower triangle given by columns and
 * overwritten by its Cholesky factor. */
CPU_DISPATCH static void
solve (float *restrict A, int stride, float *restrict a)
{
  for (int j = 0; j < stride; j++) {
    float *restrict column = A + j * stride;
    float scale = 1 / sqrtf (column[j]);

    for (int k = j; k < stride; k++)
      column[k] *= scale;
    for (int l = j + 1; l < stride; l++) {
      float *restrict other = A + l * stride;
      float x = column[l];

      for (int k = l / LANES * LANES; k < stride; k++)
        other[k] -= x * column[k];
    }
    a[j] /= column[j];
    for (int k = j + 1; k < stride; k++)
      a[k] -= a[j] * column[k];
  }
  for (int j = stride - 1; j >= 0; j--) {
    const float *column = A + j * stride;
    float sum = a[j];

    for (int k = j + 1; k < stride; k++)
      sum -= column[k] * a[k];
    a[j] = sum / column[j];
  }
}

/* mean + X a. */
CPU_DISPATCH static void
combine (const float *restrict X, const float *restrict mean,
         const float *restrict a, int n, int stride, float *restrict x)
{
  for (int i = 0; i < n; i++) {
    const float *row = X + i * stride;
    float sums[LANES] = { 0 }, sum = mean[i];

    for (int j = 0; j < stride; j += LANES)
      for (int k = 0; k < LANES; k++)
        sums[k] += row[j + k] * a[j + k];
    for (int k = 0; k < LANES; k++)
      sum += sums[k];
    x[i] = sum;
  }
}

/* The weight of a patch of which this is known. */
static float
weight_of (const float *known, int n)
{
  int count = 0;

  for (int i = 0; i < n; i++) {
    if (known[i] == 0)
      return 0;
    count += known[i] == 1;
  }
  return (float) count / (float) n + LEAST_WEIGHT;
}

static void
estimate (const Batch *b, Workspace *w, Place place, float *x, float *weight)
{
  const GaussianSettings *s = b->models->settings;
  int n = b->models->numbers, draws, stride;

  patch_get (b->window, place, s->side, 0, b->window->channels, w->y,
             w->known);
  *weight = weight_of (w->known, n);
  if (*weight == 0)
    return;
  draws = similar_list (&b->models->search.grey, place.x, place.y, s->side,
                        s->radius, w->candidates);
  draws = similar_select (w->candidates, draws, s->similar);
  stride = stride_of (draws);
  read_draws (b, w, draws);
  centre (w->X, n, draws, w->mean);
  normal_equations (w->X, w->known, w->y, w->mean, n, stride,
                    (float) (MAX (1, draws - 1) * s->noise * s->noise),
                    w->gram, w->a);
  solve (w->gram, stride, w->a);
  combine (w->X, w->mean, w->a, n, stride, x);
}

static void
estimate_chunk (int chunk, int worker, gpointer data)
{
  const Batch *b = data;
  const Models *m = b->models;
  int end = MIN (b->count, (chunk + 1) * CHUNK);

  for (int p = chunk * CHUNK; p < end; p++)
    estimate (b, &m->workspaces[worker], b->places[p],
              m->patches + (gsize) p * (gsize) m->numbers, &m->weights[p]);
}

/* ---- batches and blocks ---- */

/* One channel, so that threads write to different memory. */
static void
add_channel (int channel, int worker, gpointer data)
{
  const Batch *b = data;
  const Models *m = b->models;
  int side = m->settings->side;

  (void) worker;
  for (int p = 0; p < b->count; p++)
    if (m->weights[p] > 0)
      patch_add (b->window, b->places[p], side, channel,
                 m->patches + (gsize) p * (gsize) m->numbers
                   + (gsize) (channel * side * side),
                 m->weights[p]);
}

static gboolean
model_block (RowWindow *window, int top, int bottom, const Progress *progress,
             gpointer data, GError **error)
{
  Models *m = data;
  const GaussianSettings *s = m->settings;
  PlaceGrid grid = { s->side, s->step };
  g_autoptr (GArray) places = patch_places (window, &grid, top, bottom);

  if (m->search.grey.data == NULL
      && !patch_search_init (&m->search, window, error))
    return FALSE;
  m->search.window = window;
  patch_search_update (&m->search, top - s->radius,
                       bottom + s->side + s->radius);
  if (s->side > MIN (window->width, window->height))
    return TRUE;
  for (guint start = 0; start < places->len; start += BATCH) {
    Batch batch = { m, window, &g_array_index (places, Place, start),
                    (int) MIN (BATCH, places->len - start) };

    if (!progress_step (progress, (double) start / (double) places->len,
                        error))
      return FALSE;
    parallel_for ((batch.count + CHUNK - 1) / CHUNK, estimate_chunk, &batch,
                  NULL, NULL);
    parallel_for (window->channels, add_channel, &batch, NULL, NULL);
    m->coded += (gsize) batch.count;
  }
  return TRUE;
}

/* ---- passes ---- */

int
gaussian_reach (const GaussianSettings *settings)
{
  return settings->side + settings->radius;
}

static void
workspace_init (Workspace *w, const GaussianSettings *s, int n)
{
  int stride = stride_of (s->similar);

  *w = (Workspace){ .candidates = g_new (Candidate, similar_most (s->radius)),
                    .patch = g_new (float, n),
                    .X = g_new (float, n *stride),
                    .mean = g_new (float, n),
                    .y = g_new (float, n),
                    .known = g_new (float, n),
                    .gram = g_new (float, stride *stride),
                    .a = g_new (float, stride) };
}

static void
workspace_clear (Workspace *w)
{
  g_free (w->candidates);
  g_free (w->patch);
  g_free (w->X);
  g_free (w->mean);
  g_free (w->y);
  g_free (w->known);
  g_free (w->gram);
  g_free (w->a);
}

gboolean
canvas_model (Canvas *canvas, const GaussianSettings *settings,
              gsize *patches, const Progress *progress, GError **error)
{
  int n = settings->side * settings->side * canvas_channels (canvas);
  g_autofree Workspace *workspaces = g_new (Workspace, parallel_threads ());
  g_autofree float *batch = g_new (float, (gsize) n *BATCH);
  g_autofree float *weights = g_new (float, BATCH);
  Models m = { .settings = settings,
               .workspaces = workspaces,
               .numbers = n,
               .patches = batch,
               .weights = weights };
  gboolean ok = TRUE;

  for (int i = 0; i < parallel_threads (); i++)
    workspace_init (&workspaces[i], settings, n);
  for (int i = 0; ok && i < settings->passes; i++) {
    ProgressPart share = { progress, (double) i / settings->passes,
                           (double) (i + 1) / settings->passes };
    Progress part = progress_part (&share);

    ok = canvas_pass (canvas, PASS_MISSING, model_block, &m, &part, error);
  }
  *patches = m.coded;
  for (int i = 0; i < parallel_threads (); i++)
    workspace_clear (&workspaces[i]);
  patch_search_clear (&m.search);
  return ok;
}
