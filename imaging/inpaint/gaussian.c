#include "imaging/inpaint/gaussian.h"

#include "base/cpudispatch.h"
#include "base/parallel.h"
#include "imaging/inpaint/normalequations.h"
#include "imaging/inpaint/patches.h"
#include "imaging/inpaint/patchsearch.h"

#include <math.h>
#include <string.h>

/* Patches that a thread estimates at a time, and whose votes
 * wait to be counted. */
#define CHUNK 64
#define BATCH 4096
#define CHUNKS (BATCH / CHUNK)

/* Added to the known share of a patch to make its weight. */
#define LEAST_WEIGHT 0.01f

/* Of one thread. */
typedef struct {
  float *distances; /* of all patches around */
  Candidate *candidates;
  float *shares;    /* of the draws */
  float *X;         /* a row for each draw: its weighted deviation */
  float *mean;      /* of the draws */
  float *y, *known; /* of the patch, and the trust in its samples */
  int *seen;        /* the numbers of its known samples */
  float *R;         /* X M, or its transpose */
  float *factor;    /* of the equations */
  float *right;     /* right side, and the solution */
  float *a;         /* the coefficients of the draws */
  float *x;         /* the estimate */
} Workspace;

typedef struct {
  const GaussianSettings *settings;
  PatchSearch search;
  Workspace *workspaces; /* one for each thread */
  int numbers;           /* samples of a patch */
  int step;              /* from patch to patch in this pass */
  Votes votes[CHUNKS];   /* of each chunk of a batch */
  gsize coded;
} Models;

typedef struct {
  Models *models;
  const RowWindow *window;
  const Place *places;
  int count;
} Batch;

/* ---- draws ---- */

static void
read_draws (const Batch *b, Workspace *w, int draws)
{
  int row = normal_padded (b->models->numbers);

  for (int j = 0; j < draws; j++) {
    Place place = { w->candidates[j].x, w->candidates[j].y };

    patch_copy (b->window, place, b->models->settings->side, w->X + j * row);
  }
}

/* Shares of the draws in their distribution, one in the mean: the least alike
 * has exp (-@fall) of what an equal one has. */
static void
share_out (Workspace *w, int draws, float fall)
{
  float farthest = 0, sum = 0;

  for (int j = 0; j < draws; j++)
    farthest = MAX (farthest, w->candidates[j].distance);
  for (int j = 0; j < draws; j++) {
    float apart = farthest > 0 ? w->candidates[j].distance / farthest : 0;

    w->shares[j] = expf (-fall * apart);
    sum += w->shares[j];
  }
  for (int j = 0; j < draws; j++)
    w->shares[j] *= (float) draws / sum;
}

/* Takes the mean of the rows of X out of them, and weights them. */
CPU_DISPATCH static void
centre (float *restrict X, const float *restrict shares, int draws, int row,
        float *restrict mean)
{
  memset (mean, 0, (gsize) row * sizeof (float));
  for (int j = 0; j < draws; j++)
    for (int i = 0; i < row; i++)
      mean[i] += shares[j] * X[j * row + i];
  for (int i = 0; i < row; i++)
    mean[i] /= (float) draws;
  for (int j = 0; j < draws; j++) {
    float scale = sqrtf (shares[j]);

    for (int i = 0; i < row; i++)
      X[j * row + i] = scale * (X[j * row + i] - mean[i]);
  }
}

/* x = mu + X'a. */
CPU_DISPATCH static void
combine (const float *restrict X, const float *restrict mean,
         const float *restrict a, int draws, int row, int n,
         float *restrict x)
{
  memcpy (x, mean, (gsize) n * sizeof (float));
  for (int j = 0; j < draws; j++)
    for (int i = 0; i < n; i++)
      x[i] += a[j] * X[j * row + i];
}

/* a = R z. */
CPU_DISPATCH static void
multiply (const float *restrict R, const float *restrict z, int rows,
          int stride, float *restrict a)
{
  for (int j = 0; j < rows; j++) {
    float sums[NORMAL_PADDING] = { 0 }, sum = 0;

    for (int i = 0; i < stride; i += NORMAL_PADDING)
      for (int k = 0; k < NORMAL_PADDING; k++)
        sums[k] += R[j * stride + i + k] * z[i + k];
    for (int k = 0; k < NORMAL_PADDING; k++)
      sum += sums[k];
    a[j] = sum;
  }
}

/* ---- one patch ---- */

/* a by the draws: R = M X', and (R'R + ridge I) a = R' M (y - mu). */
static void
solve_for_draws (Workspace *w, int draws, int row, int seen, float ridge)
{
  int stride = normal_padded (draws);
  NormalEquations equations = { w->R, seen, stride, ridge };

  memset (w->R, 0, (gsize) (seen * stride) * sizeof (float));
  memset (w->a, 0, (gsize) stride * sizeof (float));
  for (int i = 0; i < seen; i++) {
    float off = w->y[w->seen[i]] - w->mean[w->seen[i]];
    float *R = w->R + i * stride;

    for (int j = 0; j < draws; j++) {
      R[j] = w->X[j * row + w->seen[i]];
      w->a[j] += off * R[j];
    }
  }
  normal_solve (&equations, w->factor, w->a);
}

/* a by the samples: R = X M', (R'R + ridge I) z = M (y - mu), a = R z. */
static void
solve_for_samples (Workspace *w, int draws, int row, int seen, float ridge)
{
  int stride = normal_padded (seen);
  NormalEquations equations = { w->R, draws, stride, ridge };

  memset (w->R, 0, (gsize) (draws * stride) * sizeof (float));
  memset (w->right, 0, (gsize) stride * sizeof (float));
  for (int i = 0; i < seen; i++)
    w->right[i] = w->y[w->seen[i]] - w->mean[w->seen[i]];
  for (int j = 0; j < draws; j++)
    for (int i = 0; i < seen; i++)
      w->R[j * stride + i] = w->X[j * row + w->seen[i]];
  normal_solve (&equations, w->factor, w->right);
  multiply (w->R, w->right, draws, stride, w->a);
}

