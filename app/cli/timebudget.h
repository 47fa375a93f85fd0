/* timebudget.h - work that the user or the clock may stop
 *
 * A progress for work with a time limit.  Time spent only on observing the
 * work need not count: the clock can be stopped.
 */
#pragma once

#include "base/progress.h"

typedef struct {
  Progress progress; /* for the work */

  /* What stopped it, if anything did. */
  gboolean out_of_time, interrupted;

  const Progress *shown; /* is told of the work, and may stop it */
  double limit;          /* seconds; 0 for none */
  gint64 started;        /* microseconds; moved on by the time that does not
                            count */
  gint64 halted;         /* when the clock was stopped; 0 if it runs */
} TimeBudget;

/* Starts the clock.  @shown must live as long as @self. */
void time_budget_begin (TimeBudget *self, const Progress *shown, double limit);
void time_budget_end (TimeBudget *self);

void time_budget_halt (TimeBudget *self);
void time_budget_go_on (TimeBudget *self);

/* Seconds that count. */
double time_budget_seconds (const TimeBudget *self);
