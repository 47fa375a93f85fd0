/* test_linesums.c - evidence for lines and its sums, by their definitions */
#include "base/random.h"
#include "imaging/detect/linesums.h"

/* As the header has it, in floats. */
static int
evidence_at (int hat, int usual)
{
  float e = 8.f * ((float) hat - 2.f * (float) usual - 4.f)
            / ((float) usual + 4.f);

  return (int) (CLAMP (e, LEAST_EVIDENCE, MOST_EVIDENCE) - LEAST_EVIDENCE);
}

static void
test_evidence (void)
{
  guint8 hats[256], usuals[256], evidence[256];

  g_test_summary ("Evidence is that of the formula for all pairs of bytes");
  for (int usual = 0; usual < 256; usual++) {
    for (int hat = 0; hat < 256; hat++) {
      hats[hat] = (guint8) hat;
      usuals[hat] = (guint8) usual;
    }
    line_evidence (hats, usuals, 256, evidence);
    for (int hat = 0; hat < 256; hat++)
      g_assert_cmpint (evidence[hat], ==, evidence_at (hat, usual));
  }
}

/* A random row: evidence, and sums around all bounds. */
static void
random_row (guint64 seed, int width, guint8 *evidence, gint16 *sums)
{
  for (int x = 0; x < width; x++) {
    evidence[x] = (guint8) (29 * random_uniform (seed, 0, (guint64) x));
    sums[x] =
      (gint16) ((MOST_SUM + 1) * random_uniform (seed, 1, (guint64) x));
    if (random_uniform (seed, 2, (guint64) x) < 0.7)
      sums[x] = (gint16) (sums[x] < MOST_SUM / 2 ? 0 : MOST_SUM);
  }
}

static int
largest_near (const gint16 *row, int x, int width)
{
  int most = row[x];

  most = MAX (most, row[MAX (0, x - 1)]);
  return MAX (most, row[MIN (x + 1, width - 1)]);
}

static void
test_sums (void)
{
  static const int widths[] = { 1, 2, 3, 16, 17, 100 };
  guint8 evidence[100];
  gint16 before[100], sums[100];

  g_test_summary ("A sum goes on from the largest of three, within bounds");
  for (gsize k = 0; k < 6 * 20; k++) {
    int width = widths[k % 6];

    random_row (k, width, evidence, before);
    line_sums (evidence, before, sums, width);
    for (int x = 0; x < width; x++) {
      int sum = largest_near (before, x, width) + evidence[x] + LEAST_EVIDENCE;

      g_assert_cmpint (sums[x], ==, CLAMP (sum, 0, MOST_SUM));
    }
    line_sums (evidence, NULL, sums, width);
    for (int x = 0; x < width; x++)
      g_assert_cmpint (sums[x], ==, MAX (0, evidence[x] + LEAST_EVIDENCE));
  }
}

static void
test_ends (void)
{
  guint8 evidence[100], ends[100];
  gint16 below[100], up[100], down[100];
  int count = 0;

  g_test_summary ("A line ends where there is evidence and none follows");
  for (guint64 seed = 0; seed < 50; seed++) {
    random_row (seed, 100, ends, down);
    random_row (seed + 100, 100, evidence, below);
    line_sums (evidence, below, up, 100);
    line_ends (evidence, down, up, 100, ends);
    for (int x = 0; x < 100; x++) {
      gboolean is_end = down[x] >= LEAST_SUM && evidence[x] > -LEAST_EVIDENCE
                        && largest_near (below, x, 100) == 0;

      g_assert_cmpint (ends[x], ==, is_end);
      count += is_end;
    }
  }
  g_assert_cmpint (count, >, 50);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/linesums/evidence", test_evidence);
  g_test_add_func ("/linesums/sums", test_sums);
  g_test_add_func ("/linesums/ends", test_ends);
  return g_test_run ();
}
