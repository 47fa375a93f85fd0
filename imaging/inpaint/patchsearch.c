#include "imaging/inpaint/patchsearch.h"

#include "base/cpudispatch.h"
#include "base/error.h"

#include <math.h>

gboolean
patch_search_init (PatchSearch *self, const RowWindow *window, GError **error)
{
  gsize count = (gsize) window->rows * (gsize) window->width;

  self->window = window;
  self->grey = tessera_try_new (float, count, "rows of the picture", error);
  return self->grey != NULL;
}

void
patch_search_clear (PatchSearch *self)
{
  g_clear_pointer (&self->grey, g_free);
}

static const float *
grey_at (const PatchSearch *self, int x, int y)
{
  return self->grey + row_window_offset (self->window, 0, x, y);
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
    const GArray *spans = canvas_spans (w->canvas, y);

    for (guint i = 0; i < spans->len; i++) {
      Span span = g_array_index (spans, Span, i);

      for (int x = span.left; x < span.right; x++)
        self->grey[row_window_offset (w, 0, x, y)] =
          mean_of_channels (w, x, y);
    }
  }
}

static inline float
sum_of (const float *numbers, int count)
{
  float sum = 0;

  for (int i = 0; i < count; i++)
    sum += numbers[i];
  return sum;
}

/* NAN if either patch holds a sample of which nothing is known.  What exceeds
 * @most need not be exact: a third of the rows often tells.  Summed column by
 * column, which the compiler turns into vectors. */
static inline float
distance (const PatchSearch *self, Place a, Place b, int patch, float most)
{
  float columns[LARGEST_SIMILAR] = { 0 };

  for (int row = 0; row < patch; row++) {
    const float *p = grey_at (self, a.x, a.y + row);
    const float *q = grey_at (self, b.x, b.y + row);

    for (int x = 0; x < patch; x++)
      columns[x] += (p[x] - q[x]) * (p[x] - q[x]);
    if (row == patch / 3 && sum_of (columns, patch) > most)
      return INFINITY;
  }
  return sum_of (columns, patch);
}

/* Puts @place into the list of the best, which is sorted from the second on.
 */
static int
insert (Place *found, float *distances, int have, int count, Place place,
        float far)
{
  int at = have < count ? have : count - 1;

  while (at > 1 && distances[at - 1] > far) {
    distances[at] = distances[at - 1];
    found[at] = found[at - 1];
    at--;
  }
  distances[at] = far;
  found[at] = place;
  return MIN (have + 1, count);
}

CPU_DISPATCH void
patch_search_find (const PatchSearch *self, Place place, int patch, int radius,
                   Place *found, int count)
{
  const RowWindow *w = self->window;
  int right = MIN (place.x + radius, w->width - patch);
  int bottom = MIN (place.y + radius, w->height - patch);
  float distances[MOST_SIMILAR];
  int have = 1;

  g_return_if_fail (count <= MOST_SIMILAR);
  g_return_if_fail (patch <= LARGEST_SIMILAR);

  found[0] = place;
  for (int y = MAX (0, place.y - radius); count > 1 && y <= bottom; y++)
    for (int x = MAX (0, place.x - radius); x <= right; x++) {
      float most = have < count ? INFINITY : distances[count - 1];
      float far = distance (self, place, (Place){ x, y }, patch, most);

      if (far < most && (x != place.x || y != place.y))
        have = insert (found, distances, have, count, (Place){ x, y }, far);
    }
  for (; have < count; have++)
    found[have] = place;
}
