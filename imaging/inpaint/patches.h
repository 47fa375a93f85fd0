/* patches.h - patches out of the window of a canvas, and back with weights
 *
 * A place is the upper left corner of a patch.  A patch may extend beyond the
 * right and lower edge of a picture that is smaller than it; its samples there
 * have no weight.
 */
#pragma once

#include "base/list.h"
#include "imaging/inpaint/canvas.h"

typedef struct {
  int x, y;
} Place;

typedef struct {
  int patch; /* side of a patch */
  int step;  /* from one place to the next */
} PlaceGrid;

/* The places of a grid, with upper edge in rows @top .. @bottom - 1, whose
 * patches hold a wanted pixel, row after row, as a list of Place.  The grid
 * reaches all edges of the picture.  NULL with @error set (MEMORY). */
List *patch_places (const RowWindow *window, const PlaceGrid *grid, int top,
                    int bottom, GError **error);

/* The same with all places but those at the edges moved up and to the left by
 * @shift pixels, 0 .. step - 1. */
List *patch_places_shifted (const RowWindow *window, const PlaceGrid *grid,
                            int shift, int top, int bottom, GError **error);

/* Copies the patch at @place of channels @first .. @first + @count - 1 into
 * @y, plane after plane, and the trust in its samples into @w.  Samples that
 * are not trusted, or beyond the edge, become zero. */
void patch_get (const RowWindow *window, Place place, int patch, int first,
                int count, float *y, float *w);

/* Copies all channels of the patch at @place, which lies within the picture,
 * plane after plane. */
void patch_copy (const RowWindow *window, Place place, int patch, float *y);

/* Adds @weight times the @channel-th plane @y of a patch, and @weight itself,
 * to the sums of the window, at least those of wanted pixels. */
void patch_add (RowWindow *window, Place place, int patch, int channel,
                const float *y, float weight);

/* Bit i is set if row i of the patch at @place, within the picture and of at most
 * 32 rows, holds a wanted pixel. */
guint32 patch_wanted_rows (const RowWindow *window, Place place, int patch);

/* ---- votes ---- */

/* What a patch predicts for a wanted pixel, with its weight.  Threads cast votes
 * into lists of their own, patch after patch, which are counted later, list
 * after list: so no sum depends on the number of threads. */
typedef struct {
  guint32 pixel; /* of the window */
  float weight;
  float values[3];
} Vote;

/* Those for every VOTE_PARTS-th row are a list of their own, so that as many
 * threads can count. */
#define VOTE_PARTS 4

typedef struct {
  Vote *votes;
  gsize count, room;
} VoteList;

typedef struct {
  VoteList parts[VOTE_PARTS];
} Votes;

void votes_reset (Votes *self);
void votes_clear (Votes *self);

/* Casts the votes of a patch of all channels, 1 to 3, plane after plane, that
 * lies within the picture. */
void votes_cast (Votes *self, const RowWindow *window, Place place, int patch,
                 const float *y, float weight);

/* Adds the votes of @count lists in turn to the totals of @window. */
void votes_count (const Votes *lists, int count, RowWindow *window);
