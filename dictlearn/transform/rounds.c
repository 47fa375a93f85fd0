/* rounds.c - all rounds over a picture, and back
 *
 * Backward, with a prime for the gradient over what is named, e = V' / N for
 * the sum of weights N at a pixel, and E = D' e for a patch of e:
 *
 *     w' = E s - (the sum over the patch of e V)
 *     s' = w E,   a' = - sparse w w' / (1 + a)
 *     f' = s' c + a',              f = s / c = q / (1 + q)
 *     c' = s' f + f' 4 f (1 - f) / c,   t' = - f' 4 f (1 - f) / t
 *     D' = e (w s)' + x c',        x' = (1 - step) u' + (all D c' added up)
 *
 * (D' in the last line is a gradient; elsewhere it is a transpose.)
 */
#include "dictlearn/transform/rounds.h"

#include "base/cpudispatch.h"
#include "base/error.h"
#include "base/orderedgemm.h"
#include "base/parallel.h"
#include "dictlearn/blurfill.h"

#include <math.h>
#include <string.h>

/* Patches that a thread works on at a time: they stay in the cache. */
#define CHUNK 192

/* Rows of patches that a thread adds up by itself. */
#define BAND 8

/* Sums that are taken side by side. */
#define LANES 8

/* The square of a code is raised by this before it is divided by. */
#define LEAST_SQUARE 1e-20f

/* What is known of a sample. */
typedef enum { HELD_NOT, HELD_NOISY, HELD_EXACTLY } Held;

/* What a thread works with. */
typedef struct {
  MatF patches, codes, kept; /* n x CHUNK */
  MatF share;                /* n x 1 */
  float weights[CHUNK];
} Worker;

/* A round, of which all are kept for the gradient, or else one. */
typedef struct {
  float *given;  /* u */
  float *mean;   /* V */
  float *weight; /* N; one plane */
  MatF codes;    /* c of all patches; empty if there is no gradient */
} Round;

struct Rounds {
  TransformShape shape;
  int width, height; /* of the picture */
  int frame;         /* around it */
  int across, down;  /* with the frame */
  int *xs, *ys;      /* where columns and rows of patches begin */
  int columns, rows;
  int band_count, threads;
  gboolean gradient;

  /* Planes with the frame. */
  float *y;
  guint8 *held;  /* a Held for each sample */
  float *x;      /* of the round */
  float *change; /* of the gradient */
  float *out;    /* of the picture, without the frame */
  float *room;   /* for the first guess; one plane more than a picture has */
  float *bands;  /* for each band, planes of its rows and one of weights */
  gsize band_size;

  float *missing, *noise; /* of each patch */
  Round *kept;
  Worker *workers;

  const TransformModel *model; /* in use */
  int round;
};

static gsize
plane_size (const Rounds *self)
{
  return (gsize) self->across * (gsize) self->down;
}

static int
patch_count (const Rounds *self)
{
  return self->columns * self->rows;
}

/* Places of patches along @length, the last one at the end. */
static int *
make_places (const TransformShape *shape, int length, int *count)
{
  int last = length - shape->side;
  int *places;

  *count = (last + shape->spacing - 1) / shape->spacing + 1;
  places = g_new (int, *count);
  for (int i = 0; i < *count; i++)
    places[i] = MIN (i * shape->spacing, last);
  return places;
}

/* ---- making one ---- */

static gboolean
worker_init (Worker *worker, int n, GError **error)
{
  return matf_try_new (&worker->patches, n, CHUNK, error)
         && matf_try_new (&worker->codes, n, CHUNK, error)
         && matf_try_new (&worker->kept, n, CHUNK, error)
         && matf_try_new (&worker->share, n, 1, error);
}

static gboolean
round_init (const Rounds *self, Round *round, GError **error)
{
  gsize plane = plane_size (self);
  gsize samples = plane * (gsize) self->shape.channels;

  round->given =
    tessera_try_new (float, 2 * samples + plane, "restoring", error);
  if (round->given == NULL)
    return FALSE;
  round->mean = round->given + samples;
  round->weight = round->mean + samples;
  return !self->gradient
         || matf_try_new (&round->codes, transform_length (&self->shape),
                          patch_count (self), error);
}