/* Lists the known samples of the patch in @w. */
static int
list_seen (Workspace *w, int n)
{
  int seen = 0;

  for (int i = 0; i < n; i++)
    if (w->known[i] >= 1)
      w->seen[seen++] = i;
  return seen;
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
estimate (const Batch *b, Workspace *w, Place place, Votes *votes)
{
  const GaussianSettings *s = b->models->settings;
  int n = b->models->numbers, row = normal_padded (n), draws, seen;
  float weight, ridge;

  patch_get (b->window, place, s->side, 0, b->window->channels, w->y,
             w->known);
  weight = weight_of (w->known, n);
  if (weight == 0)
    return;
  draws = similar_nearest (&b->models->search.grey, place.x, place.y, s->side,
                           s->radius, s->similar, w->distances, w->candidates);
  read_draws (b, w, draws);
  share_out (w, draws, (float) s->fall);
  centre (w->X, w->shares, draws, row, w->mean);
  seen = list_seen (w, n);
  ridge = (float) (MAX (1, draws - 1) * s->noise * s->noise);
  if (seen < draws)
    solve_for_samples (w, draws, row, seen, ridge);
  else
    solve_for_draws (w, draws, row, seen, ridge);
  combine (w->X, w->mean, w->a, draws, row, n, w->x);
  votes_cast (votes, b->window, place, s->side, w->x, weight);
}

static void
estimate_chunk (int chunk, int worker, gpointer data)
{
  const Batch *b = data;
  Models *m = b->models;
  int end = MIN (b->count, (chunk + 1) * CHUNK);

  votes_reset (&m->votes[chunk]);
  for (int p = chunk * CHUNK; p < end; p++)
    estimate (b, &m->workspaces[worker], b->places[p], &m->votes[chunk]);
}

/* ---- batches and blocks ---- */

static gboolean
model_block (RowWindow *window, int top, int bottom, const Progress *progress,
             gpointer data, GError **error)
{
  Models *m = data;
  const GaussianSettings *s = m->settings;
  PlaceGrid grid = { s->side, m->step };
  g_autoptr (List) places = patch_places (window, &grid, top, bottom, error);

  if (places == NULL
      || (m->search.grey.data == NULL
          && !patch_search_init (&m->search, window, error)))
    return FALSE;
  m->search.window = window;
  patch_search_update (&m->search, top - s->radius,
                       bottom + s->side + s->radius);
  if (s->side > MIN (window->width, window->height))
    return TRUE;
  for (guint start = 0; start < places->len; start += BATCH) {
    Batch batch = { m, window, &list_at (places, Place, start),
                    (int) MIN (BATCH, places->len - start) };
    int chunks = (batch.count + CHUNK - 1) / CHUNK;

    if (!progress_step (progress, (double) start / (double) places->len,
                        error))
      return FALSE;
    parallel_for (chunks, estimate_chunk, &batch, NULL, NULL);
    votes_count (m->votes, chunks, window);
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
  int draws = normal_padded (s->similar), row = normal_padded (n);
  int most = MIN (draws, row); /* unknowns */

  *w = (Workspace){ .distances = g_new (float, similar_room (s->radius)),
                    .candidates = g_new (Candidate, s->similar),
                    .shares = g_new (float, draws),
                    .X = g_new0 (float, s->similar *row),
                    .mean = g_new (float, row),
                    .y = g_new (float, n),
                    .known = g_new (float, n),
                    .seen = g_new (int, n),
                    .R = g_new (float, row *draws),
                    .factor = g_new (float, most *most),
                    .right = g_new (float, row),
                    .a = g_new (float, draws),
                    .x = g_new (float, n) };
}

static void
workspace_clear (Workspace *w)
{
  g_free (w->distances);
  g_free (w->candidates);
  g_free (w->shares);
  g_free (w->X);
  g_free (w->mean);
  g_free (w->y);
  g_free (w->known);
  g_free (w->seen);
  g_free (w->R);
  g_free (w->factor);
  g_free (w->right);
  g_free (w->a);
  g_free (w->x);
}

gboolean
canvas_model (Canvas *canvas, const GaussianSettings *settings,
              gsize *patches, const Progress *progress, GError **error)
{
  int n = settings->side * settings->side * canvas_channels (canvas);
  g_autofree Workspace *workspaces = g_new (Workspace, parallel_threads ());
  Models m = { .settings = settings, .workspaces = workspaces, .numbers = n };
  gboolean ok = TRUE;

  for (int i = 0; i < parallel_threads (); i++)
    workspace_init (&workspaces[i], settings, n);
  for (int i = 0; ok && i < settings->passes; i++) {
    ProgressPart share = { progress, (double) i / settings->passes,
                           (double) (i + 1) / settings->passes };
    Progress part = progress_part (&share);

    m.step = settings->step + (i < settings->passes - 1 ? settings->coarser : 0);
    ok = canvas_pass (canvas, PASS_MISSING, model_block, &m, &part, error);
  }
  *patches = m.coded;
  for (int i = 0; i < parallel_threads (); i++)
    workspace_clear (&workspaces[i]);
  for (int i = 0; i < CHUNKS; i++)
    votes_clear (&m.votes[i]);
  patch_search_clear (&m.search);
  return ok;
}
