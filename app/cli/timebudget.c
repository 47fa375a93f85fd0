#include "app/cli/timebudget.h"

static void
watch (double done, gpointer data)
{
  Budget *self = data;

  if (self->limit > 0) {
    double spent = budget_seconds (self);

    done = MAX (done, spent / self->limit);
    self->out_of_time = spent >= self->limit;
  }
  self->interrupted = g_cancellable_is_cancelled (self->shown->cancellable);
  if (self->out_of_time || self->interrupted)
    g_cancellable_cancel (self->progress.cancellable);
  else if (self->shown->report != NULL)
    self->shown->report (MIN (1, done), self->shown->user_data);
}

void
budget_begin (Budget *self, const Progress *shown, double limit)
{
  *self = (Budget){ .progress = { .report = watch,
                                  .user_data = self,
                                  .cancellable = g_cancellable_new () },
                    .shown = shown,
                    .limit = limit,
                    .started = g_get_monotonic_time () };
}

void
budget_end (Budget *self)
{
  budget_halt (self);
  g_clear_object (&self->progress.cancellable);
}

void
budget_halt (Budget *self)
{
  if (self->halted == 0)
    self->halted = g_get_monotonic_time ();
}

void
budget_go_on (Budget *self)
{
  if (self->halted == 0)
    return;
  self->started += g_get_monotonic_time () - self->halted;
  self->halted = 0;
}

double
budget_seconds (const Budget *self)
{
  gint64 now = self->halted != 0 ? self->halted : g_get_monotonic_time ();

  return (double) (now - self->started) / G_USEC_PER_SEC;
}