static gboolean
planes_init (Rounds *self, GError **error)
{
  gsize plane = plane_size (self);
  gsize channels = (gsize) self->shape.channels, samples = plane * channels;
  gsize picture =
    (gsize) self->width * (gsize) self->height * channels;
  int most = (BAND - 1) * self->shape.spacing + self->shape.side;

  self->band_count = (self->rows + BAND - 1) / BAND;
  self->band_size = (gsize) self->across * (gsize) most * (channels + 1);
  self->y = tessera_try_new (
    float, 3 * samples + 3 * plane + picture, "restoring", error);
  if (self->y != NULL)
    self->held = tessera_try_new (guint8, samples, "restoring", error);
  if (self->held != NULL)
    self->bands =
      tessera_try_new (float, (gsize) self->band_count * self->band_size,
                       "restoring", error);
  if (self->bands != NULL)
    self->missing = tessera_try_new (float, 2 * (gsize) patch_count (self),
                                     "restoring", error);
  if (self->missing == NULL)
    return FALSE;
  self->x = self->y + samples;
  self->change = self->x + samples;
  self->room = self->change + samples;
  self->out = self->room + 3 * plane;
  self->noise = self->missing + patch_count (self);
  return TRUE;
}

static int
kept_rounds (const Rounds *self)
{
  return self->gradient ? self->shape.rounds : 1;
}

Rounds *
rounds_new (const TransformShape *shape, int width, int height,
            gboolean gradient, GError **error)
{
  g_autoptr (Rounds) self = g_new0 (Rounds, 1);

  self->shape = *shape;
  self->width = width;
  self->height = height;
  self->gradient = gradient;
  self->frame = shape->side / 2;
  self->across = width + 2 * self->frame;
  self->down = height + 2 * self->frame;
  self->threads = parallel_threads ();
  self->xs = make_places (shape, self->across, &self->columns);
  self->ys = make_places (shape, self->down, &self->rows);
  self->kept = g_new0 (Round, kept_rounds (self));
  self->workers = g_new0 (Worker, self->threads);
  if (!planes_init (self, error))
    return NULL;
  for (int k = 0; k < kept_rounds (self); k++)
    if (!round_init (self, &self->kept[k], error))
      return NULL;
  for (int i = 0; i < self->threads; i++)
    if (!worker_init (&self->workers[i], transform_length (shape), error))
      return NULL;
  return g_steal_pointer (&self);
}

void
rounds_free (Rounds *self)
{
  if (self == NULL)
    return;
  for (int k = 0; k < kept_rounds (self); k++) {
    g_free (self->kept[k].given);
    matf_clear (&self->kept[k].codes);
  }
  for (int i = 0; i < self->threads; i++) {
    matf_clear (&self->workers[i].patches);
    matf_clear (&self->workers[i].codes);
    matf_clear (&self->workers[i].kept);
    matf_clear (&self->workers[i].share);
  }
  g_free (self->kept);
  g_free (self->workers);
  g_free (self->xs);
  g_free (self->ys);
  g_free (self->y);
  g_free (self->held);
  g_free (self->bands);
  g_free (self->missing);
  g_free (self);
}

/* ---- patches ---- */

/* Where patch @p begins in a plane. */
static gsize
place_of (const Rounds *self, int p)
{
  return (gsize) self->ys[p / self->columns] * (gsize) self->across
         + (gsize) self->xs[p % self->columns];
}

/* Copies patches @first .. @first + @count - 1 of @planes. */
static void
gather (const Rounds *self, const float *planes, int first, int count,
        MatF *patches)
{
  int side = self->shape.side;

  for (int p = 0; p < count; p++) {
    float *to = matf_at (patches, 0, p);

    for (int c = 0; c < self->shape.channels; c++) {
      const float *from =
        planes + (gsize) c * plane_size (self) + place_of (self, first + p);

      for (int row = 0; row < side; row++, from += self->across, to += side)
        memcpy (to, from, (gsize) side * sizeof *to);
    }
  }
}

