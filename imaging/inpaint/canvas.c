/* canvas.c - the missing samples of a picture, packed */
#include "imaging/inpaint/canvasprivate.h"

#include <math.h>
#include <string.h>

/* Rows per block, unless the reach is larger: enough patches to keep threads
 * busy, few enough rows to be cheap in memory. */
#define LEAST_BLOCK 128

/* Hidden pixels this near to something missing are filled along with it, so
 * that patches there are whole. */
#define HIDDEN_REACH 16

/* ---- what is missing ---- */

/* Sets to @value what lies within @reach columns of a missing pixel. */
static void
mark_near (int *columns, const guint8 *missing, int width, int reach,
           int value)
{
  int marked = 0; /* columns before this are done */

  for (int x = next_missing (missing, 0, width); x < width;
       x = next_missing (missing, x + 1, width))
    for (marked = MAX (marked, x - reach);
         marked < MIN (width, x + reach + 1); marked++)
      columns[marked] = value;
}

/* Adds hidden pixels near the requested ones. */
static void
add_hidden (Canvas *canvas)
{
  const Image *image = canvas->image;
  int width = image->width, height = image->height;
  g_autofree int *latest = g_new (int, width); /* row of the lowest mark */

  for (int x = 0; x < width; x++)
    latest[x] = -HIDDEN_REACH - 1;
  for (int below = 0; below < height + HIDDEN_REACH; below++) {
    int y = below - HIDDEN_REACH;

    if (below < height)
      mark_near (latest, mask_row (canvas->asked, below), width, HIDDEN_REACH,
                 below);
    for (int x = 0; y >= 0 && x < width; x++) {
      gsize i = (gsize) y * (gsize) width + (gsize) x;

      if (latest[x] >= y - HIDDEN_REACH && image_is_transparent (image, i))
        canvas->missing->missing[i] = MASK_PIXEL;
    }
  }
}

static gboolean
copy_mask (Canvas *canvas, GError **error)
{
  canvas->missing =
    mask_new (canvas->asked->width, canvas->asked->height, error);
  if (canvas->missing == NULL)
    return FALSE;
  mask_add (canvas->missing, canvas->asked);
  if (image_colours (canvas->image) == 1)
    for (gsize i = 0; i < image_pixels (canvas->image); i++)
      canvas->missing->missing[i] = canvas->missing->missing[i] != 0;
  if (image_has_alpha (canvas->image) || canvas->image->meta.has_key)
    add_hidden (canvas);
  return TRUE;
}

static void
count_missing (Canvas *canvas)
{
  int height = canvas->missing->height;

  canvas->row_starts = g_new0 (gsize, height + 1);
  canvas->counts = g_new0 (gsize, canvas->block_count);
  for (int y = 0; y < height; y++) {
    gsize count =
      count_missing_in (mask_row (canvas->missing, y), canvas->missing->width);

    canvas->row_starts[y + 1] = canvas->row_starts[y] + count;
    canvas->counts[y / canvas->block] += count;
  }
  canvas->unfilled =
    g_memdup2 (canvas->counts, (gsize) canvas->block_count * sizeof (gsize));
}

/* ---- columns that matter ---- */

static GArray *
spans_of_marks (const int *marks, int width)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (Span));

  for (int x = 0; x < width; x++)
    if (marks[x]) {
      Span span = { x, x };

      while (span.right < width && marks[span.right])
        span.right++;
      g_array_append_val (spans, span);
      x = span.right;
    }
  return spans;
}

/* Columns near what is missing in rows @top .. @bottom - 1; @marks is as long as
 * a row. */
static GArray *
spans_of_rows (const Canvas *canvas, int top, int bottom, int *marks)
{
  int width = canvas->missing->width;

  memset (marks, 0, (gsize) width * sizeof (int));
  for (int y = MAX (0, top); y < MIN (canvas->missing->height, bottom); y++)
    if (canvas->row_starts[y + 1] > canvas->row_starts[y])
      mark_near (marks, mask_row (canvas->missing, y), width, canvas->reach,
                 1);
  return spans_of_marks (marks, width);
}

static int
strip_count (const Canvas *canvas)
{
  return (canvas->image->height + STRIP - 1) / STRIP;
}

