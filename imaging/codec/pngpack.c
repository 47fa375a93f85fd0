#include "imaging/codec/pngpack.h"

#include "base/cpudispatch.h"
#include "base/error.h"
#include "base/parallel.h"

#include <string.h>
#include <zlib.h>

/* About as many bytes to a band.  What a band does not know of the one before
 * makes files 0.02 % larger. */
#define BAND_BYTES (1 << 19)

#define WINDOW_BITS 15
#define MEMORY_LEVEL 8

enum { HEADER_SIZE = 2, ADLER_SIZE = 4, FILTERS = 5, MOST_BYTES = 8 };

typedef struct {
  guint8 *data;      /* NULL without memory */
  gsize start, size; /* of what counts in it */
  uLong adler;       /* checksum of its rows */
} Band;

typedef struct {
  const Image *image;
  int level, strategy;
  gsize row_size; /* bytes */
  int pixel_size;
  int rows; /* of a band */
  int bands;
  Band *band;
} Packing;

/* ---- filters ---- */

/* The bytes of row @y. */
CPU_DISPATCH static void
load_row (const Image *image, int y, guint8 *restrict to)
{
  const guint16 *restrict from = image_pixel (image, 0, y);
  gsize count = (gsize) image->width * (gsize) image->channels;

  if (image->depth == 8)
    for (gsize i = 0; i < count; i++)
      to[i] = (guint8) from[i];
  else
    for (gsize i = 0; i < count; i++) {
      to[2 * i] = (guint8) (from[i] >> 8);
      to[2 * i + 1] = (guint8) from[i];
    }
}

/* The one of @a, @b and @c, left, above and both, that is nearest to
 * a + b - c. */
static inline guint8
paeth (gint16 a, gint16 b, gint16 c)
{
  gint16 from_a = (gint16) ABS (b - c), from_b = (gint16) ABS (a - c);
  gint16 from_c = (gint16) ABS (a + b - 2 * c);
  gint16 other = from_b <= from_c ? b : c;

  return (guint8) (from_a <= MIN (from_b, from_c) ? a : other);
}

/* @row filtered as @filter says, given the row @above.  There are zeros in the
 * @step bytes before both. */
CPU_DISPATCH static void
filter_row (int filter, const guint8 *restrict row,
            const guint8 *restrict above, int step, gsize size,
            guint8 *restrict out)
{
  const guint8 *left = row - step, *corner = above - step;

  switch (filter) {
  case 1:
    for (gsize i = 0; i < size; i++)
      out[i] = (guint8) (row[i] - left[i]);
    break;
  case 2:
    for (gsize i = 0; i < size; i++)
      out[i] = (guint8) (row[i] - above[i]);
    break;
  case 3:
    for (gsize i = 0; i < size; i++)
      out[i] = (guint8) (row[i] - (left[i] + above[i]) / 2);
    break;
  case 4:
    for (gsize i = 0; i < size; i++)
      out[i] = (guint8) (row[i] - paeth (left[i], above[i], corner[i]));
    break;
  default:
    memcpy (out, row, size);
  }
}

/* The sum of the magnitudes of @bytes as signed numbers. */
CPU_DISPATCH static gsize
magnitude (const guint8 *bytes, gsize size)
{
  gsize sum = 0;

  for (gsize start = 0; start < size; start += 4096) {
    gsize end = MIN (start + 4096, size);
    guint32 part = 0;

    for (gsize i = start; i < end; i++)
      part += MIN (bytes[i], (guint8) -bytes[i]);
    sum += part;
  }
  return sum;
}

/* ---- bands ---- */

/* Rows of a band, and room for what is made of them. */
typedef struct {
  guint8 *rows[2]; /* this one and the one above, zeros before them */
  guint8 *trial;
  guint8 *filtered; /* all rows, each after the number of its filter */
} Workspace;

static gboolean
workspace_init (Workspace *w, const Packing *p)
{
  gsize padded = p->row_size + MOST_BYTES;

  *w = (Workspace){ 0 };
  for (int i = 0; i < 2; i++)
    w->rows[i] = g_try_malloc0 (padded);
  w->trial = g_try_malloc (p->row_size + 1);
  w->filtered = g_try_malloc_n ((gsize) p->rows, p->row_size + 1);
  return w->rows[0] != NULL && w->rows[1] != NULL && w->trial != NULL
         && w->filtered != NULL;
}

static void
workspace_clear (Workspace *w)
{
  g_free (w->rows[0]);
  g_free (w->rows[1]);
  g_free (w->trial);
  g_free (w->filtered);
}

/* Puts the row that is loaded to @out, by the filter that suits it best. */
static void
filter_best (const Packing *p, const Workspace *w, guint8 *out)
{
  const guint8 *row = w->rows[0] + MOST_BYTES;
  const guint8 *above = w->rows[1] + MOST_BYTES;
  gsize least = G_MAXSIZE;

  for (int filter = 0; filter < FILTERS; filter++) {
    gsize sum;

    w->trial[0] = (guint8) filter;
    filter_row (filter, row, above, p->pixel_size, p->row_size, w->trial + 1);
    sum = magnitude (w->trial + 1, p->row_size);
    if (sum < least) {
      memcpy (out, w->trial, p->row_size + 1);
      least = sum;
    }
  }
}