/* Rows of planes that a band of patches adds to. */
typedef struct {
  int first, end; /* rows of patches */
  int top, rows;  /* of the planes */
  float *sums;
} Band;

static Band
band_of (const Rounds *self, int number)
{
  Band band = { .first = number * BAND,
                .end = MIN ((number + 1) * BAND, self->rows),
                .sums = self->bands + (gsize) number * self->band_size };

  band.top = self->ys[band.first];
  band.rows = self->ys[band.end - 1] - band.top + self->shape.side;
  return band;
}

static inline __attribute__ ((always_inline)) void
add_square (const float *restrict from, int side, int across, float weight,
            float *restrict to)
{
  for (int row = 0; row < side; row++, to += across, from += side)
    for (int x = 0; x < side; x++)
      to[x] += weight * from[x];
}

/* Adds the columns of @patches, times @weights, at patches @first on, to the
 * planes of @band. */
CPU_DISPATCH static void
scatter (const Rounds *self, const Band *band, const MatF *patches, int first,
         int count, const float *weights)
{
  int side = self->shape.side, across = self->across;
  gsize plane = (gsize) across * (gsize) band->rows;
  gsize above = (gsize) band->top * (gsize) across;

  for (int p = 0; p < count; p++)
    for (int c = 0; c < self->shape.channels; c++) {
      const float *from = matf_at (patches, c * side * side, p);
      float *to =
        band->sums + (gsize) c * plane + place_of (self, first + p) - above;

      if (side == 8)
        add_square (from, 8, across, weights[p], to);
      else if (side == 10)
        add_square (from, 10, across, weights[p], to);
      else
        add_square (from, side, across, weights[p], to);
    }
}

/* The same for the weights alone, in the last plane. */
static void
scatter_weights (const Rounds *self, const Band *band, int first, int count,
                 const float *weights)
{
  int side = self->shape.side, across = self->across;
  gsize above = (gsize) band->top * (gsize) across;
  float *plane = band->sums
                 + (gsize) self->shape.channels * (gsize) across
                     * (gsize) band->rows;

  for (int p = 0; p < count; p++) {
    float *to = plane + place_of (self, first + p) - above;

    for (int row = 0; row < side; row++, to += across)
      for (int x = 0; x < side; x++)
        to[x] += weights[p];
  }
}

/* Sums of all bands, of @planes planes, in their order. */
static void
add_bands (const Rounds *self, int planes, float *to)
{
  memset (to, 0, plane_size (self) * (gsize) planes * sizeof *to);
  for (int b = 0; b < self->band_count; b++) {
    Band band = band_of (self, b);
    gsize size = (gsize) self->across * (gsize) band.rows;

    for (int c = 0; c < planes; c++) {
      const float *from = band.sums + (gsize) c * size;
      float *at = to + (gsize) c * plane_size (self)
                  + (gsize) band.top * (gsize) self->across;

      for (gsize i = 0; i < size; i++)
        at[i] += from[i];
    }
  }
}

/* ---- the picture ---- */

static gsize
inside (const Rounds *self, int channel, int y)
{
  return (gsize) channel * plane_size (self)
         + (gsize) (y + self->frame) * (gsize) self->across
         + (gsize) self->frame;
}

static void
take_samples (Rounds *self, const Damaged *damaged)
{
  gsize i = 0;

  memset (self->y, 0,
          plane_size (self) * (gsize) self->shape.channels * sizeof *self->y);
  memset (self->held, HELD_NOT,
          plane_size (self) * (gsize) self->shape.channels);
  for (int c = 0; c < self->shape.channels; c++)
    for (int y = 0; y < self->height; y++) {
      gsize at = inside (self, c, y);

      for (int x = 0; x < self->width; x++, i++, at++) {
        const float *noise = damaged->noise;

        if (damaged->known[i] <= 0)
          continue;
        self->y[at] = damaged->y[i];
        self->held[at] =
          noise != NULL && noise[y * self->width + x] > 0 ? HELD_NOISY
                                                          : HELD_EXACTLY;
      }
    }
}

