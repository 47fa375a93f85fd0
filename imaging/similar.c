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
#include <string.h>

#define LANES SIMILAR_LANES

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

/* Must be compiled with the functions below, for the CPU they are for. */
#define INSIDE static inline __attribute__ ((always_inline))

/* Written as vectors: compilers do not see them in loops over LANES. */
typedef float Floats __attribute__ ((vector_size (LANES * sizeof (float)),
                                     aligned (4), may_alias));
typedef gint32 Ints __attribute__ ((vector_size (LANES * sizeof (gint32)),
                                    aligned (4), may_alias));

/* Distances of the patch whose rows are @p from those at @x, x + 1, ..., whose
 * rows are @q. */
INSIDE void
distances (float *const *p, float *const *q, int x, int patch, Floats *sums)
{
  Floats all = { 0 };

  for (int col = 0; col < patch; col++) {
    Floats column = { 0 };

    for (int row = 0; row < patch; row++) {
      Floats d = p[row][col] - *(const Floats *) (q[row] + x + col);

      column += d * d;
    }
    all += column;
  }
  *sums = all;
}

CPU_DISPATCH int
similar_list (const GreyRows *grey, int x, int y, int patch, int radius,
              Candidate *candidates)
{
  int left = MAX (0, x - radius),
      right = MIN (x + radius, grey->width - patch);
  int top = MAX (0, y - radius);
  int bottom = MIN (y + radius, grey->height - patch);
  float *p[LARGEST_SIMILAR], *q[LARGEST_SIMILAR];
  Floats sums;
  int count = 0;

  g_return_val_if_fail (patch <= LARGEST_SIMILAR, 0);

  for (int row = 0; row < patch; row++)
    p[row] = grey_rows_at (grey, x, y + row);
  for (int other = top; other <= bottom; other++) {
    for (int row = 0; row < patch; row++)
      q[row] = grey_rows_at (grey, 0, other + row);
    for (int first = left; first <= right; first += LANES) {
      distances (p, q, first, patch, &sums);
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

/* ---- both at once ---- */

/* The patches around one: @rows rows of @stride distances each, of which the
 * first @columns count. */
typedef struct {
  int left, top, columns, rows, stride;
} Around;

/* Keeps the first @count distances that are known; all others become
 * infinite. */
INSIDE void
keep_known (const Floats *sums, int count, float *to)
{
  static const Ints lane = { 0, 1, 2, 3, 4, 5, 6, 7 };
  static const Floats infinite = { INFINITY, INFINITY, INFINITY, INFINITY,
                                   INFINITY, INFINITY, INFINITY, INFINITY };
  Ints known = (*sums < infinite) & (lane < count);

  *(Ints *) (gpointer) to = (known & *(const Ints *) sums)
                            | (~known & *(const Ints *) &infinite);
}

/* Inlined with a side that is known, it needs no loops over a patch. */
INSIDE void
measure (const GreyRows *grey, int x, int y, int patch, const Around *around,
         float *to)
{
  float *p[LARGEST_SIMILAR], *q[LARGEST_SIMILAR];
  Floats sums;

  for (int row = 0; row < patch; row++)
    p[row] = grey_rows_at (grey, x, y + row);
  for (int other = 0; other < around->rows; other++) {
    for (int row = 0; row < patch; row++)
      q[row] = grey_rows_at (grey, around->left, around->top + other + row);
    for (int first = 0; first < around->stride; first += LANES, to += LANES) {
      distances (p, q, first, patch, &sums);
      keep_known (&sums, around->columns - first, to);
    }
  }
}

INSIDE int
count_up_to (const gint32 *numbers, int count, gint32 most)
{
  int sum = 0;

  for (int i = 0; i < count; i++)
    sum += numbers[i] <= most;
  return sum;
}

/* A threshold for the distances to keep, and how many of those equal to it. */
typedef struct {
  gint32 most;
  int equal;
} Threshold;

/* Floats from 0 on are in the order of their bits, so that their threshold can
 * be found by halving, a bit at a time; mostly it ends far sooner. */
INSIDE Threshold
find_threshold (const gint32 *numbers, int count, int most)
{
  gint32 low = -1, high = 0x7f7fffff; /* the largest float */
  int below = 0, up_to = count_up_to (numbers, count, high);

  while (up_to > most && high - low > 1) {
    gint32 middle = low + (high - low) / 2;
    int here = count_up_to (numbers, count, middle);

    if (here < most) {
      low = middle;
      below = here;
    } else {
      high = middle;
      up_to = here;
    }
  }
  return (Threshold){ high, up_to > most ? most - below : up_to };
}

/* Lists what is within @threshold. */
INSIDE int
gather (const float *distances, const gint32 *numbers, const Around *around,
        Threshold threshold, Candidate *nearest)
{
  int count = 0;

  for (int i = 0; i < around->rows * around->stride; i += LANES) {
    guint8 near[LANES];
    guint64 eight;

    for (int k = 0; k < LANES; k++)
      near[k] = numbers[i + k] <= threshold.most;
    memcpy (&eight, near, LANES);
    for (int k = 0; eight != 0 && k < LANES; k++) {
      if (!near[k]
          || (numbers[i + k] == threshold.most && threshold.equal-- <= 0))
        continue;
      nearest[count++] =
        (Candidate){ distances[i + k], around->left + (i + k) % around->stride,
                     around->top + (i + k) / around->stride };
    }
  }
  return count;
}

CPU_DISPATCH int
similar_nearest (const GreyRows *grey, int x, int y, int patch, int radius,
                 int most, float *distances, Candidate *nearest)
{
  int left = MAX (0, x - radius), top = MAX (0, y - radius);
  Around around = { .left = left, .top = top };
  gint32 *numbers = (gint32 *) (gpointer) distances;

  g_return_val_if_fail (patch <= LARGEST_SIMILAR, 0);

  around.columns = MIN (x + radius, grey->width - patch) - left + 1;
  around.rows = MIN (y + radius, grey->height - patch) - top + 1;
  around.stride = (around.columns + LANES - 1) / LANES * LANES;
  if (patch == 5)
    measure (grey, x, y, 5, &around, distances);
  else
    measure (grey, x, y, patch, &around, distances);
  return gather (distances, numbers, &around,
                 find_threshold (numbers, around.rows * around.stride, most),
                 nearest);
}

/* By insertion: there are few. */
void
similar_sort (Candidate *c, int count)
{
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && is_before (&c[j], &c[j - 1]); j--)
      swap (&c[j], &c[j - 1]);
}
