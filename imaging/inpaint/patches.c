#include "imaging/inpaint/patches.h"

#include "base/cpudispatch.h"
#include "imaging/patchgrid.h"

#include <string.h>

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

void
patch_copy (const RowWindow *window, Place place, int patch, float *y)
{
  for (int c = 0; c < window->channels; c++)
    for (int row = 0; row < patch; row++, y += patch)
      memcpy (y,
              window->values
                + row_window_offset (window, c, place.x, place.y + row),
              (gsize) patch * sizeof (float));
}

CPU_DISPATCH void
patch_add (RowWindow *window, Place place, int patch, int channel,
           const float *y, float weight)
{
  int cols = MIN (patch, window->width - place.x);
  int rows = MIN (patch, window->height - place.y);

  for (int row = 0; row < rows; row++) {
    gsize at = row_window_offset (window, channel, place.x, place.y + row);

    for (int x = 0; x < cols; x++) {
      window->sums[at + x] += weight * y[row * patch + x];
      window->weights[at + x] += weight;
    }
  }
}