/* What is missing in each patch, and how noisy the rest is. */
static void
describe_patches (Rounds *self, const Damaged *damaged)
{
  int side = self->shape.side, n = transform_length (&self->shape);

  for (int p = 0; p < patch_count (self); p++) {
    int left = self->xs[p % self->columns], top = self->ys[p / self->columns];
    int known = 0;
    double noise = 0;

    for (int c = 0; c < self->shape.channels; c++)
      for (int y = top; y < top + side; y++)
        for (int x = left; x < left + side; x++) {
          guint8 held = self->held[(gsize) c * plane_size (self)
                                   + (gsize) y * (gsize) self->across
                                   + (gsize) x];

          known += held != HELD_NOT;
          if (held == HELD_NOISY)
            noise += damaged->noise[(y - self->frame) * self->width + x
                                    - self->frame];
        }
    self->missing[p] = 1 - (float) known / (float) n;
    self->noise[p] = known > 0 ? (float) (noise / known) : 0;
  }
}

/* A blur where nothing is known. */
static void
first_guess (Rounds *self, float *to)
{
  BlurFill fill = { self->across, self->down, 0, self->room };
  gsize plane = plane_size (self);
  float *known = self->change;

  for (int c = 0; c < self->shape.channels; c++, to += plane) {
    const float *y = self->y + (gsize) c * plane;
    const guint8 *held = self->held + (gsize) c * plane;

    for (gsize i = 0; i < plane; i++)
      known[i] = held[i] != HELD_NOT;
    blur_fill (&fill, y, known, to);
    for (gsize i = 0; i < plane; i++)
      if (held[i] != HELD_NOT)
        to[i] = y[i];
  }
}

/* ---- shrinking ---- */

/* The thresholds of a round as factors; and its other numbers. */
typedef struct {
  const float *always, *noise, *missing;
  const float *pace;
} Levels;

/* @room: LEVEL_COUNT times n. */
static Levels
levels_of (const Rounds *self, int round, float *room)
{
  const TransformShape *shape = &self->shape;
  int n = transform_length (shape);
  const float *from = transform_level (shape, self->model->levels, round, 0);

  for (int i = 0; i < LEVEL_COUNT * n; i++)
    room[i] = expf (from[i]);
  return (Levels){ room + LEVEL_ALWAYS * n, room + LEVEL_NOISE * n,
                   room + LEVEL_MISSING * n,
                   self->model->paces + round * PACE_COUNT };
}

/* @kept: s; @share: f, whose sum is the result. */
CPU_DISPATCH static float
shrink (const Levels *levels, int n, float missing, float noise,
        const float *restrict c, float *restrict kept, float *restrict share)
{
  float sums[LANES] = { 0 }, sum = 0;
  int even = n / LANES * LANES;

  for (int j = 0; j < n; j++) {
    float t = levels->always[j] + levels->noise[j] * noise
              + levels->missing[j] * missing;
    float r = c[j] * c[j] / (t * t);
    float q = r * r;

    /* For large q the same without overflow. */
    share[j] = r > 1e4f ? 1 : q / (1 + q);
    kept[j] = c[j] * share[j];
  }
  for (int j = 0; j < even; j += LANES)
    for (int l = 0; l < LANES; l++)
      sums[l] += share[j + l];
  for (int j = even; j < n; j++)
    sum += share[j];
  for (int l = 0; l < LANES; l++)
    sum += sums[l];
  return sum;
}

static float
weight_of (const Levels *levels, float kept, float missing)
{
  return expf (-levels->pace[PACE_SPARSE] * logf (1 + kept)
               - levels->pace[PACE_HOLES] * missing);
}

/* ---- forward ---- */

/* C = op(A) B.  Restoration gives the same bytes however a picture is cut into
 * squares; in learning, rounding may differ. */
