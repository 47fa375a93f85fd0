/* similar.h - patches of a picture that look like a given one
 *
 * The distance of two patches p and q of s x s pixels is
 *
 *     sum_x ( sum_y (p_xy - q_xy)^2 ),
 *
 * rounded in this order, on a grey copy of the picture that may hold only some
 * of its rows.  What has been searched near a patch is a list of candidates,
 * from which the nearest are selected.
 */
#pragma once

#include <glib.h>

/* Rows of a grey picture; row y is row y % rows of the data.  A pixel of which
 * nothing is known is NAN, and no patch that holds it is like another. */
typedef struct {
  int width, height; /* of the picture */
  int rows;
  float *data;
} GreyRows;

/* FALSE with @error set (MEMORY) when there is not enough. */
gboolean grey_rows_init (GreyRows *self, int width, int height, int rows,
                         GError **error);
void grey_rows_clear (GreyRows *self);

static inline float *
grey_rows_at (const GreyRows *self, int x, int y)
{
  return self->data + (gsize) (y % self->rows) * (gsize) self->width + x;
}

#define LARGEST_SIMILAR 32 /* side of a patch */

typedef struct {
  float distance;
  int x, y; /* upper left corner of the patch */
} Candidate;

/* Most candidates within @radius pixels. */
static inline int
similar_most (int radius)
{
  return (2 * radius + 1) * (2 * radius + 1);
}

/* Lists all patches within @radius of the one at (@x, @y), itself among them,
 * row after row.  Returns their number. */
int similar_list (const GreyRows *grey, int x, int y, int patch, int radius,
                  Candidate *candidates);

/* Brings the nearest @most of @count candidates, in some order, to the front.
 * Returns how many there are, @most or @count. */
int similar_select (Candidate *candidates, int count, int most);

/* Finds the nearest @most of what similar_list() lists, in the order of that
 * list, and returns how many there are: the same as similar_select() chooses, in
 * a fraction of the time.  @distances has room for similar_room() numbers,
 * @nearest for @most. */
int similar_nearest (const GreyRows *grey, int x, int y, int patch, int radius,
                     int most, float *distances, Candidate *nearest);

#define SIMILAR_LANES 8

static inline int
similar_room (int radius)
{
  int across = 2 * radius + 1;

  return across * ((across + SIMILAR_LANES - 1) / SIMILAR_LANES
                   * SIMILAR_LANES);
}

/* Puts candidates into order, the nearest first.  Of equals the upper left one
 * comes first, here and above, so that the choice is the same in any part of a
 * picture. */
void similar_sort (Candidate *candidates, int count);
