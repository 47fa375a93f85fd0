#include "dictlearn/convolutional/pyramid.h"

#include "base/error.h"
#include "dictlearn/blurfill.h"

#include <math.h>
#include <string.h>

typedef struct {
  int width, height;
  float *y, *known, *noise; /* of the level; the first level has none */
  float *ground, *out, *change;
  CoderInput input;
  Coder *coder;
} Level;

struct Pyramid {
  ConvShape shape;
  Level levels[CONV_MOST_LEVELS];
  float *room; /* three planes of the smallest size */
};

/* Room for samples of a level: of all channels, or of one plane. */
static float *
samples_new (const Level *level, int channels, GError **error)
{
  return tessera_try_new (float,
                          (gsize) level->width * (gsize) level->height
                            * (gsize) channels,
                          "a part of the picture", error);
}

/* @is_first: what it is given comes from the caller. */
static gboolean
level_init (Level *l, const ConvShape *shape, gboolean is_first,
            gboolean gradient, GError **error)
{
  int channels = shape->channels;

  if (!is_first) {
    l->y = samples_new (l, channels, error);
    if (l->y != NULL)
      l->known = samples_new (l, channels, error);
    if (l->known != NULL)
      l->noise = samples_new (l, 1, error);
    if (l->noise == NULL)
      return FALSE;
  }
  l->ground = samples_new (l, channels, error);
  if (l->ground != NULL)
    l->out = samples_new (l, channels, error);
  if (l->out != NULL && gradient)
    l->change = samples_new (l, channels, error);
  if (l->out != NULL && (!gradient || l->change != NULL))
    l->coder = coder_new (shape, l->width, l->height, gradient, error);
  return l->coder != NULL;
}