static void
multiply (const Rounds *self, MatOp op, const MatF *B, MatF *C)
{
  if (self->gradient)
    matf_multiply (1, &self->model->atoms, op, B, PLAIN, 0, C);
  else
    ordered_multiply (1, &self->model->atoms, op, B, PLAIN, C);
}

static Round *
round_at (const Rounds *self, int round)
{
  return &self->kept[self->gradient ? round : 0];
}

typedef struct {
  Rounds *self;
  Levels levels;
} Turn;

static void
average_chunk (const Turn *turn, const Band *band, int first, int count,
               Worker *worker)
{
  Rounds *self = turn->self;
  int n = transform_length (&self->shape);
  MatF patches = matf_columns (&worker->patches, 0, count);
  MatF kept = matf_columns (&worker->kept, 0, count);
  MatF codes =
    self->gradient
      ? matf_columns (&round_at (self, self->round)->codes, first, count)
      : matf_columns (&worker->codes, 0, count);

  gather (self, self->x, first, count, &patches);
  multiply (self, TRANSPOSED, &patches, &codes);
  for (int p = 0; p < count; p++) {
    float missing = self->missing[first + p];
    float sum = shrink (&turn->levels, n, missing, self->noise[first + p],
                        matf_at (&codes, 0, p), matf_at (&kept, 0, p),
                        worker->share.data);

    worker->weights[p] = weight_of (&turn->levels, sum, missing);
  }
  multiply (self, PLAIN, &kept, &patches);
  scatter (self, band, &patches, first, count, worker->weights);
  scatter_weights (self, band, first, count, worker->weights);
}

static void
average_band (int number, int worker, gpointer data)
{
  const Turn *turn = data;
  const Rounds *self = turn->self;
  Band band = band_of (self, number);
  int end = band.end * self->columns;

  memset (band.sums, 0, self->band_size * sizeof (float));
  for (int p = band.first * self->columns; p < end; p += CHUNK)
    average_chunk (turn, &band, p, MIN (CHUNK, end - p),
                   &self->workers[worker]);
}

/* x = u where nothing is known, and so on. */
static void
put_back (Rounds *self, const float *given, float back)
{
  gsize samples = plane_size (self) * (gsize) self->shape.channels;

  for (gsize i = 0; i < samples; i++)
    self->x[i] = self->held[i] == HELD_EXACTLY ? self->y[i]
                 : self->held[i] == HELD_NOISY
                   ? given[i] + back * (self->y[i] - given[i])
                   : given[i];
}

/* From round->given to @next, which may be the same. */
static gboolean
round_forward (Rounds *self, int k, float *next, const Progress *progress,
               GError **error)
{
  Round *round = round_at (self, k);
  gsize plane = plane_size (self);
  g_autofree float *room =
    g_new (float, LEVEL_COUNT * transform_length (&self->shape));
  Turn turn = { self, levels_of (self, k, room) };
  float step = turn.levels.pace[PACE_STEP];

  self->round = k;
  put_back (self, round->given, turn.levels.pace[PACE_RETURN]);
  if (!parallel_for (self->band_count, average_band, &turn, progress, error))
    return FALSE;
  add_bands (self, self->shape.channels + 1, round->mean);
  for (int c = 0; c < self->shape.channels; c++)
    for (gsize i = 0, at = (gsize) c * plane; i < plane; i++, at++) {
      round->mean[at] /= round->weight[i];
      next[at] = self->x[at] + step * (round->mean[at] - self->x[at]);
    }
  return TRUE;
}

/* The picture without its frame. */
static void
take_out (const Rounds *self, const float *last)
{
  float *out = self->out;

  for (int c = 0; c < self->shape.channels; c++)
    for (int y = 0; y < self->height; y++) {
      gsize at = inside (self, c, y);

      for (int x = 0; x < self->width; x++, at++)
        *out++ = self->held[at] == HELD_EXACTLY ? self->y[at] : last[at];
    }
}