/* Rows of a block are touched by what is missing in the blocks around too. */
static void
find_spans (Canvas *canvas)
{
  g_autofree int *marks = g_new (int, canvas->missing->width);
  int reach = canvas->reach;

  canvas->spans = g_new0 (GArray *, canvas->block_count);
  for (int b = 0; b < canvas->block_count; b++)
    canvas->spans[b] = spans_of_rows (canvas, (b - 1) * canvas->block,
                                      (b + 2) * canvas->block, marks);
  canvas->strips = g_new0 (GArray *, strip_count (canvas));
  for (int s = 0; s < strip_count (canvas); s++)
    canvas->strips[s] = spans_of_rows (canvas, s * STRIP - reach,
                                       (s + 1) * STRIP + reach, marks);
}

const GArray *
canvas_spans (const Canvas *canvas, int y)
{
  return canvas->spans[y / canvas->block];
}

const GArray *
canvas_row_spans (const Canvas *canvas, int y)
{
  return canvas->strips[y / STRIP];
}

/* ---- the canvas ---- */

Canvas *
canvas_new (const Image *image, const Mask *missing, int channels, int reach,
            GError **error)
{
  g_autoptr (Canvas) canvas = g_new0 (Canvas, 1);
  gsize samples;

  canvas->image = image;
  canvas->asked = missing;
  canvas->channels = channels;
  canvas->reach = reach;
  canvas->block = MAX (LEAST_BLOCK, reach);
  canvas->block_count = (image->height + canvas->block - 1) / canvas->block;
  if (!copy_mask (canvas, error))
    return NULL;
  count_missing (canvas);
  find_spans (canvas);
  samples = canvas->row_starts[image->height] * (gsize) channels;
  canvas->values = g_try_new (float, MAX (1, samples));
  if (canvas->values == NULL) {
    canvas_lacks_memory (image, error);
    return NULL;
  }
  for (gsize i = 0; i < samples; i++)
    canvas->values[i] = NAN;
  return g_steal_pointer (&canvas);
}

void
canvas_free (Canvas *canvas)
{
  if (canvas == NULL)
    return;
  for (int b = 0; canvas->spans != NULL && b < canvas->block_count; b++)
    g_array_unref (canvas->spans[b]);
  for (int i = 0; canvas->strips != NULL && i < strip_count (canvas); i++)
    g_array_unref (canvas->strips[i]);
  g_free (canvas->spans);
  g_free (canvas->strips);
  mask_free (canvas->missing);
  g_free (canvas->counts);
  g_free (canvas->unfilled);
  g_free (canvas->row_starts);
  g_free (canvas->values);
  g_free (canvas);
}

int
canvas_channels (const Canvas *canvas)
{
  return canvas->channels;
}

gsize
canvas_missing (const Canvas *canvas)
{
  return canvas->row_starts[canvas->missing->height];
}

gsize
canvas_unfilled (const Canvas *canvas)
{
  gsize sum = 0;

  for (int b = 0; b < canvas->block_count; b++)
    sum += canvas->unfilled[b];
  return sum;
}

/* ---- the last resort ---- */

/* Mean of the known samples of each colour; of all colours for one without
 * known samples.  FALSE if nothing is known at all. */
static gboolean
mean_colours (const Canvas *canvas, double mean[3])
{
  const Image *image = canvas->image;
  double sums[3] = { 0 }, all = 0;
  gsize counts[3] = { 0 }, known = 0;

  for (gsize i = 0; i < image_pixels (image); i++) {
    const guint16 *pixel = image->samples + i * (gsize) image->channels;

    for (int c = 0; c < image_colours (image); c++)
      if (!mask_hides (canvas->missing->missing[i], c)
          && !image_is_transparent (image, i)) {
        sums[c] += pixel[c];
        counts[c]++;
      }
  }
  for (int c = 0; c < 3; c++) {
    all += sums[c];
    known += counts[c];
  }
  for (int c = 0; c < 3 && known > 0; c++)
    mean[c] =
      (counts[c] > 0 ? sums[c] / (double) counts[c] : all / (double) known)
      / image_peak (image);
  return known > 0;
}

gboolean
canvas_fill_rest (Canvas *canvas)
{
  gsize samples = canvas_missing (canvas) * (gsize) canvas->channels;
  double mean[3];

  if (!mean_colours (canvas, mean))
    return FALSE;
  for (gsize i = 0; i < samples; i++)
    if (isnan (canvas->values[i]))
      canvas->values[i] = (float)
        mean[colour_of_channel (canvas, (int) (i % (gsize) canvas->channels))];
  memset (canvas->unfilled, 0, (gsize) canvas->block_count * sizeof (gsize));
  return TRUE;
}

/* ---- parts of the picture ---- */

/* Copies pixel (x, y) to place (u, v) of the planes; @packed is where it is,
 * if it is missing. */
