/* coder.c - rounds of shrinkage over all positions of a picture, and back
 *
 * Backward, with dX the gradient over X, from the last round to the first:
 *
 *     dU = dZ_k where Z_k is not zero            U, before it was shrunk
 *     dt = - sum sign (Z_k) dU,   dgain = sum dU (C' E_k)
 *     dC = E_k (gain dU)',        dE = M (C (gain dU))
 *     dD = - dE Z_k-1',           dZ_k-1 = dU - D' dE,      dg = - dE
 *
 * Here a plane also denotes the matrix of its patches.
 */
#include "dictlearn/convolutional/coder.h"

#include "base/cpudispatch.h"
#include "base/error.h"
#include "base/orderedgemm.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* Positions that a thread works on at a time: their patches and codes stay in
 * the cache from one product to the next. */
#define CHUNK 192

struct Coder {
  ConvShape shape;
  int width, height;  /* of the picture */
  int frame;          /* around it */
  int across, down;   /* with the frame */
  int columns, count; /* positions in a row, and all */
  gboolean gradient;

  /* Planes with the frame. */
  float *target; /* y - g, zero where nothing is known */
  float *known;
  float *spread; /* the noise; one plane */
  float *sum;    /* of atoms */
  float **error; /* E_k; one if there is no gradient */

  /* One column per position. */
  MatF patches; /* n x count */
  MatF *codes;  /* Z_k, two if there is no gradient */
  MatF *seen;   /* C' E_k; if there is no gradient one, of a chunk per thread */
  MatF change;  /* dZ */
  float *missing, *noise;

  const ConvLevel *level; /* in use */
  const CoderInput *input;
  int round;
};

static gsize
plane_size (const Coder *self)
{
  return (gsize) self->across * (gsize) self->down;
}

static float *
planes_new (const Coder *self, int channels, GError **error)
{
  return tessera_try_new0 (float, plane_size (self) * (gsize) channels,
                           "coding a picture", error);
}

/* What one round needs if its gradient is taken, or all of them. */
static gboolean
round_init (Coder *self, int k, GError **error)
{
  int atoms = self->shape.atoms;

  self->error[k] = planes_new (self, self->shape.channels, error);
  return self->error[k] != NULL
         && matf_try_new (&self->codes[k], atoms, self->count, error)
         && matf_try_new (&self->seen[k], atoms,
                          self->gradient ? self->count
                                         : CHUNK * parallel_threads (),
                          error);
}

static gboolean
coder_init (Coder *self, GError **error)
{
  const ConvShape *shape = &self->shape;
  gsize count = (gsize) self->count;

  self->error = g_new0 (float *, shape->rounds);
  self->codes = g_new0 (MatF, shape->rounds);
  self->seen = g_new0 (MatF, shape->rounds);
  self->target = planes_new (self, shape->channels, error);
  if (self->target != NULL)
    self->known = planes_new (self, shape->channels, error);
  if (self->known != NULL)
    self->sum = planes_new (self, shape->channels, error);
  if (self->sum != NULL)
    self->spread = planes_new (self, 1, error);
  if (self->spread != NULL)
    self->missing = tessera_try_new (float, count, "coding", error);
  if (self->missing != NULL)
    self->noise = tessera_try_new (float, count, "coding", error);
  if (self->noise == NULL
      || !matf_try_new (&self->patches, conv_atom_length (shape), self->count,
                        error))
    return FALSE;
  for (int k = 0; k < (self->gradient ? shape->rounds : 1); k++)
    if (!round_init (self, k, error))
      return FALSE;
  return !self->gradient
         || matf_try_new (&self->change, shape->atoms, self->count, error);
}

Coder *
coder_new (const ConvShape *shape, int width, int height, gboolean gradient,
           GError **error)
{
  Coder *self = g_new0 (Coder, 1);
  int s = shape->side, d = shape->stride;
  int rows;

  self->shape = *shape;
  self->width = width;
  self->height = height;
  self->gradient = gradient;
  self->frame = s - d;
  /* Enough positions to cover the picture, whatever remainder the stride
   * leaves. */
  self->columns = (width + self->frame + d - 1) / d;
  rows = (height + self->frame + d - 1) / d;
  self->across = (self->columns - 1) * d + s;
  self->down = (rows - 1) * d + s;
  self->count = self->columns * rows;

  if (coder_init (self, error))
    return self;
  coder_free (self);
  return NULL;
}

