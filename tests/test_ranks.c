#include "base/ranks.h"
#include "base/random.h"
#include "tests/support.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- ranks that are processes of this test, connected by pipes ---- */

#define MOST_RANKS 8

static int pipes[MOST_RANKS][MOST_RANKS][2]; /* from, to */
static RanksLink own_link;

static void
must_write (int fd, const char *data, gsize size)
{
  while (size > 0) {
    ssize_t count = write (fd, data, size);

    g_assert_cmpint (count, >, 0);
    data += count;
    size -= (gsize) count;
  }
}

static void
must_read (int fd, char *data, gsize size)
{
  while (size > 0) {
    ssize_t count = read (fd, data, size);

    g_assert_cmpint (count, >, 0);
    data += count;
    size -= (gsize) count;
  }
}

static void
broadcast_by_pipes (gpointer data, gsize size, int from)
{
  if (from != own_link.self) {
    must_read (pipes[from][own_link.self][0], data, size);
    return;
  }
  for (int to = 0; to < own_link.count; to++)
    if (to != from)
      must_write (pipes[from][to][1], data, size);
}

typedef void (*RankFunc) (gconstpointer data);

/* Runs @func as @count ranks; each asserts for itself. */
static void
run_ranks (int count, RankFunc func, gconstpointer data)
{
  pid_t children[MOST_RANKS];

  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      g_assert_cmpint (pipe (pipes[i][j]), ==, 0);
  for (int rank = 0; rank < count; rank++) {
    children[rank] = fork ();
    g_assert_cmpint (children[rank], >=, 0);
    if (children[rank] != 0)
      continue;
    own_link = (RanksLink){ .self = rank,
                            .count = count,
                            .broadcast = broadcast_by_pipes };
    ranks_set_link (&own_link);
    ranks_begin ();
    func (data);
    _exit (0);
  }
  for (int rank = 0; rank < count; rank++) {
    int status;

    g_assert_cmpint (waitpid (children[rank], &status, 0), ==,
                     children[rank]);
    g_assert_cmpint (status, ==, 0);
  }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) {
      close (pipes[i][j][0]);
      close (pipes[i][j][1]);
    }
}

/* ---- */

static void
test_parts (void)
{
  g_test_summary ("Shards have one owner each, also where ranks get none");

  ranks_begin ();
  for (int count = 1; count <= MOST_RANKS; count++)
    for (int shards = 1; shards < 40; shards++) {
      int end = 0;

      own_link = (RanksLink){ .count = count };
      ranks_set_link (&own_link);
      for (int rank = 0; rank < count; rank++) {
        RankPart part = ranks_part_of (shards, rank);

        g_assert_cmpint (part.first, ==, end);
        for (int i = part.first; i < part.end; i++)
          g_assert_cmpint (ranks_owner (shards, i), ==, rank);
        end = part.end;
      }
      g_assert_cmpint (end, ==, shards);
    }
  ranks_end ();
  g_assert_cmpint (ranks_count (), ==, 1);
  ranks_set_link (NULL);
}

static void
test_shards (void)
{
  g_test_summary ("Shards are a power of two and never small");

  for (int samples = 0; samples < 3000000; samples = samples * 2 + 7) {
    int shards = ranks_shards (samples);

    g_assert_cmpint (shards & (shards - 1), ==, 0);
    g_assert_true (shards == 1 || samples / shards >= 512);
    g_assert_cmpint (ranks_first_sample (samples, shards, shards), ==,
                     samples);
  }
}

#define LENGTH 3

typedef struct {
  int shards;
  float floats[LENGTH];
  double doubles[LENGTH];
} Sum;

static double
term (int shard, int i)
{
  return random_normal (1, 2, (guint64) (shard * LENGTH + i));
}

/* Node (i, w) of the tree, as its definition says. */
static float
naive_float (int shards, int i, int w, int column)
{
  if (w == 1)
    return (float) term (i, column);
  if (i + w / 2 >= shards)
    return naive_float (shards, i, w / 2, column);
  return naive_float (shards, i, w / 2, column)
         + naive_float (shards, i + w / 2, w / 2, column);
}

static void
add_up (Sum *sum)
{
  g_autoptr (RankSum) floats =
    rank_sum_new (RANK_SUM_FLOAT, LENGTH, sum->shards);
  g_autoptr (RankSum) doubles =
    rank_sum_new (RANK_SUM_DOUBLE, LENGTH, sum->shards);
  RankPart part = ranks_part (sum->shards);

  for (int again = 0; again < 2; again++) {
    for (int s = part.first; s < part.end; s++) {
      float *f = rank_sum_next (floats);
      double *d = rank_sum_next (doubles);

      for (int i = 0; i < LENGTH; i++) {
        f[i] += (float) term (s, i);
        d[i] += term (s, i);
      }
    }
    memcpy (sum->floats, rank_sum_finish (floats), sizeof sum->floats);
    memcpy (sum->doubles, rank_sum_finish (doubles), sizeof sum->doubles);
  }
}

static void
expect_sum (gconstpointer data)
{
  const Sum *expected = data;
  Sum sum = { .shards = expected->shards };

  add_up (&sum);
  g_assert_cmpmem (sum.floats, sizeof sum.floats, expected->floats,
                   sizeof expected->floats);
  g_assert_cmpmem (sum.doubles, sizeof sum.doubles, expected->doubles,
                   sizeof expected->doubles);
}

static void
test_sums (void)
{
  static const int shards[] = { 1, 2, 3, 5, 8, 16, 37, 64 };

  g_test_summary ("Sums follow the tree, bit for bit, for any number of "
                  "ranks");
  for (gsize i = 0; i < G_N_ELEMENTS (shards); i++) {
    Sum sum = { .shards = shards[i] };

    add_up (&sum);
    for (int column = 0; column < LENGTH; column++)
      g_assert_cmpfloat (sum.floats[column], ==,
                         naive_float (shards[i], 0, 64, column));
    for (int count = 1; count <= MOST_RANKS; count++)
      run_ranks (count, expect_sum, &sum);
  }
}

static void
expect_exchange (gconstpointer data)
{
  int samples = *(const int *) data;
  RankPart own = ranks_samples (samples);
  g_autofree int *all = g_new0 (int, samples);
  int counts[2] = { own.end - own.first, 1 };

  for (int p = own.first; p < own.end; p++) {
    all[p] = p * p;
    g_assert_cmpint (ranks_owner_of_sample (samples, p), ==, ranks_self ());
  }
  ranks_exchange_samples (all, sizeof *all, samples);
  for (int p = 0; p < samples; p++)
    g_assert_cmpint (all[p], ==, p * p);
  ranks_add_counts (counts, 2);
  g_assert_cmpint (counts[0], ==, samples);
  g_assert_cmpint (counts[1], ==, ranks_count ());
}

static void
test_exchange (void)
{
  static const int samples[] = { 1, 700, 5000 };

  g_test_summary ("What each rank has of the samples, all have afterwards");
  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    for (int count = 1; count <= MOST_RANKS; count++)
      run_ranks (count, expect_exchange, &samples[i]);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/ranks/parts", test_parts);
  g_test_add_func ("/ranks/shards", test_shards);
  g_test_add_func ("/ranks/sums", test_sums);
  g_test_add_func ("/ranks/exchange", test_exchange);
  return g_test_run ();
}
