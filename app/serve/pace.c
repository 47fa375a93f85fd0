#include "app/serve/pace.h"

#include "app/cli/progressbar.h"

/* The pace is that of one or two spans of so many microseconds. */
#define SPAN (15 * G_USEC_PER_SEC)

Pace
pace_begin (gint64 now)
{
  return (Pace){ now, { now, 0 }, { now, 0 } };
}

void
pace_note (Pace *pace, gint64 now, double done)
{
  if (now < pace->newer.at + SPAN)
    return;
  pace->older = pace->newer;
  pace->newer = (PaceMark){ now, done };
}

gint64
pace_seconds_left (const Pace *pace, gint64 now, double done)
{
  gint64 in_the_mean = progress_seconds_left (done, now - pace->started);
  double gained = done - pace->older.done;

  if (in_the_mean < 0 || gained <= 0)
    return in_the_mean;
  return (gint64) ((double) (now - pace->older.at) * (1 - done) / gained
                   / G_USEC_PER_SEC);
}
