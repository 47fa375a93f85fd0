/* canvaspass.c - a window of rows that moves over the picture */
#include "imaging/inpaint/canvasprivate.h"

#include "base/cpudispatch.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* Trust in a filled sample while holes grow shut: below one, so that what is
 * known counts more and errors do not feed on themselves. */
#define FILLED_TRUST 0.3f

/* A pass in progress. */
typedef struct {
  Canvas *canvas;
  PassKind kind;
  RowWindow window;
  guint8 *busy;        /* blocks with something wanted in or next to them */
  int loaded, settled; /* rows above these are */
} Pass;

/* @count samples, @stride apart, as shares of white. */
CPU_DISPATCH static void
load_samples (const guint16 *restrict from, int stride, int count, float scale,
              float *restrict values)
{
  if (stride == 3)
    for (int i = 0; i < count; i++)
      values[i] = (float) from[i * 3] * scale;
  else
    for (int i = 0; i < count; i++)
      values[i] = (float) from[i * stride] * scale;
}

/* Loads columns left .. right - 1 as if all were known. */
static void
load_known (RowWindow *w, int left, int right, int y)
{
  const Image *image = w->canvas->image;
  gsize first = (gsize) y * (gsize) image->width + (gsize) left;
  gboolean opaque = !image_has_alpha (image) && !image->meta.has_key;
  float scale = 1 / (float) image_peak (image);
  int count = right - left, stride = image->channels;

  for (int c = 0; c < w->channels; c++) {
    const guint16 *from = image->samples + first * (gsize) stride
                          + colour_of_channel (w->canvas, c);
    float *values = w->values + row_window_offset (w, c, left, y);
    float *trust = w->trust + row_window_offset (w, c, left, y);

    load_samples (from, stride, count, scale, values);
    for (int i = 0; i < count; i++)
      trust[i] = 1;
    for (int i = 0; !opaque && i < count; i++)
      trust[i] = image_is_transparent (image, first + (gsize) i) ? 0 : 1;
  }
}

/* A pixel of which some channels are missing. */
static void
load_missing (RowWindow *w, PassKind kind, int x, int y, const float *packed)
{
  guint8 missing = mask_row (w->canvas->missing, y)[x];
  float *totals = row_window_totals (w, row_window_pixel (w, x, y));
  guint8 wanted = 0;

  memset (totals, 0, 2 * (gsize) w->channels * sizeof (float));
  for (int c = 0; c < w->channels; c++) {
    gsize at = row_window_offset (w, c, x, y);
    int colour = colour_of_channel (w->canvas, c);

    if (!mask_hides (missing, colour))
      continue;
    w->values[at] = isnan (packed[c]) ? 0 : packed[c];
    w->trust[at] = isnan (packed[c]) ? 0 : FILLED_TRUST;
    if (kind == PASS_MISSING || isnan (packed[c]))
      wanted |= (guint8) (1 << c);
  }
  w->wanted[(gsize) (y % w->rows) * (gsize) w->width + (gsize) x] = wanted;
  w->marks[(gsize) (y % w->rows) * (gsize) w->words + (gsize) (x / 64)] |=
    (guint64) (wanted != 0) << x % 64;
}

static void
load_row (Pass *pass, int y)
{
  RowWindow *w = &pass->window;
  const GArray *spans = canvas_row_spans (pass->canvas, y);
  const guint8 *missing = mask_row (pass->canvas->missing, y);
  const float *packed = packed_from (pass->canvas, 0, y);

  for (guint i = 0; i < spans->len; i++) {
    Span span = g_array_index (spans, Span, i);

    load_known (w, span.left, span.right, y);
    for (int x = next_missing (missing, span.left, span.right);
         x < span.right; x = next_missing (missing, x + 1, span.right)) {
      load_missing (w, pass->kind, x, y, packed);
      packed += w->channels;
    }
  }
}

/* Sets the wanted channels of one pixel; TRUE if that filled it up. */
static gboolean
settle_pixel (const RowWindow *w, int x, int y, float *packed)
{
  guint8 wanted = *row_window_wanted (w, x, y);
  const float *sums = row_window_totals (w, row_window_pixel (w, x, y));
  const float *weights = sums + w->channels;
  gboolean was_open = FALSE, is_open = FALSE;

  for (int c = 0; c < w->channels; c++)
    if (wanted >> c & 1) {
      was_open = was_open || isnan (packed[c]);
      if (weights[c] > 0)
        packed[c] = sums[c] / weights[c];
      is_open = is_open || isnan (packed[c]);
    }
  return was_open && !is_open;
}

/* How many pixels of the row that filled up. */
static gsize
settle_row (Pass *pass, int y)
{
  const Canvas *canvas = pass->canvas;
  const guint8 *missing = mask_row (canvas->missing, y);
  float *packed = packed_from (canvas, 0, y);
  int width = canvas->image->width;
  gsize filled = 0;

  if (canvas->row_starts[y + 1] == canvas->row_starts[y])
    return 0;
  for (int x = next_missing (missing, 0, width); x < width;
       x = next_missing (missing, x + 1, width)) {
    filled += settle_pixel (&pass->window, x, y, packed);
    packed += canvas->channels;
  }
  return filled;
}