Pyramid *
pyramid_new (const ConvShape *shape, int width, int height, gboolean gradient,
             GError **error)
{
  g_autoptr (Pyramid) self = g_new0 (Pyramid, 1);

  self->shape = *shape;
  for (int i = 0; i < shape->levels; i++) {
    Level *l = &self->levels[i];

    l->width = width;
    l->height = height;
    if (!level_init (l, shape, i == 0, gradient, error))
      return NULL;
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
  self->room = samples_new (&self->levels[shape->levels - 1], 3, error);
  return self->room != NULL ? g_steal_pointer (&self) : NULL;
}

void
pyramid_free (Pyramid *self)
{
  if (self == NULL)
    return;
  for (int i = 0; i < self->shape.levels; i++) {
    Level *l = &self->levels[i];

    g_free (l->y);
    g_free (l->known);
    g_free (l->noise);
    g_free (l->ground);
    g_free (l->out);
    g_free (l->change);
    coder_free (l->coder);
  }
  g_free (self->room);
  g_free (self);
}

/* ---- half the size ---- */

/* The mean of what is known of two by two samples, and how much that is. */
static void
halve_plane (const Level *from, const float *y, const float *known,
             const Level *to, float *half, float *half_known)
{
  for (int v = 0; v < to->height; v++)
    for (int u = 0; u < to->width; u++) {
      float sum = 0, weight = 0;

      for (int b = 2 * v; b < MIN (2 * v + 2, from->height); b++)
        for (int a = 2 * u; a < MIN (2 * u + 2, from->width); a++) {
          int i = b * from->width + a;

          if (known[i] > 0) {
            sum += known[i] * y[i];
            weight += known[i];
          }
        }
      half[v * to->width + u] = weight > 0 ? sum / weight : 0;
      half_known[v * to->width + u] = weight / 4;
    }
}

/* The standard deviation of such a mean; what is known of a pixel is the mean
 * over its channels. */
static void
halve_noise (const Level *from, int channels, const Level *to)
{
  int pixels = from->width * from->height;

  for (int v = 0; v < to->height; v++)
    for (int u = 0; u < to->width; u++) {
      double sum = 0, weight = 0;

      for (int b = 2 * v; b < MIN (2 * v + 2, from->height); b++)
        for (int a = 2 * u; a < MIN (2 * u + 2, from->width); a++) {
          int i = b * from->width + a;
          double known = 0;

          for (int c = 0; c < channels; c++)
            known += (double) from->input.known[c * pixels + i] / channels;
          weight += known;
          known *= from->input.noise[i];
          sum += known * known;
        }
      to->noise[v * to->width + u] =
        (float) (weight > 0 ? sqrt (sum) / weight : 0);
    }
}

static void
halve (const Level *from, int channels, Level *to)
{
  int pixels = from->width * from->height;
  int half = to->width * to->height;

  for (int c = 0; c < channels; c++)
    halve_plane (from, from->input.y + c * pixels,
                 from->input.known + c * pixels, to, to->y + c * half,
                 to->known + c * half);
  if (from->input.noise != NULL)
    halve_noise (from, channels, to);
  to->input =
    (CoderInput){ .y = to->y,
                  .known = to->known,
                  .noise = from->input.noise != NULL ? to->noise : NULL,
                  .ground = to->ground };
}

/* ---- twice the size ---- */

/* Sample x of the larger one lies between sample x / 2 of the smaller one,
 * which is nearer, and the neighbour on its own side. */
#define NEAR 0.75f
#define FAR 0.25f

static int
neighbour (int x, int half)
{
  return CLAMP (x % 2 == 0 ? x / 2 - 1 : x / 2 + 1, 0, half - 1);
}

static void
enlarge_plane (const float *small, const Level *from, const Level *to,
               float *large)
{
  for (int y = 0; y < to->height; y++) {
    const float *a = small + y / 2 * from->width;
    const float *b = small + neighbour (y, from->height) * from->width;

    for (int x = 0; x < to->width; x++) {
      int far = neighbour (x, from->width);

      large[y * to->width + x] =
        NEAR * (NEAR * a[x / 2] + FAR * a[far])
        + FAR * (NEAR * b[x / 2] + FAR * b[far]);
    }
  }
}

/* The transpose of enlarge_plane(). */
static void
gather_plane (const float *large, const Level *to, const Level *from,
              float *small)
{
  memset (small, 0,
          (gsize) from->width * (gsize) from->height * sizeof *small);
  for (int y = 0; y < to->height; y++) {
    float *a = small + y / 2 * from->width;
    float *b = small + neighbour (y, from->height) * from->width;

    for (int x = 0; x < to->width; x++) {
      int far = neighbour (x, from->width);
      float value = large[y * to->width + x];

      a[x / 2] += NEAR * NEAR * value;
      a[far] += NEAR * FAR * value;
      b[x / 2] += FAR * NEAR * value;
      b[far] += FAR * FAR * value;
    }
  }
}

/* ---- all levels ---- */

/* The ground of level @i, from the level after it if there is one. */
static void
lay_ground (Pyramid *self, int i)
{
  Level *l = &self->levels[i], *smaller = l + 1;
  int pixels = l->width * l->height;
  BlurFill fill = { l->width, l->height, self->shape.ground, self->room };

  for (int c = 0; c < self->shape.channels; c++)
    if (i == self->shape.levels - 1)
      blur_fill (&fill, l->input.y + c * pixels, l->input.known + c * pixels,
                 l->ground + c * pixels);
    else
      enlarge_plane (smaller->out + c * smaller->width * smaller->height,
                     smaller, l, l->ground + c * pixels);
}

const float *
pyramid_forward (Pyramid *self, float *numbers, const Damaged *damaged,
                 const Progress *progress, GError **error)
{
  int channels = self->shape.channels, last = self->shape.levels - 1;
  Level *levels = self->levels;
  ProgressPart share = { progress, 0, 0 };
  Progress part = progress_part (&share);

  levels[0].input = (CoderInput){ damaged->y, damaged->known, damaged->noise,
                                  levels[0].ground };
  for (int i = 0; i < last; i++)
    halve (&levels[i], channels, &levels[i + 1]);
  for (int i = last; i >= 0; i--) {
    ConvLevel level = conv_level (&self->shape, numbers, i);

    /* Each size has four times the work of the next smaller one. */
    share.from = share.to;
    share.to = pow (0.25, i);
    lay_ground (self, i);
    if (!coder_forward (levels[i].coder, &level, &levels[i].input,
                        levels[i].out, &part, error))
      return NULL;
  }
  return levels[0].out;
}

void
pyramid_backward (Pyramid *self, float *numbers, const float *change,
                  float *gradient)
{
  int channels = self->shape.channels;
  Level *levels = self->levels;

  for (int i = 0; i < self->shape.levels; i++) {
    Level *l = &levels[i];
    ConvLevel level = conv_level (&self->shape, numbers, i);
    ConvLevel sums = conv_level (&self->shape, gradient, i);

    /* l->ground is not needed any more and takes its own gradient. */
    coder_backward (l->coder, &level, i == 0 ? change : l->change, &sums,
                    l->ground);
    if (i + 1 < self->shape.levels)
      for (int c = 0; c < channels; c++)
        gather_plane (l->ground + c * l->width * l->height, l, &levels[i + 1],
                      levels[i + 1].change
                        + c * levels[i + 1].width * levels[i + 1].height);
  }
}
