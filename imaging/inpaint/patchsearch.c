#include "imaging/inpaint/patchsearch.h"

#include "base/parallel.h"

#include <math.h>

/* Of distances that are looked at. */
#define ACROSS (2 * MOST_RADIUS + 1)
#define ROOM (ACROSS * (ACROSS + SIMILAR_LANES - 1))

gboolean
patch_search_init (PatchSearch *self, const RowWindow *window, GError **error)
{
  self->window = window;
  return grey_rows_init (&self->grey, window->width, window->height,
                         window->rows, error);
}

void
patch_search_clear (PatchSearch *self)
{
  grey_rows_clear (&self->grey);
}

static float
mean_of_channels (const RowWindow *w, int x, int y)
{
  float sum = 0;

  for (int c = 0; c < w->channels; c++) {
    gsize at = row_window_offset (w, c, x, y);

    sum += w->trust[at] > 0 ? w->values[at] : NAN;
  }
  return sum / (float) w->channels;
}

/* Rows that a thread updates at a time. */
#define ROWS 8

typedef struct {
  PatchSearch *search;
  int top, bottom;
} Updating;

static void
update_rows (int chunk, int worker, gpointer data)
{
  const Updating *updating = data;
  PatchSearch *self = updating->search;
  const RowWindow *w = self->window;
  int top = updating->top + chunk * ROWS;

  (void) worker;
  for (int y = top; y < MIN (top + ROWS, updating->bottom); y++) {
    const GArray *spans = canvas_row_spans (w->canvas, y);

    for (guint i = 0; i < spans->len; i++) {
      Span span = g_array_index (spans, Span, i);

      for (int x = span.left; x < span.right; x++)
        *grey_rows_at (&self->grey, x, y) = mean_of_channels (w, x, y);
    }
  }
}

void
patch_search_update (PatchSearch *self, int top, int bottom)
{
  Updating updating = { self, MAX (0, top),
                        MIN (bottom, self->window->height) };

  parallel_for ((updating.bottom - updating.top + ROWS - 1) / ROWS,
                update_rows, &updating, NULL, NULL);
}

/* Puts @place first, which may be left out where others are equal to it, and
 * the others into order. */
static int
put_first (Place place, Candidate *candidates, int all)
{
  int own = 0;

  while (own < all - 1
         && (candidates[own].x != place.x || candidates[own].y != place.y))
    own++;
  candidates[own] = (Candidate){ -1, place.x, place.y };
  similar_sort (candidates, all);
  return all;
}

void
patch_search_find (const PatchSearch *self, Place place, int patch, int radius,
                   Place *found, int count)
{
  float distances[ROOM];
  Candidate candidates[MOST_SIMILAR];
  int all, have = 1;

  g_return_if_fail (count <= MOST_SIMILAR && radius <= MOST_RADIUS);

  found[0] = place;
  if (count > 1) {
    all = similar_nearest (&self->grey, place.x, place.y, patch, radius, count,
                           distances, candidates);
    all = put_first (place, candidates, all);
    for (; have < all; have++)
      found[have] = (Place){ candidates[have].x, candidates[have].y };
  }
  for (; have < count; have++)
    found[have] = place;
}