/* Filters the rows @from .. @to - 1. */
static void
filter_rows (const Packing *p, Workspace *w, int from, int to)
{
  if (from > 0)
    load_row (p->image, from - 1, w->rows[1] + MOST_BYTES);
  for (int y = from; y < to; y++) {
    guint8 *row = w->rows[0];

    load_row (p->image, y, row + MOST_BYTES);
    filter_best (p, w, w->filtered + (gsize) (y - from) * (p->row_size + 1));
    w->rows[0] = w->rows[1];
    w->rows[1] = row;
  }
}

/* Packs @size bytes of @from as blocks that others may follow, unless they are
 * the @last.  Leaves room for the header and the checksum of the stream. */
static void
deflate_band (const Packing *p, guint8 *from, gsize size, gboolean last,
              Band *band)
{
  z_stream stream = { 0 };
  gboolean is_whole;
  guint8 *smaller;
  gsize bound;

  if (deflateInit2 (&stream, p->level, Z_DEFLATED, -WINDOW_BITS, MEMORY_LEVEL,
                    p->strategy)
      != Z_OK)
    return;
  /* Where a flush ends a band, there are a few bytes more. */
  bound = deflateBound (&stream, size) + 16;
  band->data = g_try_malloc (HEADER_SIZE + bound + ADLER_SIZE);
  if (band->data != NULL) {
    stream.next_in = from;
    stream.avail_in = (uInt) size;
    stream.next_out = band->data + HEADER_SIZE;
    stream.avail_out = (uInt) bound;
    is_whole = deflate (&stream, last ? Z_FINISH : Z_SYNC_FLUSH)
                 == (last ? Z_STREAM_END : Z_OK)
               && stream.avail_in == 0 && stream.avail_out > 0;
    band->start = HEADER_SIZE;
    band->size = bound - stream.avail_out;
    smaller =
      g_try_realloc (band->data, HEADER_SIZE + band->size + ADLER_SIZE);
    band->data = smaller != NULL ? smaller : band->data;
    if (!is_whole)
      g_clear_pointer (&band->data, g_free);
  }
  deflateEnd (&stream);
}

static void
pack_band (int number, int worker, gpointer data)
{
  const Packing *p = data;
  int from = number * p->rows, to = MIN (from + p->rows, p->image->height);
  gsize size = (gsize) (to - from) * (p->row_size + 1);
  Workspace w;

  (void) worker;
  if (workspace_init (&w, p)) {
    filter_rows (p, &w, from, to);
    p->band[number].adler = adler32_z (adler32 (0, NULL, 0), w.filtered, size);
    deflate_band (p, w.filtered, size, number == p->bands - 1,
                  &p->band[number]);
  }
  workspace_clear (&w);
}

/* ---- the stream ---- */

/* Puts the header of zlib before the first band. */
static void
add_header (const Packing *p)
{
  /* A window of 32 kB, packed fast; a multiple of 31. */
  static const guint8 header[HEADER_SIZE] = { 0x78, 0x5e };
  Band *first = &p->band[0];

  memcpy (first->data, header, HEADER_SIZE);
  first->start -= HEADER_SIZE;
  first->size += HEADER_SIZE;
}

/* Puts the checksum of all bands behind the last one. */
static void
add_checksum (const Packing *p)
{
  Band *last = &p->band[p->bands - 1];
  uLong adler = p->band[0].adler;
  guint32 stored;

  for (int i = 1; i < p->bands; i++) {
    int rows = MIN (p->rows, p->image->height - i * p->rows);

    adler = adler32_combine (adler, p->band[i].adler,
                             (z_off_t) ((gsize) rows * (p->row_size + 1)));
  }
  stored = GUINT32_TO_BE ((guint32) adler);
  memcpy (last->data + last->start + last->size, &stored, ADLER_SIZE);
  last->size += ADLER_SIZE;
}

static gboolean
is_complete (const Packing *p)
{
  for (int i = 0; i < p->bands; i++)
    if (p->band[i].data == NULL)
      return FALSE;
  return TRUE;
}

/* The bands, which are used up. */
static GPtrArray *
take_bands (const Packing *p)
{
  GPtrArray *parts =
    g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (int i = 0; i < p->bands; i++) {
    Band *band = &p->band[i];

    g_ptr_array_add (
      parts, g_bytes_new_with_free_func (band->data + band->start, band->size,
                                         g_free, band->data));
  }
  return parts;
}

GPtrArray *
pngpack_rows (const Image *image, int level, int strategy, GError **error)
{
  int pixel_size = image->channels * (image->depth == 16 ? 2 : 1);
  gsize row_size = (gsize) image->width * (gsize) pixel_size;
  int rows = (int) MAX (1, BAND_BYTES / row_size);
  int bands = (image->height + rows - 1) / rows;
  g_autofree Band *band = g_new0 (Band, bands);
  Packing packing = { image,      level, strategy, row_size,
                      pixel_size, rows,  bands,    band };

  parallel_for (bands, pack_band, &packing, NULL, NULL);
  if (is_complete (&packing)) {
    add_header (&packing);
    add_checksum (&packing);
    return take_bands (&packing);
  }
  for (int i = 0; i < bands; i++)
    g_free (band[i].data);
  tessera_fail (error, TESSERA_ERROR_MEMORY, "not enough memory for the PNG");
  return NULL;
}