void
coder_free (Coder *self)
{
  if (self == NULL)
    return;
  for (int k = 0; k < self->shape.rounds; k++) {
    g_free (self->error[k]);
    matf_clear (&self->codes[k]);
    matf_clear (&self->seen[k]);
  }
  g_free (self->error);
  g_free (self->codes);
  g_free (self->seen);
  g_free (self->target);
  g_free (self->known);
  g_free (self->spread);
  g_free (self->sum);
  matf_clear (&self->patches);
  matf_clear (&self->change);
  g_free (self->missing);
  g_free (self->noise);
  g_free (self);
}

/* ---- planes and patches ---- */

/* Where the patch of position @p begins in a plane with the frame. */
static gsize
position (const Coder *self, int p)
{
  int d = self->shape.stride;

  return (gsize) (p / self->columns * d) * (gsize) self->across
         + (gsize) (p % self->columns * d);
}

/* Copies and additions of rows of constant length take a few instructions:
 * what has @side as a parameter is compiled for the usual ones. */
#define FOR_SIDE(side, call)                                                  \
  switch (side) {                                                             \
  case 6: call (6); break;                                                    \
  case 8: call (8); break;                                                    \
  default: call (side); break;                                                \
  }

static inline __attribute__ ((always_inline)) void
gather_rows (const Coder *self, const float *planes, int first, int count,
             int side, MatF *patches)
{
  for (int p = 0; p < count; p++) {
    float *to = matf_at (patches, 0, p);

    for (int c = 0; c < self->shape.channels; c++) {
      const float *from =
        planes + (gsize) c * plane_size (self) + position (self, first + p);

      for (int row = 0; row < side; row++, from += self->across, to += side)
        memcpy (to, from, (gsize) side * sizeof *to);
    }
  }
}

/* Copies the patches of positions @first .. @first + @count - 1. */
static void
gather (const Coder *self, const float *planes, int first, int count,
        MatF *patches)
{
#define GATHER(side) gather_rows (self, planes, first, count, side, patches)
  FOR_SIDE (self->shape.side, GATHER)
#undef GATHER
}

typedef struct {
  const Coder *self;
  const MatF *patches;
  float *planes;
} Scatter;

static inline __attribute__ ((always_inline)) void
scatter_rows (const Coder *self, const MatF *patches, int channel, int side,
              float *restrict plane)
{
  for (int p = 0; p < self->count; p++) {
    const float *restrict from = matf_at (patches, channel * side * side, p);
    float *restrict to = plane + position (self, p);

    for (int row = 0; row < side; row++, to += self->across, from += side)
      for (int x = 0; x < side; x++)
        to[x] += from[x];
  }
}

/* One channel, so that threads write to different memory. */
CPU_DISPATCH static void
scatter_channel (int channel, int worker, gpointer data)
{
  const Scatter *s = data;
  const Coder *self = s->self;
  float *plane = s->planes + (gsize) channel * plane_size (self);

  (void) worker;
  memset (plane, 0, plane_size (self) * sizeof *plane);
#define SCATTER(side) scatter_rows (self, s->patches, channel, side, plane)
  FOR_SIDE (self->shape.side, SCATTER)
#undef SCATTER
}

/* Adds the columns of self->patches at their positions. */
static void
scatter (Coder *self, float *planes)
{
  Scatter s = { self, &self->patches, planes };

  parallel_for (self->shape.channels, scatter_channel, &s, NULL, NULL);
}

static gsize
inside (const Coder *self, int channel, int y)
{
  return (gsize) channel * plane_size (self)
         + (gsize) (y + self->frame) * (gsize) self->across
         + (gsize) self->frame;
}

/* Copies planes of the picture into the frame, and back. */
static void
into_frame (const Coder *self, const float *from, float *to)
{
  for (int c = 0; c < self->shape.channels; c++)
    for (int y = 0; y < self->height; y++, from += self->width)
      memcpy (to + inside (self, c, y), from,
              (gsize) self->width * sizeof *to);
}

static void
out_of_frame (const Coder *self, const float *from, float *to)
{
  for (int c = 0; c < self->shape.channels; c++)
    for (int y = 0; y < self->height; y++, to += self->width)
      memcpy (to, from + inside (self, c, y),
              (gsize) self->width * sizeof *to);
}

/* ---- what is known at a position ---- */

