#include "imaging/distance.h"

#include <string.h>

/* To a neighbour across a corner. */
#define DIAGONAL 4

static guint16
nearer (guint16 have, guint16 neighbour, int step)
{
  return (guint16) MIN (have, MIN (neighbour + step, CHAMFER_FAR));
}

/* The first column from @x on that is not 0, or @width.  Most are, in a
 * picture of which little is missing. */
static inline int
next_far (const guint16 *row, int x, int width)
{
  guint64 four = 0;

  for (; four == 0 && x + 4 <= width; x += 4)
    memcpy (&four, row + x, sizeof four);
  if (four != 0)
    x -= 4;
  while (x < width && row[x] == 0)
    x++;
  return x;
}

/* The same backwards; -1 for none. */
static inline int
next_far_back (const guint16 *row, int x)
{
  guint64 four = 0;

  for (; four == 0 && x >= 3; x -= 4)
    memcpy (&four, row + x - 3, sizeof four);
  if (four != 0)
    x += 4;
  while (x >= 0 && row[x] == 0)
    x--;
  return x;
}

/* Propagates distances from the previous row of a sweep.  @before may be
 * NULL. */
static void
sweep_from_row (guint16 *row, const guint16 *before, int width)
{
  if (before == NULL)
    return;
  for (int x = next_far (row, 0, width); x < width;
       x = next_far (row, x + 1, width)) {
    row[x] = nearer (row[x], before[x], CHAMFER_PIXEL);
    if (x > 0)
      row[x] = nearer (row[x], before[x - 1], DIAGONAL);
    if (x < width - 1)
      row[x] = nearer (row[x], before[x + 1], DIAGONAL);
  }
}

static void
sweep_along_row (guint16 *row, int width)
{
  for (int x = next_far (row, 1, width); x < width;
       x = next_far (row, x + 1, width))
    row[x] = nearer (row[x], row[x - 1], CHAMFER_PIXEL);
  for (int x = next_far_back (row, width - 2); x >= 0;
       x = next_far_back (row, x - 1))
    row[x] = nearer (row[x], row[x + 1], CHAMFER_PIXEL);
}

void
chamfer_distances (guint16 *distance, int width, int height)
{
  for (int y = 0; y < height; y++) {
    guint16 *row = distance + (gsize) y * (gsize) width;

    sweep_from_row (row, y > 0 ? row - width : NULL, width);
    sweep_along_row (row, width);
  }
  for (int y = height - 2; y >= 0; y--) {
    guint16 *row = distance + (gsize) y * (gsize) width;

    sweep_from_row (row, row + width, width);
    sweep_along_row (row, width);
  }
}
