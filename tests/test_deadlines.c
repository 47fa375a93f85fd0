/* test_deadlines.c - sockets are cut when their time is over, and not before
 */
#include "app/serve/deadlines.h"
#include "tests/support.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define LATER 3600
#define OVER (-1)

typedef struct {
  int ours, theirs;
} Pair;

static Pair
connect_pair (void)
{
  int fds[2];

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, fds), ==, 0);
  return (Pair){ fds[0], fds[1] };
}

static void
close_pair (Pair pair)
{
  close (pair.ours);
  close (pair.theirs);
}

/* Whether the other end sees the end of the connection. */
static gboolean
is_cut (Pair pair)
{
  char byte;
  gssize count = recv (pair.theirs, &byte, 1, MSG_DONTWAIT);

  g_assert_true (count == 0 || (count < 0 && errno == EAGAIN));
  return count == 0;
}

static void
test_only_late_ones_are_cut (void)
{
  Deadlines *deadlines = deadlines_new ();
  Pair late = connect_pair (), early = connect_pair ();

  deadlines_set (deadlines, &late, late.ours, OVER);
  deadlines_set (deadlines, &early, early.ours, LATER);
  g_assert_false (is_cut (late));
  deadlines_enforce (deadlines);
  g_assert_true (is_cut (late));
  g_assert_false (is_cut (early));
  deadlines_free (deadlines);
  g_assert_false (is_cut (early));
  close_pair (late);
  close_pair (early);
}

/* A new deadline takes the place of the old one. */
static void
test_the_last_one_counts (void)
{
  Deadlines *deadlines = deadlines_new ();
  Pair longer = connect_pair (), shorter = connect_pair ();

  deadlines_set (deadlines, &longer, longer.ours, OVER);
  deadlines_set (deadlines, &longer, longer.ours, LATER);
  deadlines_set (deadlines, &shorter, shorter.ours, LATER);
  deadlines_set (deadlines, &shorter, shorter.ours, OVER);
  deadlines_enforce (deadlines);
  g_assert_false (is_cut (longer));
  g_assert_true (is_cut (shorter));
  deadlines_free (deadlines);
  close_pair (longer);
  close_pair (shorter);
}

/* The number of a socket that was closed may be another's by now. */
static void
test_removed_ones_are_left_alone (void)
{
  Deadlines *deadlines = deadlines_new ();
  Pair pair = connect_pair ();

  deadlines_set (deadlines, &pair, pair.ours, OVER);
  deadlines_remove (deadlines, &pair);
  deadlines_remove (deadlines, deadlines); /* never set */
  deadlines_enforce (deadlines);
  g_assert_false (is_cut (pair));
  deadlines_free (deadlines);
  close_pair (pair);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/deadlines/late", test_only_late_ones_are_cut);
  g_test_add_func ("/deadlines/last", test_the_last_one_counts);
  g_test_add_func ("/deadlines/removed", test_removed_ones_are_left_alone);
  return g_test_run ();
}