static void
describe_position (Coder *self, int p)
{
  const float *noise = self->input->noise != NULL ? self->spread : NULL;
  int s = self->shape.side;
  double known = 0, weighted = 0;

  for (int c = 0; c < self->shape.channels; c++)
    for (int y = 0; y < s; y++) {
      gsize at = position (self, p) + (gsize) (y * self->across);
      const float *k = self->known + (gsize) c * plane_size (self) + at;

      for (int x = 0; x < s; x++) {
        known += k[x];
        if (noise != NULL)
          weighted += k[x] * noise[at + (gsize) x];
      }
    }
  self->missing[p] =
    (float) (1 - known / conv_atom_length (&self->shape));
  self->noise[p] = (float) (known > 0 ? weighted / known : 0);
}

static int
chunk_count (const Coder *self)
{
  return (self->count + CHUNK - 1) / CHUNK;
}

static void
describe_chunk (int chunk, int worker, gpointer data)
{
  Coder *self = data;
  int end = MIN ((chunk + 1) * CHUNK, self->count);

  (void) worker;
  for (int p = chunk * CHUNK; p < end; p++)
    describe_position (self, p);
}

static gboolean
take_input (Coder *self, const CoderInput *input, const Progress *progress,
            GError **error)
{
  self->input = input;
  into_frame (self, input->known, self->known);
  for (int c = 0, i = 0; c < self->shape.channels; c++)
    for (int y = 0; y < self->height; y++) {
      float *target = self->target + inside (self, c, y);

      for (int x = 0; x < self->width; x++, i++)
        target[x] = input->known[i] > 0 ? input->y[i] - input->ground[i] : 0;
    }
  for (int y = 0; input->noise != NULL && y < self->height; y++)
    memcpy (self->spread + inside (self, 0, y),
            input->noise + (gsize) y * (gsize) self->width,
            (gsize) self->width * sizeof (float));
  return parallel_for (chunk_count (self), describe_chunk, self, progress,
                       error);
}

/* ---- forward ---- */

/* The knobs of a round, thresholds as factors. */
typedef struct {
  const float *gain, *gain_missing;
  float threshold[CONV_MOST_ATOMS], noise[CONV_MOST_ATOMS],
    missing[CONV_MOST_ATOMS];
} Knobs;

static void
exponentials (const float *x, float *y, int count)
{
  for (int i = 0; i < count; i++)
    y[i] = expf (x[i]);
}

static void
knobs_get (const Coder *self, int round, Knobs *knobs)
{
  const ConvShape *shape = &self->shape;
  float *all = self->level->knobs;
  int k = shape->atoms;

  knobs->gain = conv_knob (shape, all, round, KNOB_GAIN);
  knobs->gain_missing = conv_knob (shape, all, round, KNOB_GAIN_MISSING);
  exponentials (conv_knob (shape, all, round, KNOB_THRESHOLD),
                knobs->threshold, k);
  exponentials (conv_knob (shape, all, round, KNOB_THRESHOLD_NOISE),
                knobs->noise, k);
  exponentials (conv_knob (shape, all, round, KNOB_THRESHOLD_MISSING),
                knobs->missing, k);
}

/* z = shrink (old + gain seen, t); @old may be NULL for zero, or z. */
CPU_DISPATCH static void
shrink (const Knobs *knobs, int atoms, float missing, float noise,
        const float *seen, const float *old, float *z)
{
  for (int j = 0; j < atoms; j++) {
    float gain = knobs->gain[j] + knobs->gain_missing[j] * missing;
    float t = knobs->threshold[j] + knobs->noise[j] * noise
              + knobs->missing[j] * missing;
    float u = gain * seen[j] + (old != NULL ? old[j] : 0);
    float over = fabsf (u) - t;

    z[j] = copysignf (over > 0 ? over : 0, u);
  }
}

typedef struct {
  Coder *self;
  Knobs knobs;
  MatF atoms;
  const MatF *from; /* synthesis: the codes */
} Round;

/* C = op(A) B.  Restoration gives the same bytes however a picture is cut into
 * tiles; in learning, rounding may differ. */
static void
multiply (const Coder *self, const MatF *A, MatOp op, const MatF *B, MatF *C)
{
  if (self->gradient)
    matf_multiply (1, A, op, B, PLAIN, 0, C);
  else
    ordered_multiply (1, A, op, B, PLAIN, C);
}

