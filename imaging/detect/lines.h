/* lines.h - what may be a scratch: long thin lines
 *
 * Lines of up to about 8 pixels in width, lighter or darker than both sides.
 * Steep ones stand out along rows, by a top-hat of a mean over three rows;
 * flat ones are found in the picture turned round.  How clearly a pixel stands
 * out, compared with what is usual nearby, is its evidence e, below 0 where
 * there is none.  Lines are the paths that go by up to a pixel aside in each
 * row and collect the largest sum of evidence:
 *     down (x, y) = max (0, e (x, y) + max of down (x - 1 .. x + 1, y - 1)) ,
 * so that a line goes on through gaps that cost less than what follows.  Found
 * lines are then left out, and lines that cross them are found.
 *
 * Lines are cut into segments, and what is known of scratches makes the
 * features of a segment, taken of itself and of the whole line:
 *   1. they are long;
 *   2. their mean contrast is a multiple of what is usual;
 *   3. they end at once, and on both sides alike: 4 pixels from its middle a
 *      line is as different from the background as 8 pixels away, where waves
 *      and horizons are soft or one-sided;
 *   4. they cover the picture: a scratch of opacity a and shade s turns the
 *      background b into (1 - a) b + a s, so that along the line the variance
 *      shrinks by (1 - a)^2.  The crest of a wave goes with its surroundings;
 *   5. they are grey, and wander a little where edges of things are straight;
 *   6. they are few, where towers and branches have many lines;
 *   7. wires are dark, nearly level and long.
 */
#pragma once

#include "base/list.h"
#include "base/progress.h"
#include "imaging/detect/marks.h"

#define LINE_FEATURES 32

/* A part of a line.  In row @top + i of the plane it covers columns
 * core[i] - left .. core[i] + right. */
typedef struct {
  int top, rows;
  int *core;
  int left, right;
  gboolean turned; /* rows are columns of the picture */
  float features[LINE_FEATURES];
} Segment;

void segment_clear (gpointer segment);

/* The number in the image of the pixel of @segment in row @i at @column. */
static inline gsize
segment_place (const Segment *segment, const Image *image, int i, int column)
{
  int row = segment->top + i;

  return segment->turned ? (gsize) column * (gsize) image->width + (gsize) row
                         : (gsize) row * (gsize) image->width + (gsize) column;
}

/* An array of Segment, in an order that does not depend on threads; NULL with
 * @error set. */
List *lines_find (const Image *image, const Progress *progress,
                  GError **error);