const float *
rounds_forward (Rounds *self, const TransformModel *model,
                const Damaged *damaged, const Progress *progress,
                GError **error)
{
  int rounds = self->shape.rounds;
  float *last = self->change;

  self->model = model;
  take_samples (self, damaged);
  describe_patches (self, damaged);
  first_guess (self, self->kept[0].given);
  for (int k = 0; k < rounds; k++) {
    ProgressPart share = { progress, (double) k / rounds,
                           (k + 1.0) / rounds };
    Progress part = progress_part (&share);
    float *next = k + 1 < rounds ? round_at (self, k + 1)->given : last;

    if (!round_forward (self, k, next, &part, error))
      return NULL;
  }
  take_out (self, last);
  return self->out;
}

/* ---- backward ---- */

/* Where the gradient of a round is summed up. */
typedef struct {
  const Rounds *self;
  const Levels *levels;
  float *always, *noise, *missing; /* gradients over the thresholds */
  float *pace;
  const float *mean; /* e; and e V summed over channels */
  const float *product;
  MatF *atoms; /* or NULL */
} Backward;

/* The sum of @plane over patch @p. */
static double
sum_over_patch (const Rounds *self, const float *plane, int p)
{
  const float *row = plane + place_of (self, p);
  double sum = 0;

  for (int y = 0; y < self->shape.side; y++, row += self->across)
    for (int x = 0; x < self->shape.side; x++)
      sum += row[x];
  return sum;
}

/* For a patch: @E becomes c'; @kept, which is s, becomes w s. */
static void
shrink_backward (const Backward *b, int p, const float *c, const float *share,
                 float kept_sum, float *kept, float *E)
{
  int n = transform_length (&b->self->shape);
  float missing = b->self->missing[p], noise = b->self->noise[p];
  float weight = weight_of (b->levels, kept_sum, missing);
  double fit = 0, dw;
  float da;

  for (int j = 0; j < n; j++)
    fit += (double) E[j] * kept[j];
  dw = fit - sum_over_patch (b->self, b->product, p);
  b->pace[PACE_SPARSE] -= (float) (dw * weight * logf (1 + kept_sum));
  b->pace[PACE_HOLES] -= (float) (dw * weight * missing);
  da = (float) (-b->levels->pace[PACE_SPARSE] * weight * dw / (1 + kept_sum));
  for (int j = 0; j < n; j++) {
    float t = b->levels->always[j] + b->levels->noise[j] * noise
              + b->levels->missing[j] * missing;
    float ds = weight * E[j], df = ds * c[j] + da;
    float slope = df * 4 * share[j] * (1 - share[j]);
    float dt = -slope / t;

    b->always[j] += dt * b->levels->always[j];
    b->noise[j] += dt * b->levels->noise[j] * noise;
    b->missing[j] += dt * b->levels->missing[j] * missing;
    E[j] = ds * share[j] + slope * c[j] / (c[j] * c[j] + LEAST_SQUARE);
    kept[j] *= weight;
  }
}

static void
backward_chunk (const Backward *b, const Band *band, const Round *round,
                int first, int count, Worker *worker)
{
  const Rounds *self = b->self;
  const MatF *D = &self->model->atoms;
  int n = transform_length (&self->shape);
  MatF patches = matf_columns (&worker->patches, 0, count);
  MatF E = matf_columns (&worker->codes, 0, count);
  MatF kept = matf_columns (&worker->kept, 0, count);
  MatF codes = matf_columns (&round->codes, first, count);

  gather (self, b->mean, first, count, &patches);
  matf_multiply (1, D, TRANSPOSED, &patches, PLAIN, 0, &E);
  for (int p = 0; p < count; p++) {
    float *share = worker->share.data;
    float sum = shrink (b->levels, n, self->missing[first + p],
                        self->noise[first + p], matf_at (&codes, 0, p),
                        matf_at (&kept, 0, p), share);

    shrink_backward (b, first + p, matf_at (&codes, 0, p), share, sum,
                     matf_at (&kept, 0, p), matf_at (&E, 0, p));
    worker->weights[p] = 1;
  }
  if (b->atoms != NULL) {
    matf_multiply (1, &patches, PLAIN, &kept, TRANSPOSED, 1, b->atoms);
    gather (self, self->x, first, count, &patches);
    matf_multiply (1, &patches, PLAIN, &E, TRANSPOSED, 1, b->atoms);
  }
  matf_multiply (1, D, PLAIN, &E, PLAIN, 0, &patches);
  scatter (self, band, &patches, first, count, worker->weights);
}

