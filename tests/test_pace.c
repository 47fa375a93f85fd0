#include "app/serve/pace.h"

#define SECOND G_USEC_PER_SEC

/* Work of @seconds that gets from @from to @to, evenly, from @now on. */
static gint64
go_on (Pace *pace, gint64 now, int seconds, double from, double to)
{
  for (int i = 1; i <= seconds; i++)
    pace_note (pace, now + i * SECOND, from + (to - from) * i / seconds);
  return now + seconds * SECOND;
}

static void
test_even (void)
{
  g_test_summary ("Even work takes as long as it did so far");
  gint64 now = 7 * SECOND;
  Pace pace = pace_begin (now);

  g_assert_cmpint (pace_seconds_left (&pace, now, 0), ==, -1);
  for (int i = 1; i < 10; i++) {
    now = go_on (&pace, now, 10, 0.1 * (i - 1), 0.1 * i);
    g_assert_cmpint (
      ABS (pace_seconds_left (&pace, now, 0.1 * i) - 10 * (10 - i)), <=, 1);
  }
}

static void
test_slower (void)
{
  g_test_summary (
    "After half a minute, a slower stage is known for what it is");
  gint64 now = SECOND;
  Pace pace = pace_begin (now);

  now = go_on (&pace, now, 60, 0, 0.8);
  now = go_on (&pace, now, 31, 0.8, 0.831);
  g_assert_cmpint (ABS (pace_seconds_left (&pace, now, 0.831) - 169), <=, 2);
}

static void
test_stalled (void)
{
  g_test_summary ("Where nothing moves, the mean is all that is known");
  gint64 now = SECOND;
  Pace pace = pace_begin (now);

  now = go_on (&pace, now, 50, 0, 0.5);
  now = go_on (&pace, now, 50, 0.5, 0.5);
  g_assert_cmpint (ABS (pace_seconds_left (&pace, now, 0.5) - 100), <=, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pace/even", test_even);
  g_test_add_func ("/pace/slower", test_slower);
  g_test_add_func ("/pace/stalled", test_stalled);
  return g_test_run ();
}
