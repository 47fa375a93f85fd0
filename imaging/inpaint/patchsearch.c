#include "imaging/inpaint/patchsearch.h"

#include <math.h>

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

void
patch_search_update (PatchSearch *self, int top, int bottom)
{
  const RowWindow *w = self->window;

  for (int y = MAX (0, top); y < MIN (bottom, w->height); y++) {
    const GArray *spans = canvas_row_spans (w->canvas, y);

    for (guint i = 0; i < spans->len; i++) {
      Span span = g_array_index (spans, Span, i);

      for (int x = span.left; x < span.right; x++)
        *grey_rows_at (&self->grey, x, y) = mean_of_channels (w, x, y);
    }
  }
}

void
patch_search_find (const PatchSearch *self, Place place, int patch, int radius,
                   Place *found, int count)
{
  Candidate candidates[(2 * MOST_RADIUS + 1) * (2 * MOST_RADIUS + 1)];
  int all, have = 1;

  g_return_if_fail (count <= MOST_SIMILAR && radius <= MOST_RADIUS);

  found[0] = place;
  if (count > 1) {
    all =
      similar_list (&self->grey, place.x, place.y, patch, radius, candidates);
    for (int i = 0; i < all; i++)
      if (candidates[i].x == place.x && candidates[i].y == place.y)
        candidates[i].distance = -1; /* before those that are equal */
    all = similar_select (candidates, all, count);
    similar_sort (candidates, all);
    for (; have < all; have++)
      found[have] = (Place){ candidates[have].x, candidates[have].y };
  }
  for (; have < count; have++)
    found[have] = place;
}
