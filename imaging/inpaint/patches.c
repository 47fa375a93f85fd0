#include "imaging/inpaint/patches.h"

#include "base/cpudispatch.h"
#include "base/parallel.h"
#include "imaging/patchgrid.h"

#include <string.h>

/* Rows that are added to at a time by as many threads are this far apart. */
#define ADD_PARTS 4

/* ---- places ---- */

/* A shifted grid is that of a picture larger by the shift; its first place is
 * moved back to the edge. */
typedef struct {
  int patch, step, shift;
} ShiftedGrid;

/* Where there is but one place, it stays. */
static int
shift_of (int length, const ShiftedGrid *grid)
{
  return grid_last (length, grid->patch) > 0 ? grid->shift : 0;
}

static int
place_after (int from, int length, const ShiftedGrid *grid)
{
  int shift = shift_of (length, grid);

  return from <= 0 ? 0
                   : grid_place_after (from + shift, length + shift,
                                       grid->patch, grid->step);
}

static int
place_number (int number, int length, const ShiftedGrid *grid)
{
  int shift = shift_of (length, grid);

  return MAX (
    0, grid_place (number, length + shift, grid->patch, grid->step) - shift);
}

/* Adds @sign for every wanted pixel of rows @from .. @to - 1 to the counts of
 * the columns in @span. */
static void
count_rows (int *columns, const RowWindow *window, Span span, int from, int to,
            int sign)
{
  for (int y = from; y < MIN (to, window->height); y++) {
    const guint8 *wanted = row_window_wanted (window, 0, y);

    for (int x = span.left; x < span.right; x++)
      columns[x] += wanted[x] != 0 ? sign : 0;
  }
}

static void
places_of_row (GArray *places, const RowWindow *window, const int *columns,
               Span span, int y, const ShiftedGrid *grid)
{
  int end = place_after (span.right, window->width, grid);

  for (int i = place_after (span.left, window->width, grid); i < end; i++) {
    Place place = { place_number (i, window->width, grid), y };
    int right = MIN (place.x + grid->patch, window->width);

    for (int x = place.x; x < right; x++)
      if (columns[x] > 0) {
        g_array_append_val (places, place);
        break;
      }
  }
}

GArray *
patch_places_shifted (const RowWindow *window, const PlaceGrid *plain,
                      int shift, int top, int bottom)
{
  const ShiftedGrid shifted = { plain->patch, plain->step, shift };
  const ShiftedGrid *grid = &shifted;
  const GArray *spans = canvas_spans (window->canvas, top);
  GArray *places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autofree int *columns = g_new0 (int, window->width);
  int end = place_after (bottom, window->height, grid);
  int above = top, below = top; /* rows now counted */

  for (int i = place_after (top, window->height, grid); i < end; i++) {
    int y = place_number (i, window->height, grid);

    for (guint s = 0; s < spans->len; s++) {
      Span span = g_array_index (spans, Span, s);

      count_rows (columns, window, span, below, y + grid->patch, 1);
      count_rows (columns, window, span, above, y, -1);
      places_of_row (places, window, columns, span, y, grid);
    }
    above = y;
    below = y + grid->patch;
  }
  return places;
}

GArray *
patch_places (const RowWindow *window, const PlaceGrid *grid, int top,
              int bottom)
{
  return patch_places_shifted (window, grid, 0, top, bottom);
}

/* ---- samples ---- */

void
patch_get (const RowWindow *window, Place place, int patch, int first,
           int count, float *y, float *w)
{
  int cols = MIN (patch, window->width - place.x);
  int rows = MIN (patch, window->height - place.y);

  if (cols < patch || rows < patch) {
    memset (y, 0, (gsize) (patch * patch * count) * sizeof (float));
    memset (w, 0, (gsize) (patch * patch * count) * sizeof (float));
  }
  for (int c = 0; c < count; c++)
    for (int row = 0; row < rows; row++) {
      gsize at = row_window_offset (window, first + c, place.x, place.y + row);
      int to = (c * patch + row) * patch;

      for (int x = 0; x < cols; x++) {
        w[to + x] = window->trust[at + x];
        y[to + x] = w[to + x] > 0 ? window->values[at + x] : 0;
      }
    }
}

