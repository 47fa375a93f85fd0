/* patchgrid.h - positions of overlapping patches in a picture
 *
 * Along a side of @length pixels, patches of @patch pixels are @step apart, and
 * the last one is flush with the edge; where @length is less than @patch, there
 * is one, at 0.
 */
#pragma once

#include <glib.h>

/* Coordinate of the last place. */
static inline int
grid_last (int length, int patch)
{
  return MAX (0, length - patch);
}

/* Number of places. */
static inline int
grid_places (int length, int patch, int step)
{
  return (grid_last (length, patch) + step - 1) / step + 1;
}

/* Coordinate of place number @i. */
static inline int
grid_place (int i, int length, int patch, int step)
{
  return MIN (i * step, grid_last (length, patch));
}

/* Number of the first place at or after coordinate @from. */
static inline int
grid_place_after (int from, int length, int patch, int step)
{
  int last = grid_places (length, patch, step) - 1;
  int number = (MAX (0, from) + step - 1) / step;

  if (number >= last)
    return from <= grid_last (length, patch) ? last : last + 1;
  return number;
}
