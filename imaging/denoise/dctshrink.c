#include "imaging/denoise/dctshrink.h"

#include "base/cpudispatch.h"
#include "base/parallel.h"
#include "imaging/denoise/overlap.h"
#include "imaging/inpaint/dct.h"

#include <math.h>
#include <string.h>

/* Of all thresholds the one that leaves the least error on photographs; it is
 * exceeded by 7 in 1000 cosines of pure noise. */
#define THRESHOLD 2.7f

/* Patches that are coded at a time. */
#define CHUNK 32

/* Workspace for a chunk of patches: code (k, l, m) of patch p is number m +
 * channels (p + CHUNK (k + side l)), see dct.h. */
typedef struct {
  float *noisy, *guide, *scratch;
  int level[CHUNK];
  float kept[CHUNK], total[CHUNK]; /* variance of the noise */
} Batch;

typedef struct {
  const Planes *noisy, *guide;
  const DctShrinkSettings *settings;
  const Dct *dct;
  int channels, samples;          /* samples of a patch */
  float *variances[NOISE_LEVELS]; /* of its codes */
  Batch *batches;                 /* one for each thread */
} DctShrink;

/* ---- a chunk of patches of one row ---- */

/* Reads patches of @planes from place @first on, and codes them.  Places
 * beyond the last repeat it. */
static void
code_patches (const DctShrink *s, const Planes *planes, int row, int first,
              float *scratch, float *y)
{
  int side = s->settings->side, step = s->settings->step;
  int last = grid_places (planes->width, side, step) - 1;

  for (int p = 0; p < CHUNK; p++)
    planes_get_patch (
      planes, grid_place (MIN (first + p, last), planes->width, side, step),
      row, side, y + p * s->samples);
  dct_forward (s->dct, y, scratch, CHUNK);
}

/* The brightness of each patch, by its mean in the cleaner of the two
 * pictures. */
static void
find_levels (const DctShrink *s, Batch *b, const float *codes)
{
  float scale = 1 / ((float) s->settings->side * sqrtf ((float) s->channels));

  for (int p = 0; p < CHUNK; p++)
    b->level[p] = noise_model_level (codes[s->channels * p] * scale);
}

/* Both multiply code number @i of all patches by its factor, except for the
 * mean brightness. */
CPU_DISPATCH static void
threshold (int channels, const float *const variances[CHUNK], int i,
           float *codes, Batch *b)
{
  for (int p = 0; p < CHUNK; p++)
    for (int m = i == 0; m < channels; m++) {
      float v = variances[p][i * channels + m];
      float *c = codes + p * channels + m;

      b->total[p] += v;
      if (*c * *c < THRESHOLD * THRESHOLD * v)
        *c = 0;
      else
        b->kept[p] += v;
    }
}

CPU_DISPATCH static void
wiener (int channels, const float *const variances[CHUNK], int i,
        const float *guide, float *codes, Batch *b)
{
  for (int p = 0; p < CHUNK; p++)
    for (int m = i == 0; m < channels; m++) {
      float v = variances[p][i * channels + m];
      float g = guide[p * channels + m];
      float f = g * g / (g * g + v);

      codes[p * channels + m] *= f;
      b->total[p] += v;
      b->kept[p] += f * f * v;
    }
}

static void
shrink (const DctShrink *s, Batch *b)
{
  int side = s->settings->side, stride = CHUNK * s->channels;
  const float *variances[CHUNK];

  for (int p = 0; p < CHUNK; p++) {
    variances[p] = s->variances[b->level[p]];
    b->kept[p] = b->total[p] = variances[p][0];
  }
  for (int i = 0; i < side * side; i++)
    if (s->guide == NULL)
      threshold (s->channels, variances, i, b->noisy + i * stride, b);
    else
      wiener (s->channels, variances, i, b->guide + i * stride,
              b->noisy + i * stride, b);
}

static void
do_row (const DctShrink *s, Batch *b, Strip *strip, int row)
{
  int side = s->settings->side, step = s->settings->step;
  int width = s->noisy->width;
  const ImageArea *needed = &s->settings->needed;
  int end = grid_place_after (needed->x + needed->width, width, side, step);

  for (int first = grid_place_after (needed->x - side + 1, width, side, step);
       first < end; first += CHUNK) {
    code_patches (s, s->noisy, row, first, b->scratch, b->noisy);
    if (s->guide != NULL)
      code_patches (s, s->guide, row, first, b->scratch, b->guide);
    find_levels (s, b, s->guide != NULL ? b->guide : b->noisy);
    shrink (s, b);
    dct_backward (s->dct, b->noisy, b->scratch, CHUNK);
    for (int p = 0; p < MIN (CHUNK, end - first); p++)
      strip_add (strip, grid_place (first + p, width, side, step), row, side,
                 b->noisy + p * s->samples, b->total[p] / b->kept[p]);
  }
}

static void
do_strip (Strip *strip, int worker, gpointer data)
{
  const DctShrink *s = data;
  int side = s->settings->side, step = s->settings->step;
  int height = s->noisy->height;
  const ImageArea *needed = &s->settings->needed;
  int top = MAX (needed->y - side + 1, strip->first);
  int bottom = MIN (needed->y + needed->height, strip->end);

  for (int i = grid_place_after (top, height, side, step);
       i < grid_place_after (bottom, height, side, step); i++)
    do_row (s, &s->batches[worker], strip,
            grid_place (i, height, side, step));
}

/* ---- the picture ---- */

static void
dct_shrink_init (DctShrink *s)
{
  s->samples = s->settings->side * s->settings->side * s->channels;
  for (int level = 0; level < NOISE_LEVELS; level++) {
    s->variances[level] = g_new (float, s->samples);
    noise_model_variances (s->settings->noise, level, s->settings->side,
                           s->variances[level]);
  }
  s->batches = g_new (Batch, parallel_threads ());
  for (int i = 0; i < parallel_threads (); i++)
    s->batches[i] = (Batch){ .noisy = g_new (float, CHUNK * s->samples),
                             .guide = g_new (float, CHUNK * s->samples),
                             .scratch = g_new (float, CHUNK * s->samples) };
}

static void
dct_shrink_clear (DctShrink *s)
{
  for (int level = 0; level < NOISE_LEVELS; level++)
    g_free (s->variances[level]);
  for (int i = 0; i < parallel_threads (); i++) {
    g_free (s->batches[i].noisy);
    g_free (s->batches[i].guide);
    g_free (s->batches[i].scratch);
  }
  g_free (s->batches);
}

gboolean
planes_dct_shrink (const Planes *noisy, const Planes *guide,
                   const DctShrinkSettings *settings, Planes *out,
                   const Progress *progress, GError **error)
{
  g_autoptr (Dct) dct = dct_new (settings->side, noisy->channels);
  DctShrink s = { .noisy = noisy,
                  .guide = guide,
                  .settings = settings,
                  .dct = dct,
                  .channels = noisy->channels };
  gboolean ok;

  dct_shrink_init (&s);
  ok = overlap_average (out, settings->side, do_strip, &s, progress, error);
  dct_shrink_clear (&s);
  return ok;
}