/* Rows of a pass that are to be loaded or settled, STRIP of them at a time. */
typedef struct {
  Pass *pass;
  int from, to;
} Rows;

static void
load_some (int chunk, int worker, gpointer data)
{
  const Rows *rows = data;
  Pass *pass = rows->pass;
  RowWindow *w = &pass->window;
  int from = rows->from + chunk * STRIP;

  (void) worker;
  for (int y = from; y < MIN (from + STRIP, rows->to); y++) {
    gsize row = (gsize) (y % w->rows);

    memset (w->wanted + row * (gsize) w->width, 0, (gsize) w->width);
    memset (w->marks + row * (gsize) w->words, 0,
            (gsize) w->words * sizeof (guint64));
    if (pass->busy[y / pass->canvas->block])
      load_row (pass, y);
  }
}

static void
settle_some (int chunk, int worker, gpointer data)
{
  const Rows *rows = data;
  Pass *pass = rows->pass;
  Canvas *canvas = pass->canvas;
  int from = rows->from + chunk * STRIP;

  (void) worker;
  for (int y = from; y < MIN (from + STRIP, rows->to); y++)
    if (pass->busy[y / canvas->block]) {
      gssize filled = (gssize) settle_row (pass, y);

      g_atomic_pointer_add (&canvas->unfilled[y / canvas->block], -filled);
    }
}

static void
do_rows (Pass *pass, ParallelFunc func, int from, int to)
{
  Rows rows = { pass, from, to };

  parallel_for ((to - from + STRIP - 1) / STRIP, func, &rows, NULL, NULL);
}

static void
load_down_to (Pass *pass, int bottom)
{
  do_rows (pass, load_some, pass->loaded, bottom);
  pass->loaded = MAX (pass->loaded, bottom);
}

static void
settle_down_to (Pass *pass, int bottom)
{
  do_rows (pass, settle_some, pass->settled, bottom);
  pass->settled = MAX (pass->settled, bottom);
}

static gboolean
row_window_init (RowWindow *w, const Canvas *canvas, GError **error)
{
  gsize row = (gsize) canvas->image->width;
  gsize samples;

  w->canvas = canvas;
  w->width = canvas->image->width;
  w->height = canvas->image->height;
  w->channels = canvas->channels;
  w->rows = MIN (w->height, canvas->block + 2 * canvas->reach);
  samples = row * (gsize) w->rows * (gsize) w->channels;
  w->values = g_try_new (float, samples);
  w->trust = g_try_new (float, samples);
  w->totals = g_try_new (float, 2 * samples);
  w->wanted = g_try_malloc (row * (gsize) w->rows);
  w->words = (int) (row / 64) + 2;
  w->marks = g_try_new (guint64, (gsize) w->words * (gsize) w->rows);
  if (w->values == NULL || w->trust == NULL || w->totals == NULL
      || w->wanted == NULL || w->marks == NULL)
    return canvas_lacks_memory (canvas->image, error);
  return TRUE;
}

static void
row_window_clear (RowWindow *w)
{
  g_free (w->values);
  g_free (w->trust);
  g_free (w->totals);
  g_free (w->wanted);
  g_free (w->marks);
}

/* Notes where something is wanted before the pass changes that. */
static guint8 *
find_busy (const Canvas *canvas, const gsize *counts)
{
  guint8 *busy = g_malloc0 ((gsize) canvas->block_count);

  for (int b = 0; b < canvas->block_count; b++)
    for (int near = MAX (0, b - 1);
         near <= MIN (canvas->block_count - 1, b + 1); near++)
      busy[b] |= counts[near] > 0;
  return busy;
}

static gboolean
do_block (Pass *pass, int number, PassFunc func, gpointer data,
          const Progress *progress, GError **error)
{
  const Canvas *canvas = pass->canvas;
  int height = canvas->image->height;
  int top = number * canvas->block;
  int bottom = MIN (height, top + canvas->block);

  load_down_to (pass, MIN (height, bottom + canvas->reach));
  if (pass->busy[number]
      && !func (&pass->window, top, bottom, progress, data, error))
    return FALSE;
  settle_down_to (pass, bottom == height ? height : bottom - canvas->reach);
  return TRUE;
}

gboolean
canvas_pass (Canvas *canvas, PassKind kind, PassFunc func, gpointer data,
             const Progress *progress, GError **error)
{
  const gsize *counts =
    kind == PASS_UNFILLED ? canvas->unfilled : canvas->counts;
  Pass pass = { .canvas = canvas, .kind = kind };
  gsize all = canvas_missing (canvas), done = 0;
  gboolean ok;

  pass.busy = find_busy (canvas, counts);
  ok = row_window_init (&pass.window, canvas, error);
  for (int b = 0; ok && b < canvas->block_count; b++) {
    ProgressPart share = { progress, (double) done / (double) all,
                           (double) (done + canvas->counts[b])
                             / (double) all };
    Progress part = progress_part (&share);

    ok = do_block (&pass, b, func, data, &part, error);
    done += canvas->counts[b];
  }
  row_window_clear (&pass.window);
  g_free (pass.busy);
  return ok;
}