/* Inlined with a side that is known, copies are moves of registers. */
static inline void
copy_patch (const RowWindow *window, Place place, int patch, float *y)
{
  for (int c = 0; c < window->channels; c++)
    for (int row = 0; row < patch; row++, y += patch)
      memcpy (y,
              window->values
                + row_window_offset (window, c, place.x, place.y + row),
              (gsize) patch * sizeof (float));
}

CPU_DISPATCH void
patch_copy (const RowWindow *window, Place place, int patch, float *y)
{
  switch (patch) {
  case 5:
    copy_patch (window, place, 5, y);
    break;
  case 6:
    copy_patch (window, place, 6, y);
    break;
  case 10:
    copy_patch (window, place, 10, y);
    break;
  case 16:
    copy_patch (window, place, 16, y);
    break;
  default:
    copy_patch (window, place, patch, y);
  }
}

/* Of columns that a word of marks has. */
#define WORD 64

/* Where this share of the columns of a row is wanted, all are added to: what
 * the others sum up to is never read. */
#define MANY_SHARE 3

static inline void
add_columns (RowWindow *window, gsize at, const float *y, float weight,
             guint64 marks, int cols)
{
  if (__builtin_popcountll (marks) * MANY_SHARE >= cols) {
    for (int x = 0; x < cols; x++) {
      window->sums[at + x] += weight * y[x];
      window->weights[at + x] += weight;
    }
    return;
  }
  for (; marks != 0; marks &= marks - 1) {
    int x = __builtin_ctzll (marks);

    window->sums[at + x] += weight * y[x];
    window->weights[at + x] += weight;
  }
}

/* Adds @count channels of one row of a patch. */
static inline void
add_row (RowWindow *window, Place place, int row, int patch, int first,
         int count, const float *y, float weight)
{
  int cols = MIN (patch, window->width - place.x);

  for (int x = 0; x < cols; x += WORD) {
    int some = MIN (cols - x, WORD);
    guint64 marks =
      row_window_marks (window, place.x + x, place.y + row)
      & (some < WORD ? ((guint64) 1 << some) - 1 : G_MAXUINT64);

    for (int c = 0; c < count && marks != 0; c++)
      add_columns (
        window,
        row_window_offset (window, first + c, place.x + x, place.y + row),
        y + (c * patch + row) * patch + x, weight, marks, some);
  }
}

CPU_DISPATCH void
patch_add (RowWindow *window, Place place, int patch, int channel,
           const float *y, float weight)
{
  int rows = MIN (patch, window->height - place.y);

  for (int row = 0; row < rows; row++)
    add_row (window, place, row, patch, channel, 1, y, weight);
}

/* ---- many at a time ---- */

CPU_DISPATCH static void
add_part (int part, int worker, gpointer data)
{
  const PatchBatch *batch = data;
  RowWindow *window = batch->window;
  int patch = batch->patch, samples = patch * patch * window->channels;

  (void) worker;
  for (int p = 0; p < batch->count; p++) {
    Place place = batch->places[p];
    const float *y = batch->samples + (gsize) p * (gsize) samples;
    int rows = MIN (patch, window->height - place.y);
    int first = (part - place.y % ADD_PARTS + ADD_PARTS) % ADD_PARTS;

    if (batch->weights[p] > 0)
      for (int row = first; row < rows; row += ADD_PARTS)
        add_row (window, place, row, patch, 0, window->channels, y,
                 batch->weights[p]);
  }
}

void
patches_add (PatchBatch *batch)
{
  parallel_for (ADD_PARTS, add_part, batch, NULL, NULL);
}
