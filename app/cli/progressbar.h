/* progressbar.h - a bar with the time that is left, on a terminal only
 *
 * A program that starts this one and shows its progress itself sets the
 * variable PROGRESS_VARIABLE in its environment, and gets lines
 *
 *     progress 0.3125 learning with ksvd
 */
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

#define PROGRESS_VARIABLE "TESSERA_PROGRESS"

/* Whether @line is such a line: then sets @done and @label, a part of it. */
gboolean progress_line_parse (const char *line, double *done,
                              const char **label);
