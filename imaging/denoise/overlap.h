/* overlap.h - average overlapping patches, by any number of threads
 *
 *     out(i) = sum_p w_p y_p(i) / sum_p w_p      over the patches p on pixel i
 *
 * The patches belong to strips of STRIP rows.  Strips are worked on at the
 * same time, each into sums of its own; these are then added in the order of
 * the strips.  So the result is the same for any number of threads.  It is
 * also the same for any part of a larger picture whose first row is a multiple
 * of STRIP, as far away from its edges as a patch of any strip reaches.
 */
#pragma once

#include "base/progress.h"
#include "imaging/patchgrid.h"
#include "imaging/planes.h"

#define OVERLAP_STRIP 24

/* The sums of one strip, for rows @top .. @top + sum->height - 1. */
typedef struct {
  int first, end; /* rows that belong to the strip */
  int top;
  Planes *sum;     /* all channels */
  Planes *weights; /* one channel */
} Strip;

/* Adds @weight times the @patch x @patch pixels in @y (plane after plane), and
 * @weight itself, at @x, @row.  The patch lies in the picture. */
void strip_add (Strip *strip, int x, int row, int patch, const float *y,
                float weight);

/* Adds all patches of @strip.  Called by several threads at a time, with
 * different strips and workers (see parallel.h). */
typedef void (*StripFunc) (Strip *strip, int worker, gpointer data);

/* Writes the average of what @func adds into @out, whose old content may be
 * read until then.  Patches of a strip reach at most @reach rows beyond it, on
 * both sides; pixels that none covers keep their value.
 *
 * @progress may be NULL.  Returns FALSE with @error set: MEMORY, CANCELLED. */
gboolean overlap_average (Planes *out, int reach, StripFunc func,
                          gpointer data, const Progress *progress,
                          GError **error);