static void
read_pixel (const Canvas *canvas, int x, int y, const float *packed, int u,
            int v, Planes *values, Planes *known)
{
  const Image *image = canvas->image;
  const guint16 *pixel = image_pixel (image, x, y);
  guint8 missing = mask_row (canvas->missing, y)[x];
  gboolean seen = !image_is_transparent (
    image, (gsize) y * (gsize) image->width + (gsize) x);
  float scale = 1 / (float) image_peak (image);

  for (int c = 0; c < canvas->channels; c++) {
    int colour = colour_of_channel (canvas, c);

    if (missing && mask_hides (missing, colour)) {
      *planes_at (values, c, u, v) = isnan (packed[c]) ? 0 : packed[c];
      *planes_at (known, c, u, v) = 0;
    } else {
      *planes_at (values, c, u, v) = (float) pixel[colour] * scale;
      *planes_at (known, c, u, v) = seen ? 1 : 0;
    }
  }
}

void
canvas_read (const Canvas *canvas, int left, int top, Planes *values,
             Planes *known)
{
  for (int v = 0; v < values->height; v++) {
    const guint8 *missing = mask_row (canvas->missing, top + v) + left;
    const float *packed = packed_from (canvas, left, top + v);

    for (int u = 0; u < values->width; u++) {
      read_pixel (canvas, left + u, top + v, packed, u, v, values, known);
      if (missing[u])
        packed += canvas->channels;
    }
  }
}

/* Whether some channel of a pixel with @missing is known. */
static gboolean
is_partial (const Canvas *canvas, guint8 missing)
{
  for (int c = 0; c < canvas->channels; c++)
    if (!mask_hides (missing, colour_of_channel (canvas, c)))
      return TRUE;
  return FALSE;
}

/* Square of @doubt over that of how far the values at (@u, @v) are from
 * @packed, root mean square over the channels, and at most 1. */
static float
confidence (const Canvas *canvas, const Planes *values, int u, int v,
            const float *packed, float doubt)
{
  float most = doubt * doubt * (float) canvas->channels, sum = 0;

  for (int c = 0; c < canvas->channels; c++) {
    float difference = *planes_at (values, c, u, v) - packed[c];

    sum += difference * difference;
  }
  return doubt > 0 && sum > most ? most / sum : 1;
}

void
canvas_mix (Canvas *canvas, int left, int top, const Planes *values,
            MixShares shares)
{
  for (int v = 0; v < values->height; v++) {
    const guint8 *missing = mask_row (canvas->missing, top + v) + left;
    float *packed = packed_from (canvas, left, top + v);

    for (int u = 0; u < values->width; u++) {
      float share;

      if (!missing[u])
        continue;
      share = is_partial (canvas, missing[u])
                ? shares.partial
                : shares.whole
                    * confidence (canvas, values, u, v, packed, shares.doubt);
      for (int c = 0; c < canvas->channels; c++)
        packed[c] += share * (*planes_at (values, c, u, v) - packed[c]);
      packed += canvas->channels;
    }
  }
}

/* ---- back into the picture ---- */

/* Mean of the channels that represent @colour. */
static float
mean_of_repeats (const Canvas *canvas, const float *packed, int colour)
{
  int colours = image_colours (canvas->image);
  float sum = 0;

  for (int c = colour; c < canvas->channels; c += colours)
    sum += packed[c];
  return sum * (float) colours / (float) canvas->channels;
}

static void
write_pixel (const Canvas *canvas, Image *image, gsize i, const float *packed)
{
  guint16 *pixel = image->samples + i * (gsize) image->channels;
  guint8 missing = canvas->missing->missing[i];

  for (int c = 0; c < image_colours (image); c++)
    if (mask_hides (missing, c))
      pixel[c] = planes_to_sample (image, mean_of_repeats (canvas, packed, c));
  /* That may move the last colour, which must not be one that is known. */
  if (mask_hides (missing, image_colours (image) - 1))
    image_avoid_key (image, i);
  /* Entries of a palette may repeat; the index that was here must not be
   * used. */
  if (image->palette != NULL)
    image->palette->index[i] = 0;
}

void
canvas_write_back (const Canvas *canvas, Image *image)
{
  const float *packed = canvas->values;

  for (gsize i = 0; i < image_pixels (image); i++) {
    if (canvas->asked->missing[i])
      write_pixel (canvas, image, i, packed);
    if (canvas->missing->missing[i])
      packed += canvas->channels;
  }
}
