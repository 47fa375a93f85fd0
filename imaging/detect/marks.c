#include "imaging/detect/marks.h"

#include "base/cpudispatch.h"
#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

gboolean
byte_plane_init (BytePlane *plane, int width, int height, GError **error)
{
  *plane = (BytePlane){ width, height, NULL };
  plane->data = g_try_malloc0 (byte_plane_size (plane));
  return plane->data != NULL
         || tessera_fail (error, TESSERA_ERROR_MEMORY,
                          "not enough memory to look at %d x %d pixels", width,
                          height);
}

void
byte_plane_clear (BytePlane *plane)
{
  g_clear_pointer (&plane->data, g_free);
}

/* Rows or columns that a thread handles at a time; squares of this side fit into
 * the cache. */
#define BAND 64

static int
bands (int length)
{
  return (length + BAND - 1) / BAND;
}

typedef struct {
  const Image *image;
  Extremes *extremes;
} FindingExtremes;

static void
find_extremes (int band, int worker, gpointer data)
{
  const FindingExtremes *f = data;
  const Image *image = f->image;
  int colours = image_colours (image), peak = image_peak (image);
  gsize width = (gsize) image->width;
  gsize end = width * (gsize) MIN ((band + 1) * BAND, image->height);

  (void) worker;
  for (gsize i = width * (gsize) (band * BAND); i < end; i++) {
    const guint16 *pixel = image->samples + i * (gsize) image->channels;
    int least = pixel[0], most = pixel[0];

    for (int c = 1; c < colours; c++) {
      least = MIN (least, pixel[c]);
      most = MAX (most, pixel[c]);
    }
    if (peak != 255) {
      least = least * 255 / peak;
      most = most * 255 / peak;
    }
    f->extremes->least.data[i] = (guint8) least;
    f->extremes->most.data[i] = (guint8) most;
  }
}

gboolean
extremes_init (Extremes *extremes, const Image *image, GError **error)
{
  FindingExtremes finding = { image, extremes };

  *extremes = (Extremes){ 0 };
  if (!byte_plane_init (&extremes->least, image->width, image->height, error)
      || !byte_plane_init (&extremes->most, image->width, image->height,
                           error))
    return FALSE;
  parallel_for (bands (image->height), find_extremes, &finding, NULL, NULL);
  return TRUE;
}

void
extremes_clear (Extremes *extremes)
{
  byte_plane_clear (&extremes->least);
  byte_plane_clear (&extremes->most);
}

typedef struct {
  const BytePlane *plane;
  BytePlane *turned;
} Turning;

static void
turn_columns (int band, int worker, gpointer data)
{
  const Turning *turning = data;
  gsize width = (gsize) turning->plane->width;
  gsize height = (gsize) turning->plane->height;
  gsize left = (gsize) (band * BAND), right = MIN (left + BAND, width);

  (void) worker;
  for (gsize top = 0; top < height; top += BAND)
    for (gsize x = left; x < right; x++)
      for (gsize y = top; y < MIN (top + BAND, height); y++)
        turning->turned->data[x * height + y] =
          turning->plane->data[y * width + x];
}

gboolean
byte_plane_turn (const BytePlane *plane, BytePlane *turned, GError **error)
{
  Turning turning = { plane, turned };

  if (!byte_plane_init (turned, plane->height, plane->width, error))
    return FALSE;
  parallel_for (bands (plane->width), turn_columns, &turning, NULL, NULL);
  return TRUE;
}

/* ---- windows ---- */

/* Combines @count bytes of @from into those of @to. */
static inline void
combine_line (guint8 *to, const guint8 *from, gsize count, gboolean least)
{
  if (least)
    for (gsize i = 0; i < count; i++)
      to[i] = MIN (to[i], from[i]);
  else
    for (gsize i = 0; i < count; i++)
      to[i] = MAX (to[i], from[i]);
}

/* Least or largest of 2 @reach + 1 pixels along a row. */
static inline void
rank_row (const guint8 *row, guint8 *out, gsize width, int reach,
          gboolean least)
{
  memcpy (out, row, width);
  for (gsize by = 1; by <= (gsize) reach && by < width; by++) {
    combine_line (out, row + by, width - by, least);
    combine_line (out + by, row, width - by, least);
  }
}

CPU_DISPATCH static void
rank_rows (const BytePlane *from, int reach, gboolean least, BytePlane *to)
{
  gsize width = (gsize) from->width;

  for (int y = 0; y < from->height; y++)
    rank_row (from->data + (gsize) y * width, to->data + (gsize) y * width,
              width, reach, least);
}

/* The same along columns. */
CPU_DISPATCH static void
rank_columns (const BytePlane *from, int reach, gboolean least, BytePlane *to)
{
  gsize width = (gsize) from->width;

  memcpy (to->data, from->data, byte_plane_size (from));
  for (int y = 0; y < from->height; y++)
    for (int row = MAX (0, y - reach);
         row <= MIN (y + reach, from->height - 1); row++)
      combine_line (to->data + (gsize) y * width,
                    from->data + (gsize) row * width, width, least);
}