/* Analysis: patches of what is not explained, their products, the codes. */
static void
analyse_chunk (int chunk, int worker, gpointer data)
{
  const Round *r = data;
  Coder *self = r->self;
  int k = self->round, slot = self->gradient ? k : 0;
  int first = chunk * CHUNK, count = MIN (CHUNK, self->count - first);
  MatF patches = matf_columns (&self->patches, first, count);
  MatF seen = matf_columns (&self->seen[slot],
                            self->gradient ? first : worker * CHUNK, count);

  gather (self, self->error[slot], first, count, &patches);
  multiply (self, &r->atoms, TRANSPOSED, &patches, &seen);
  for (int p = 0; p < count; p++)
    shrink (&r->knobs, self->shape.atoms, self->missing[first + p],
            self->noise[first + p], matf_at (&seen, 0, p),
            k == 0 ? NULL
                   : matf_at (&self->codes[self->gradient ? k - 1 : 0], 0,
                              first + p),
            matf_at (&self->codes[slot], 0, first + p));
}

static void
synthesise_chunk (int chunk, int worker, gpointer data)
{
  const Round *r = data;
  Coder *self = r->self;
  int first = chunk * CHUNK, count = MIN (CHUNK, self->count - first);
  MatF codes = matf_columns (r->from, first, count);
  MatF patches = matf_columns (&self->patches, first, count);

  (void) worker;
  multiply (self, &r->atoms, PLAIN, &codes, &patches);
}

/* self->sum = atoms, added up where @codes say. */
static gboolean
synthesise (Coder *self, MatF atoms, const MatF *codes,
            const Progress *progress, GError **error)
{
  Round r = { .self = self, .atoms = atoms, .from = codes };

  if (!parallel_for (chunk_count (self), synthesise_chunk, &r, progress,
                     error))
    return FALSE;
  scatter (self, self->sum);
  return TRUE;
}

static gboolean
analyse (Coder *self, MatF atoms, const Progress *progress, GError **error)
{
  g_autofree Round *r = g_new (Round, 1);

  *r = (Round){ .self = self, .atoms = atoms };
  knobs_get (self, self->round, &r->knobs);
  return parallel_for (chunk_count (self), analyse_chunk, r, progress, error);
}

/* E = M (y - g - sum). */
CPU_DISPATCH static void
explain (const Coder *self, gboolean first, float *error)
{
  gsize all = plane_size (self) * (gsize) self->shape.channels;

  for (gsize i = 0; i < all; i++)
    error[i] =
      self->known[i] * (self->target[i] - (first ? 0 : self->sum[i]));
}

static gboolean
round_forward (Coder *self, int k, const Progress *progress, GError **error)
{
  const ConvShape *shape = &self->shape;
  int set = conv_set (shape, k), slot = self->gradient ? k : 0;
  ProgressPart halves[] = { { progress, 0, 0.5 }, { progress, 0.5, 1 } };
  Progress synthesis = progress_part (&halves[0]);
  Progress analysis = progress_part (&halves[1]);

  self->round = k;
  if (k > 0
      && !synthesise (self, conv_atoms (shape, self->level->D, set),
                      &self->codes[self->gradient ? k - 1 : 0], &synthesis,
                      error))
    return FALSE;
  explain (self, k == 0, self->error[slot]);
  return analyse (self, conv_atoms (shape, self->level->C, set), &analysis,
                  error);
}

gboolean
coder_forward (Coder *self, const ConvLevel *level, const CoderInput *input,
               float *out, const Progress *progress, GError **error)
{
  const ConvShape *shape = &self->shape;
  gsize all =
    (gsize) self->width * (gsize) self->height * (gsize) shape->channels;
  int last = self->gradient ? shape->rounds - 1 : 0;
  ProgressPart share = { progress, 0, 0 };
  Progress part = progress_part (&share);

  self->level = level;
  if (!take_input (self, input, &part, error))
    return FALSE;
  for (int k = 0; k < shape->rounds; k++) {
    share.from = share.to;
    share.to = (k + 1.0) / (shape->rounds + 1);
    if (!round_forward (self, k, &part, error))
      return FALSE;
  }
  share.from = share.to;
  share.to = 1;
  if (!synthesise (self, conv_atoms (shape, level->W, 0), &self->codes[last],
                   &part, error))
    return FALSE;
  out_of_frame (self, self->sum, out);
  for (gsize i = 0; i < all; i++)
    out[i] += input->ground[i];
  return TRUE;
}

