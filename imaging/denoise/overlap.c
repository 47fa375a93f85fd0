#include "imaging/denoise/overlap.h"

#include "base/parallel.h"

#include <string.h>

/* Strips that are worked on before their sums are added up. */
#define BATCH 16

typedef struct {
  Planes *out;
  int reach;
  StripFunc func;
  gpointer data;
  int strips, first; /* total, and the first of the batch */
  Strip batch[BATCH];
  Planes *sum, *weights; /* of the whole picture */
} Overlap;

static inline __attribute__ ((always_inline)) void
add_patch (Strip *strip, int x, int row, int patch, const float *y,
           float weight)
{
  for (int c = 0; c < strip->sum->channels; c++)
    for (int r = 0; r < patch; r++, y += patch) {
      float *to = planes_at (strip->sum, c, x, row - strip->top + r);

      for (int i = 0; i < patch; i++)
        to[i] += weight * y[i];
    }
  for (int r = 0; r < patch; r++) {
    float *to = planes_at (strip->weights, 0, x, row - strip->top + r);

    for (int i = 0; i < patch; i++)
      to[i] += weight;
  }
}

/* For a size that the compiler knows, rows are added without a loop. */
void
strip_add (Strip *strip, int x, int row, int patch, const float *y,
           float weight)
{
  if (patch == 4)
    add_patch (strip, x, row, 4, y, weight);
  else if (patch == 8)
    add_patch (strip, x, row, 8, y, weight);
  else
    add_patch (strip, x, row, patch, y, weight);
}

static void
do_strip (int chunk, int worker, gpointer data)
{
  Overlap *o = data;

  o->func (&o->batch[chunk], worker, o->data);
}

/* ---- a batch of strips ---- */

static void
strip_clear (Strip *strip)
{
  planes_free (strip->sum);
  planes_free (strip->weights);
  *strip = (Strip){ 0 };
}

static gboolean
strip_init (Strip *strip, const Overlap *o, int number, GError **error)
{
  int width = o->out->width, height = o->out->height, bottom;

  strip->first = number * OVERLAP_STRIP;
  strip->end = MIN (strip->first + OVERLAP_STRIP, height);
  strip->top = MAX (0, strip->first - o->reach);
  bottom = MIN (strip->end + o->reach, height);
  strip->sum =
    planes_new (width, bottom - strip->top, o->out->channels, error);
  if (strip->sum == NULL)
    return FALSE;
  strip->weights = planes_new (width, bottom - strip->top, 1, error);
  return strip->weights != NULL;
}

/* Adds the rows of @part to those of @whole from @top on. */
static void
add_rows (Planes *whole, const Planes *part, int top)
{
  gsize count = (gsize) part->width * (gsize) part->height;

  for (int c = 0; c < whole->channels; c++) {
    float *to = planes_at (whole, c, 0, top);
    const float *from = planes_at (part, c, 0, 0);

    for (gsize i = 0; i < count; i++)
      to[i] += from[i];
  }
}

static gboolean
do_batch (Overlap *o, int count, const Progress *progress, GError **error)
{
  ProgressPart share = { progress, (double) o->first / o->strips,
                         (double) (o->first + count) / o->strips };
  Progress part = progress_part (&share);

  for (int i = 0; i < count; i++)
    if (!strip_init (&o->batch[i], o, o->first + i, error))
      return FALSE;
  if (!parallel_for (count, do_strip, o, &part, error))
    return FALSE;
  for (int i = 0; i < count; i++) {
    add_rows (o->sum, o->batch[i].sum, o->batch[i].top);
    add_rows (o->weights, o->batch[i].weights, o->batch[i].top);
    strip_clear (&o->batch[i]);
  }
  return TRUE;
}

/* ---- the picture ---- */

static void
write_mean (const Overlap *o)
{
  gsize pixels = planes_samples (o->weights);

  for (int c = 0; c < o->out->channels; c++) {
    float *to = planes_at (o->out, c, 0, 0);
    const float *from = planes_at (o->sum, c, 0, 0);

    for (gsize i = 0; i < pixels; i++)
      if (o->weights->data[i] > 0)
        to[i] = from[i] / o->weights->data[i];
  }
}

static gboolean
average (Overlap *o, const Progress *progress, GError **error)
{
  const Planes *out = o->out;

  o->sum = planes_new (out->width, out->height, out->channels, error);
  if (o->sum == NULL)
    return FALSE;
  o->weights = planes_new (out->width, out->height, 1, error);
  if (o->weights == NULL)
    return FALSE;
  for (o->first = 0; o->first < o->strips; o->first += BATCH)
    if (!do_batch (o, MIN (BATCH, o->strips - o->first), progress, error))
      return FALSE;
  write_mean (o);
  return TRUE;
}

gboolean
overlap_average (Planes *out, int reach, StripFunc func, gpointer data,
                 const Progress *progress, GError **error)
{
  Overlap o = { .out = out,
                .reach = reach,
                .func = func,
                .data = data,
                .strips = (out->height + OVERLAP_STRIP - 1) / OVERLAP_STRIP };
  gboolean ok = average (&o, progress, error);

  for (int i = 0; i < BATCH; i++)
    strip_clear (&o.batch[i]);
  planes_free (o.sum);
  planes_free (o.weights);
  return ok;
}