/* A top-hat along rows alone; @scratch has room for two of them. */
CPU_DISPATCH static void
top_hat_of_rows (BytePlane *plane, int across, guint8 *scratch)
{
  gsize width = (gsize) plane->width;
  guint8 *least = scratch, *opening = scratch + width;

  for (int y = 0; y < plane->height; y++) {
    guint8 *row = plane->data + (gsize) y * width;

    rank_row (row, least, width, across, TRUE);
    rank_row (least, opening, width, across, FALSE);
    for (gsize x = 0; x < width; x++)
      row[x] = (guint8) (row[x] - opening[x]);
  }
}

gboolean
byte_plane_top_hat (BytePlane *plane, int across, int down, GError **error)
{
  g_auto (BytePlane) a = { 0 };
  g_auto (BytePlane) b = { 0 };

  if (down == 0) {
    g_autofree guint8 *scratch = g_malloc (2 * (gsize) plane->width);

    top_hat_of_rows (plane, across, scratch);
    return TRUE;
  }
  if (!byte_plane_init (&a, plane->width, plane->height, error)
      || !byte_plane_init (&b, plane->width, plane->height, error))
    return FALSE;
  rank_rows (plane, across, TRUE, &a);
  rank_columns (&a, down, TRUE, &b);
  rank_rows (&b, across, FALSE, &a);
  rank_columns (&a, down, FALSE, &b);
  for (gsize i = 0; i < byte_plane_size (plane); i++)
    plane->data[i] = (guint8) (plane->data[i] - b.data[i]);
  return TRUE;
}

/* Quotients of whole numbers, rounded: for d <= 2 MOST_MEAN + 1 summands of at
 * most 255, (n + d / 2) / d is a product and a shift. */
#define SHIFT 22

static inline guint32
reciprocal (int d)
{
  return ((1u << SHIFT) + (guint32) d - 1) / (guint32) d;
}

static inline guint8
quotient (guint32 n, int d, guint32 factor)
{
  return (guint8) ((n + (guint32) d / 2) * factor >> SHIFT);
}

CPU_DISPATCH static void
mean_of_row (const guint8 *from, guint8 *to, int count, int reach)
{
  guint32 sum = 0, factor = reciprocal (2 * reach + 1);
  int inside = MIN (reach, count), i = 0;

  for (int k = 0; k < inside; k++)
    sum += from[k];
  for (; i < count && (i <= reach || i + reach >= count); i++) {
    if (i + reach < count) {
      sum += from[i + reach];
      inside++;
    }
    if (i - reach - 1 >= 0) {
      sum -= from[i - reach - 1];
      inside--;
    }
    to[i] = quotient (sum, inside, reciprocal (inside));
  }
  for (; i + reach < count; i++) {
    sum += (guint32) from[i + reach] - from[i - reach - 1];
    to[i] = quotient (sum, inside, factor);
  }
  for (; i < count; i++) {
    sum -= from[i - reach - 1];
    inside--;
    to[i] = quotient (sum, inside, reciprocal (inside));
  }
}

/* Adds @row to the sums of the columns, or takes it out. */
static inline void
sum_columns (guint16 *sums, const guint8 *row, gsize width, gboolean add)
{
  if (add)
    for (gsize x = 0; x < width; x++)
      sums[x] = (guint16) (sums[x] + row[x]);
  else
    for (gsize x = 0; x < width; x++)
      sums[x] = (guint16) (sums[x] - row[x]);
}

/* Means along rows, as many as those along columns need at a time: row y is
 * row y % count. */
typedef struct {
  const BytePlane *plane;
  int across, count;
  guint8 *rows;
  guint16 *sums; /* of the columns */
} Means;

static guint8 *
means_row (const Means *m, int y)
{
  return m->rows + (gsize) (y % m->count) * (gsize) m->plane->width;
}

static void
means_add_row (const Means *m, int y)
{
  const BytePlane *plane = m->plane;
  const guint8 *from = plane->data + (gsize) y * (gsize) plane->width;
  guint8 *row = means_row (m, y);

  if (m->across == 0)
    memcpy (row, from, (gsize) plane->width);
  else
    mean_of_row (from, row, plane->width, m->across);
}

CPU_DISPATCH static void
mean_of_columns (const Means *m, BytePlane *to, int reach)
{
  gsize width = (gsize) to->width;
  int height = to->height, inside = 0;

  for (int y = -reach; y < height; y++) {
    guint32 factor;

    if (y + reach < height) {
      means_add_row (m, y + reach);
      sum_columns (m->sums, means_row (m, y + reach), width, TRUE);
      inside++;
    }
    if (y - reach - 1 >= 0) {
      sum_columns (m->sums, means_row (m, y - reach - 1), width, FALSE);
      inside--;
    }
    if (y < 0)
      continue;
    factor = reciprocal (inside);
    for (gsize x = 0; x < width; x++)
      to->data[(gsize) y * width + x] =
        quotient (m->sums[x], inside, factor);
  }
}