/* self->change is u' of what comes after round @k, and becomes that of what it
 * was given. */
static void
round_backward (Rounds *self, int k, const TransformGradient *gradient)
{
  const TransformShape *shape = &self->shape;
  Round *round = round_at (self, k);
  gsize plane = plane_size (self);
  gsize samples = plane * (gsize) shape->channels;
  float *pace = gradient->paces + k * PACE_COUNT;
  float *e = round->given, *product = self->room;
  g_autofree float *room = g_new (float, LEVEL_COUNT * transform_length (shape));
  Levels levels = levels_of (self, k, room);
  MatF atoms = gradient->atoms;
  Backward b = { .self = self,
                 .levels = &levels,
                 .always = transform_level (shape, gradient->levels, k,
                                            LEVEL_ALWAYS),
                 .noise =
                   transform_level (shape, gradient->levels, k, LEVEL_NOISE),
                 .missing = transform_level (shape, gradient->levels, k,
                                             LEVEL_MISSING),
                 .pace = pace,
                 .mean = e,
                 .product = product,
                 .atoms = atoms.data != NULL ? &atoms : NULL };
  float step = levels.pace[PACE_STEP], back = levels.pace[PACE_RETURN];
  double over_step = 0, over_back = 0;

  put_back (self, round->given, back);
  memset (product, 0, plane * sizeof *product);
  /* From here on e is where u was, and y - u where V was. */
  for (gsize i = 0; i < samples; i++) {
    float change = self->change[i];
    float mean = round->mean[i], lacks = self->y[i] - round->given[i];

    over_step += (double) change * (mean - self->x[i]);
    e[i] = step * change / round->weight[i % plane];
    product[i % plane] += e[i] * mean;
    round->mean[i] = lacks;
    self->change[i] = (1 - step) * change;
  }
  for (int number = 0; number < self->band_count; number++) {
    Band band = band_of (self, number);
    int end = band.end * self->columns;

    memset (band.sums, 0, self->band_size * sizeof (float));
    for (int p = band.first * self->columns; p < end; p += CHUNK)
      backward_chunk (&b, &band, round, p, MIN (CHUNK, end - p),
                      &self->workers[0]);
  }
  add_bands (self, shape->channels, self->x);
  for (gsize i = 0; i < samples; i++) {
    float dx = self->change[i] + self->x[i];

    if (self->held[i] == HELD_NOISY)
      over_back += (double) dx * round->mean[i];
    self->change[i] = self->held[i] == HELD_EXACTLY ? 0
                      : self->held[i] == HELD_NOISY ? (1 - back) * dx
                                                    : dx;
  }
  pace[PACE_STEP] += (float) over_step;
  pace[PACE_RETURN] += (float) over_back;
}

void
rounds_backward (Rounds *self, const TransformModel *model,
                 const float *change, const TransformGradient *gradient)
{
  g_return_if_fail (self->gradient);

  self->model = model;
  memset (self->change, 0,
          plane_size (self) * (gsize) self->shape.channels
            * sizeof *self->change);
  for (int c = 0; c < self->shape.channels; c++)
    for (int y = 0; y < self->height; y++) {
      gsize at = inside (self, c, y);

      for (int x = 0; x < self->width; x++, at++, change++)
        self->change[at] = self->held[at] == HELD_EXACTLY ? 0 : *change;
    }
  for (int k = self->shape.rounds - 1; k >= 0; k--)
    round_backward (self, k, gradient);
}
