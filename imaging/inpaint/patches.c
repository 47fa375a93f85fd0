#include "imaging/inpaint/patches.h"

#include "base/cpudispatch.h"
#include "base/parallel.h"
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

/* Adds @sign for each of @count columns with a wanted pixel. */
CPU_DISPATCH static void
count_row (guint8 *restrict columns, const guint8 *restrict wanted, int count,
           int sign)
{
  for (int x = 0; x < count; x++)
    columns[x] = (guint8) (columns[x] + (wanted[x] != 0 ? sign : 0));
}

/* Adds @sign for every wanted pixel of rows @from .. @to - 1 to the counts of
 * the columns in @span.  No patch has so many rows that a byte is too small. */
static void
count_rows (guint8 *columns, const RowWindow *window, Span span, int from,
            int to, int sign)
{
  for (int y = from; y < MIN (to, window->height); y++)
    count_row (columns + span.left, row_window_wanted (window, span.left, y),
               span.right - span.left, sign);
}

static void
places_of_row (List *places, const RowWindow *window, const guint8 *columns,
               Span span, int y, const ShiftedGrid *grid)
{
  int end = place_after (span.right, window->width, grid);
  int next = 0; /* column that counts, or the first not looked at */

  for (int i = place_after (span.left, window->width, grid); i < end; i++) {
    Place place = { place_number (i, window->width, grid), y };
    int right = MIN (place.x + grid->patch, window->width);

    next = MAX (next, place.x);
    while (next < right && columns[next] == 0)
      next++;
    if (next < right)
      list_append (places, &place, 1);
  }
}

List *
patch_places_shifted (const RowWindow *window, const PlaceGrid *plain,
                      int shift, int top, int bottom, GError **error)
{
  const ShiftedGrid shifted = { plain->patch, plain->step, shift };
  const ShiftedGrid *grid = &shifted;
  const GArray *spans = canvas_spans (window->canvas, top);
  g_autoptr (List) places = list_new (sizeof (Place), NULL);
  g_autofree guint8 *columns = g_new0 (guint8, window->width);
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
  return list_check (places, "the places of patches", error)
           ? g_steal_pointer (&places)
           : NULL;
}

List *
patch_places (const RowWindow *window, const PlaceGrid *grid, int top,
              int bottom, GError **error)
{
  return patch_places_shifted (window, grid, 0, top, bottom, error);
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
  gsize plane = (gsize) window->rows * (gsize) window->width;
  int row = place.y % window->rows;

  for (int i = 0; i < patch; i++, y += patch) {
    const float *from =
      window->values + (gsize) row * (gsize) window->width + place.x;

    for (int c = 0; c < window->channels; c++)
      memcpy (y + c * patch * patch, from + (gsize) c * plane,
              (gsize) patch * sizeof (float));
    row = row + 1 < window->rows ? row + 1 : 0;
  }
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

/* The wanted ones of columns @x .. @x + @count - 1, at most WORD, of row @y. */
static inline guint64
marks_of (const RowWindow *window, int x, int y, int count)
{
  return row_window_marks (window, x, y)
         & (count < WORD ? ((guint64) 1 << count) - 1 : G_MAXUINT64);
}

void
patch_add (RowWindow *window, Place place, int patch, int channel,
           const float *y, float weight)
{
  int cols = MIN (patch, window->width - place.x);
  int rows = MIN (patch, window->height - place.y);

  for (int row = 0; row < rows; row++)
    for (int x = 0; x < cols; x += WORD) {
      gsize first = row_window_pixel (window, place.x + x, place.y + row);
      guint64 marks =
        marks_of (window, place.x + x, place.y + row, MIN (cols - x, WORD));

      for (; marks != 0; marks &= marks - 1) {
        int i = __builtin_ctzll (marks);
        float *totals = row_window_totals (window, first + (gsize) i) + channel;

        totals[0] += weight * y[row * patch + x + i];
        totals[window->channels] += weight;
      }
    }
}

guint32
patch_wanted_rows (const RowWindow *window, Place place, int patch)
{
  guint32 rows = 0;

  for (int row = 0; row < patch; row++)
    if (marks_of (window, place.x, place.y + row, patch) != 0)
      rows |= (guint32) 1 << row;
  return rows;
}

/* ---- votes ---- */

void
votes_reset (Votes *self)
{
  for (int i = 0; i < VOTE_PARTS; i++)
    self->parts[i].count = 0;
}

void
votes_clear (Votes *self)
{
  for (int i = 0; i < VOTE_PARTS; i++)
    g_clear_pointer (&self->parts[i].votes, g_free);
}

/* Makes room for @count more. */
static inline Vote *
list_end (VoteList *list, int count)
{
  if (list->count + (gsize) count > list->room) {
    list->room = 2 * list->room + (gsize) count;
    list->votes = g_renew (Vote, list->votes, list->room);
  }
  return list->votes + list->count;
}

void
votes_cast (Votes *self, const RowWindow *window, Place place, int patch,
            const float *y, float weight)
{
  int plane = patch * patch;

  for (int row = 0; row < patch; row++, y += patch) {
    guint64 marks = marks_of (window, place.x, place.y + row, patch);
    gsize first = row_window_pixel (window, place.x, place.y + row);
    VoteList *list = &self->parts[(place.y + row) % VOTE_PARTS];
    Vote *vote = marks != 0 ? list_end (list, patch) : NULL;

    for (; marks != 0; marks &= marks - 1, vote++, list->count++) {
      int x = __builtin_ctzll (marks);

      vote->pixel = (guint32) first + (guint32) x;
      vote->weight = weight;
      for (int c = 0; c < window->channels; c++)
        vote->values[c] = y[c * plane + x];
    }
  }
}

typedef struct {
  const Votes *lists;
  int count;
  RowWindow *window;
} Counting;

static inline void
count_list (const VoteList *list, RowWindow *window, int channels)
{
  for (gsize i = 0; i < list->count; i++) {
    const Vote *vote = &list->votes[i];
    float *sums = row_window_totals (window, vote->pixel);

    for (int c = 0; c < channels; c++) {
      sums[c] += vote->weight * vote->values[c];
      sums[channels + c] += vote->weight;
    }
  }
}

static void
count_part (int part, int worker, gpointer data)
{
  const Counting *counting = data;
  RowWindow *window = counting->window;

  (void) worker;
  for (int i = 0; i < counting->count; i++)
    if (window->channels == 3)
      count_list (&counting->lists[i].parts[part], window, 3);
    else
      count_list (&counting->lists[i].parts[part], window, window->channels);
}

void
votes_count (const Votes *lists, int count, RowWindow *window)
{
  Counting counting = { lists, count, window };

  parallel_for (VOTE_PARTS, count_part, &counting, NULL, NULL);
}
