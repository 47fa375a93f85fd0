#include "app/cli/timebudget.h"

#include "base/ranks.h"

#include <gio/gio.h>

/* What stopped rank 0 stops all ranks, at the same step. */
static void
follow_first_rank (TimeBudget *self)
{
  int stopped[] = { self->out_of_time, self->interrupted };

  ranks_broadcast (stopped, sizeof stopped, 0);
  self->out_of_time = stopped[0];
  self->interrupted = stopped[1];
}

static void
watch (double done, gpointer data)
{
  TimeBudget *self = data;

  if (self->limit > 0) {
    double spent = time_budget_seconds (self);

    done = MAX (done, spent / self->limit);
    self->out_of_time = spent >= self->limit;
  }
  self->interrupted = g_cancellable_is_cancelled (self->shown->cancellable);
  follow_first_rank (self);
  if (self->out_of_time || self->interrupted)
    g_cancellable_cancel (self->progress.cancellable);
  else if (self->shown->report != NULL)
    self->shown->report (MIN (1, done), self->shown->user_data);
}

void
time_budget_begin (TimeBudget *self, const Progress *shown, double limit)
{
  *self = (TimeBudget){ .progress = { .report = watch,
                                      .user_data = self,
                                      .cancellable = g_cancellable_new () },
                        .shown = shown,
                        .limit = limit,
                        .started = g_get_monotonic_time () };
}

void
time_budget_end (TimeBudget *self)
{
  time_budget_halt (self);
  g_clear_object (&self->progress.cancellable);
}

void
time_budget_halt (TimeBudget *self)
{
  if (self->halted == 0)
    self->halted = g_get_monotonic_time ();
}

void
time_budget_go_on (TimeBudget *self)
{
  if (self->halted == 0)
    return;
  self->started += g_get_monotonic_time () - self->halted;
  self->halted = 0;
}

double
time_budget_seconds (const TimeBudget *self)
{
  gint64 now = self->halted != 0 ? self->halted : g_get_monotonic_time ();

  return (double) (now - self->started) / G_USEC_PER_SEC;
}
