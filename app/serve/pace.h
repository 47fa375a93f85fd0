/* pace.h - how long work will take that is done at a changing pace
 *
 * Stages of a job differ, and other programs come and go.  So the time left
 * follows the pace of the last half minute, where that is known.
 */
#pragma once

#include <glib.h>

/* How far the work was at some time. */
typedef struct {
  gint64 at; /* microseconds */
  double done;
} PaceMark;

typedef struct {
  gint64 started;
  PaceMark newer, older; /* where the last spans began */
} Pace;

/* For work that begins at @now, in microseconds of the monotonic clock. */
Pace pace_begin (gint64 now);

/* Notes that the share @done, 0 .. 1, is done. */
void pace_note (Pace *pace, gint64 now, double done);

/* The seconds left when @done is done; -1 while they cannot be estimated. */
gint64 pace_seconds_left (const Pace *pace, gint64 now, double done);