/* ---- backward ---- */

/* The gradient over the knobs of a round, and what is handed on: @change is dZ
 * and becomes dU; @seen, C' E, becomes gain dU. */
CPU_DISPATCH static void
shrink_backward (const Knobs *knobs, int atoms, float missing, float noise,
                 const float *restrict z, float *restrict change,
                 float *restrict seen, float *restrict sums)
{
  float *restrict gain = sums + KNOB_GAIN * atoms;
  float *restrict gain_missing = sums + KNOB_GAIN_MISSING * atoms;
  float *restrict t = sums + KNOB_THRESHOLD * atoms;
  float *restrict t_noise = sums + KNOB_THRESHOLD_NOISE * atoms;
  float *restrict t_missing = sums + KNOB_THRESHOLD_MISSING * atoms;

  for (int j = 0; j < atoms; j++) {
    float given = change[j];
    float du = z[j] == 0 ? 0 : given;
    float dt = z[j] > 0 ? -du : du;
    float dgain = du * seen[j];

    gain[j] += dgain;
    gain_missing[j] += dgain * missing;
    t[j] += dt * knobs->threshold[j];
    t_noise[j] += dt * knobs->noise[j] * noise;
    t_missing[j] += dt * knobs->missing[j] * missing;
    change[j] = du;
    seen[j] = du * (knobs->gain[j] + knobs->gain_missing[j] * missing);
  }
}

/* Through round @k: self->change is dZ_k and becomes dZ_k-1; dg is added to
 * @ground, which has the frame. */
static void
round_backward (Coder *self, int k, const ConvLevel *gradient, float *ground)
{
  const ConvShape *shape = &self->shape;
  gsize all = plane_size (self) * (gsize) shape->channels;
  int set = conv_set (shape, k);
  MatF C = conv_atoms (shape, self->level->C, set);
  MatF D = conv_atoms (shape, self->level->D, set);
  MatF dC = conv_atoms (shape, gradient->C, set);
  MatF dD = conv_atoms (shape, gradient->D, set);
  MatF *seen = &self->seen[k];
  g_autofree Knobs *knobs = g_new (Knobs, 1);

  knobs_get (self, k, knobs);
  for (int p = 0; p < self->count; p++)
    shrink_backward (knobs, shape->atoms, self->missing[p], self->noise[p],
                     matf_at (&self->codes[k], 0, p),
                     matf_at (&self->change, 0, p), matf_at (seen, 0, p),
                     conv_knob (shape, gradient->knobs, k, 0));

  gather (self, self->error[k], 0, self->count, &self->patches);
  matf_multiply (1, &self->patches, PLAIN, seen, TRANSPOSED, 1, &dC);

  matf_multiply (1, &C, PLAIN, seen, PLAIN, 0, &self->patches);
  scatter (self, self->sum);
  for (gsize i = 0; i < all; i++) {
    self->sum[i] *= -self->known[i];
    ground[i] += self->sum[i];
  }
  if (k == 0)
    return;
  gather (self, self->sum, 0, self->count, &self->patches);
  matf_multiply (1, &self->patches, PLAIN, &self->codes[k - 1], TRANSPOSED, 1,
                 &dD);
  matf_multiply (1, &D, TRANSPOSED, &self->patches, PLAIN, 1, &self->change);
}

void
coder_backward (Coder *self, const ConvLevel *level, const float *out,
                const ConvLevel *gradient, float *ground)
{
  const ConvShape *shape = &self->shape;
  int last = shape->rounds - 1;
  MatF W = conv_atoms (shape, level->W, 0);
  MatF dW = conv_atoms (shape, gradient->W, 0);
  float *framed = self->target; /* not needed any more */

  g_return_if_fail (self->gradient);

  self->level = level;
  into_frame (self, out, framed);
  gather (self, framed, 0, self->count, &self->patches);
  matf_multiply (1, &self->patches, PLAIN, &self->codes[last], TRANSPOSED, 1,
                 &dW);
  matf_multiply (1, &W, TRANSPOSED, &self->patches, PLAIN, 0, &self->change);
  for (int k = last; k >= 0; k--)
    round_backward (self, k, gradient, framed);
  out_of_frame (self, framed, ground);
}