gboolean
byte_plane_mean (const BytePlane *plane, int across, int down, BytePlane *mean,
                 GError **error)
{
  gsize width = (gsize) plane->width;
  int count = 2 * down + 2;
  g_autofree guint8 *rows = tessera_try_new (guint8, width * (gsize) count,
                                             "rows of means", error);
  g_autofree guint16 *sums = g_new0 (guint16, width);
  const Means means = { plane, across, count, rows, sums };

  g_assert (across <= MOST_MEAN && down <= MOST_MEAN);
  if (rows == NULL
      || !byte_plane_init (mean, plane->width, plane->height, error))
    return FALSE;
  mean_of_columns (&means, mean, down);
  return TRUE;
}

/* ---- blobs ---- */

/* Most processors divide short numbers several times as fast. */
static inline int
row_of (gsize i, int width)
{
  return i <= G_MAXUINT32 ? (int) ((guint32) i / (guint32) width)
                          : (int) (i / (gsize) width);
}

ImageArea
byte_plane_collect (BytePlane *left, gsize start,
                    gboolean (*joins) (gsize start, gsize pixel,
                                       gconstpointer data),
                    gconstpointer data, List *pixels)
{
  int width = left->width, height = left->height;
  int x0 = width, x1 = 0, y0 = height, y1 = 0;

  list_cut (pixels, 0);
  left->data[start] = 0;
  list_append (pixels, &start, 1);
  for (guint k = 0; k < pixels->len; k++) {
    gsize i = list_at (pixels, gsize, k);
    int y = row_of (i, width), x = (int) (i - (gsize) y * (gsize) width);

    x0 = MIN (x0, x);
    x1 = MAX (x1, x + 1);
    y0 = MIN (y0, y);
    y1 = MAX (y1, y + 1);
    for (int row = MAX (0, y - 1); row <= MIN (y + 1, height - 1); row++)
      for (int col = MAX (0, x - 1); col <= MIN (x + 1, width - 1); col++) {
        gsize j = (gsize) row * (gsize) width + (gsize) col;

        if (left->data[j] && (joins == NULL || joins (start, j, data))) {
          left->data[j] = 0;
          list_append (pixels, &j, 1);
        }
      }
  }
  return (ImageArea){ x0, y0, x1 - x0, y1 - y0 };
}

/* The first from @i on that is not 0, or the size: most are. */
static gsize
next_mark (const BytePlane *plane, gsize i)
{
  const guint8 *data = plane->data;
  gsize size = byte_plane_size (plane);
  guint64 eight = 0;

  for (; eight == 0 && i + sizeof eight <= size; i += sizeof eight)
    memcpy (&eight, data + i, sizeof eight);
  if (eight != 0)
    i -= sizeof eight;
  while (i < size && data[i] == 0)
    i++;
  return i;
}

gboolean
blobs_keep (const BytePlane *marks,
            gboolean (*keep) (const Blob *blob, gpointer data), gpointer data,
            Mask *mask, GError **error)
{
  g_autoptr (List) pixels = list_new (sizeof (gsize), NULL);
  g_auto (BytePlane) left = { 0 };

  if (!byte_plane_init (&left, marks->width, marks->height, error))
    return FALSE;
  memcpy (left.data, marks->data, byte_plane_size (marks));
  for (gsize i = next_mark (&left, 0); i < byte_plane_size (marks);
       i = next_mark (&left, i)) {
    Blob blob = { .marks = marks,
                  .box = byte_plane_collect (&left, i, NULL, NULL, pixels) };

    if (!list_check (pixels, "the pixels of a mark", error))
      return FALSE;
    blob.pixels = (const gsize *) (gpointer) pixels->data;
    blob.count = pixels->len;
    for (gsize k = 0, kept = keep (&blob, data); kept && k < blob.count; k++)
      mask->missing[blob.pixels[k]] = MASK_PIXEL;
  }
  return TRUE;
}

static gboolean
mask_rank (Mask *mask, int reach, gboolean least, GError **error)
{
  BytePlane plane = { mask->width, mask->height, mask->missing };
  g_auto (BytePlane) rows = { 0 };

  if (!byte_plane_init (&rows, mask->width, mask->height, error))
    return FALSE;
  rank_rows (&plane, reach, least, &rows);
  rank_columns (&rows, reach, least, &plane);
  return TRUE;
}

gboolean
mask_grow (Mask *mask, int reach, GError **error)
{
  return mask_rank (mask, reach, FALSE, error);
}

gboolean
mask_shrink (Mask *mask, int reach, GError **error)
{
  return mask_rank (mask, reach, TRUE, error);
}
