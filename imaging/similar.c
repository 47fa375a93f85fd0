/* similar.c - distances of many patches at a time, and selection
 *
 * Lanes of a vector are candidates side by side; each adds up its own
 * distance in the order of the header, so that the width of vectors does not
 * show in the result.
 */
#include "imaging/similar.h"

#include "base/cpudispatch.h"
#include "base/error.h"

#include <math.h>

#define LANES 8

/* Lanes behind the last candidate of a row read on: into the next row, or this
 * far behind the last. */
#define MARGIN (LANES - 1)

gboolean
grey_rows_init (GreyRows *self, int width, int height, int rows,
                GError **error)
{
  gsize count = (gsize) rows * (gsize) width;

  *self = (GreyRows){ width, height, rows, NULL };
  self->data =
    tessera_try_new (float, count + MARGIN, "rows of the picture", error);
  if (self->data == NULL)
    return FALSE;
  for (gsize i = count; i < count + MARGIN; i++)
    self->data[i] = NAN;
  return TRUE;
}

void
grey_rows_clear (GreyRows *self)
{
  g_clear_pointer (&self->data, g_free);
}

/* ---- distances ---- */

/* Distances of the patch whose rows are @p from those at @x, x + 1, ..., whose
 * rows are @q. */
static inline void
distances (float *const *p, float *const *q, int x, int patch,
           float sums[LANES])
{
  for (int k = 0; k < LANES; k++)
    sums[k] = 0;
  for (int col = 0; col < patch; col++) {
    float column[LANES] = { 0 };

    for (int row = 0; row < patch; row++) {
      float value = p[row][col];
      const float *others = q[row] + x + col;

      for (int k = 0; k < LANES; k++)
        column[k] += (value - others[k]) * (value - others[k]);
    }
    for (int k = 0; k < LANES; k++)
      sums[k] += column[k];
  }
}

CPU_DISPATCH int
similar_list (const GreyRows *grey, int x, int y, int patch, int radius,
              Candidate *candidates)
{
  int left = MAX (0, x - radius),
      right = MIN (x + radius, grey->width - patch);
  int top = MAX (0, y - radius);
  int bottom = MIN (y + radius, grey->height - patch);
  float *p[LARGEST_SIMILAR], *q[LARGEST_SIMILAR], sums[LANES];
  int count = 0;

  g_return_val_if_fail (patch <= LARGEST_SIMILAR, 0);

  for (int row = 0; row < patch; row++)
    p[row] = grey_rows_at (grey, x, y + row);
  for (int other = top; other <= bottom; other++) {
    for (int row = 0; row < patch; row++)
      q[row] = grey_rows_at (grey, 0, other + row);
    for (int first = left; first <= right; first += LANES) {
      distances (p, q, first, patch, sums);
      for (int k = 0; k < MIN (LANES, right + 1 - first); k++) {
        candidates[count] = (Candidate){ sums[k], first + k, other };
        count += !isnan (sums[k]);
      }
    }
  }
  return count;
}

/* ---- the nearest ---- */

static gboolean
is_before (const Candidate *a, const Candidate *b)
{
  if (a->distance < b->distance || a->distance > b->distance)
    return a->distance < b->distance;
  return a->y != b->y ? a->y < b->y : a->x < b->x;
}

static void
swap (Candidate *a, Candidate *b)
{
  Candidate c = *a;

  *a = *b;
  *b = c;
}

/* Hoare's selection. */
int
similar_select (Candidate *c, int count, int most)
{
  int low = 0, high = count - 1;

  while (most < count && low < high) {
    Candidate pivot = c[(low + high) / 2];
    int i = low, j = high;

    while (i <= j) {
      while (is_before (&c[i], &pivot))
        i++;
      while (is_before (&pivot, &c[j]))
        j--;
      if (i <= j)
        swap (&c[i++], &c[j--]);
    }
    if (most - 1 <= j)
      high = j;
    else if (most - 1 >= i)
      low = i;
    else
      break;
  }
  return MIN (count, most);
}

/* By insertion: there are few. */
void
similar_sort (Candidate *c, int count)
{
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && is_before (&c[j], &c[j - 1]); j--)
      swap (&c[j], &c[j - 1]);
}
