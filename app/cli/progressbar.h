/* progressbar.h - a bar with the time that is left, on a terminal only */
#pragma once

#include "base/progress.h"

typedef struct {
  const char *label;
  gint64 started, drawn; /* microseconds; drawn is 0 before the first time */
} ProgressBar;

/* Starts a bar.  Pass the result to the functions that do the work; it also
 * stops them when the program is interrupted, with or without a visible bar.
 * @bar must live as long as it. */
Progress progress_bar_start (ProgressBar *bar, const char *label);

/* Changes the label, which must live as long as it is shown. */
void progress_bar_set_label (ProgressBar *bar, const char *label);

/* Takes the bar off the screen. */
void progress_bar_stop (ProgressBar *bar);

/* The time left, in seconds, for work of which the share @done took @elapsed
 * microseconds; -1 while it cannot be estimated. */
gint64 progress_seconds_left (double done, gint64 elapsed);
