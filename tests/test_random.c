/* test_random.c - random numbers are the published ones, and random */
#include "base/random.h"
#include "tests/support.h"

#include <math.h>

static void
test_reference_vectors (void)
{
  /* Known answers of philox4x32-10 from the Random123 distribution. */
  static const struct {
    guint32 counter[4], key[2], out[4];
  } known[] = {
    { { 0, 0, 0, 0 },
      { 0, 0 },
      { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++) {
    guint32 out[4];

    philox_block (known[i].counter, known[i].key, out);
    for (int w = 0; w < 4; w++)
      g_assert_cmphex (out[w], ==, known[i].out[w]);
  }
}

static void
test_moments (void)
{
  double sum = 0, squares = 0, fourth = 0, uniform = 0;
  const int n = 100000;

  for (int i = 0; i < n; i++) {
    double z = random_normal (7, 1, (guint64) i);

    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
    uniform += random_uniform (7, 2, (guint64) i);
  }
  /* Bounds are five standard errors of each mean. */
  assert_at_most (fabs (sum / n), 5 / sqrt (n));
  assert_at_most (fabs (squares / n - 1), 5 * sqrt (2. / n));
  assert_at_most (fabs (fourth / n - 3), 5 * sqrt (96. / n));
  assert_at_most (fabs (uniform / n - 0.5), 5 * sqrt (1. / 12 / n));
}

static void
test_streams_differ (void)
{
  g_assert_cmphex (random_bits (1, 0, 0), !=, random_bits (1, 1, 0));
  g_assert_cmphex (random_bits (1, 0, 0), !=, random_bits (2, 0, 0));
  g_assert_cmphex (random_bits (1, 0, 0), !=, random_bits (1, 0, 1));
  g_assert_cmphex (random_bits (1, 0, 5), ==, random_bits (1, 0, 5));
}

static void
test_permutation (void)
{
  enum { N = 1000 };
  gsize order[N];
  gboolean seen[N] = { FALSE };
  int fixed = 0;

  random_permutation (3, 0, N, order);
  for (gsize i = 0; i < N; i++) {
    g_assert_cmpuint (order[i], <, N);
    g_assert_false (seen[order[i]]);
    seen[order[i]] = TRUE;
    fixed += order[i] == i;
  }
  /* One fixed point is expected; ten would be one chance in a million. */
  g_assert_cmpint (fixed, <, 10);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/random/reference-vectors", test_reference_vectors);
  g_test_add_func ("/random/moments", test_moments);
  g_test_add_func ("/random/streams-differ", test_streams_differ);
  g_test_add_func ("/random/permutation", test_permutation);
  return g_test_run ();
}
