/* progress.h - progress reports and cancellation of long work
 *
 * Outer loops call progress_step() every few milliseconds.  Only the thread
 * that started the work reports, so a report function needs no locks.
 */
#pragma once

#include <glib.h>

/* As <gio/gio.h> has it, which takes longer to compile than most of our
 * files. */
typedef struct _GCancellable GCancellable;

typedef struct {
  /* Called with the share of the work that is done, 0 .. 1.  May be NULL. */
  void (*report) (double done, gpointer user_data);
  gpointer user_data;
  GCancellable *cancellable; /* may be NULL */
} Progress;

/* Reports @done and checks whether the work was cancelled.
 * @progress may be NULL.  Returns FALSE, with @error set, once it was. */
gboolean progress_step (const Progress *progress, double done, GError **error);

/* Part of some work, whose own share of 0 .. 1 is @from .. @to of the whole.
 */
typedef struct {
  const Progress *whole;
  double from, to;
} ProgressPart;

/* A progress for the functions that do a part.  @part must live as long as it;
 * part->whole may be NULL. */
Progress progress_part (ProgressPart *part);
