/* summary.c - means, deviations, paired differences
 *
 * A method is compared with the reference on the same pictures, learned with
 * the same seeds: the mean of the differences, and the interval that holds the
 * true one with 95 % confidence (base/student.h), for other pictures and other
 * seeds.  Pictures differ far more than methods do; differences within a
 * picture are not affected by that.
 */
#include "app/compare/compare.h"

#include "base/student.h"

#include <math.h>
#include <string.h>

#define CONFIDENCE 0.95

typedef double (*Quantity) (const Score *score);

static double
psnr_of (const Score *score)
{
  return score->score.psnr;
}

static double
ssim_of (const Score *score)
{
  return score->score.ssim;
}

static double
ms_ssim_of (const Score *score)
{
  return score->score.ms_ssim;
}

static double
masked_of (const Score *score)
{
  return score->score.psnr_masked;
}

static double
seconds_of (const Score *score)
{
  return score->seconds;
}

/* Scores of a method by picture and seed, picture after picture; NAN where
 * there is none.  What does not learn has the same score for every seed. */
static double *
gather (const Compare *compare, guint damage, guint method, Quantity quantity)
{
  guint seeds = compare->seeds->len;
  gsize count = (gsize) compare->testing->len * seeds;
  double *values = g_new (double, count);
  const Contender *contender =
    compare_contender (compare, compare_method (compare, method)->contender);

  for (gsize i = 0; i < count; i++)
    values[i] = NAN;
  for (guint i = 0; i < compare->scores->len; i++) {
    const Score *score = &g_array_index (compare->scores, Score, i);

    if (score->damage != damage || score->method != method)
      continue;
    for (guint s = 0; s < seeds; s++)
      if (s == score->seed || contender->run_count == 1)
        values[score->picture * seeds + s] = quantity (score);
  }
  return values;
}

/* Moves the pictures that have a score for every seed to the front; returns
 * how many they are. */
static int
drop_gaps (double *values, guint pictures, guint seeds)
{
  int kept = 0;

  for (guint i = 0; i < pictures; i++) {
    const double *from = values + (gsize) i * seeds;
    double *to = values + (gsize) kept * seeds;
    gboolean whole = TRUE;

    for (guint s = 0; s < seeds; s++)
      whole &= isfinite (from[s]) != 0;
    if (whole) {
      memmove (to, from, seeds * sizeof (double));
      kept++;
    }
  }
  return kept;
}

static int
summarise (const Compare *compare, guint damage, guint method, int reference,
           Quantity quantity, Summary *summary)
{
  guint pictures = compare->testing->len, seeds = compare->seeds->len;
  g_autofree double *values = gather (compare, damage, method, quantity);
  CrossedStats stats;
  int count;

  *summary = (Summary){ NAN, NAN, NAN, NAN, NAN };
  if (reference >= 0 && (guint) reference != method) {
    g_autofree double *others =
      gather (compare, damage, (guint) reference, quantity);

    for (guint i = 0; i < pictures * seeds; i++)
      others[i] = values[i] - others[i];
    stats = crossed_stats (others, drop_gaps (others, pictures, seeds),
                           (int) seeds, CONFIDENCE);
    summary->difference = stats.mean;
    summary->low = stats.mean - stats.margin;
    summary->high = stats.mean + stats.margin;
  }
  count = drop_gaps (values, pictures, seeds);
  stats = crossed_stats (values, count, (int) seeds, CONFIDENCE);
  summary->mean = stats.mean;
  summary->deviation = stats.deviation;
  return count;
}

/* Counts what failed, and keeps the first reason. */
static void
count_failures (const Compare *compare, SummaryRow *row)
{
  for (guint i = 0; i < compare->scores->len; i++) {
    const Score *score = &g_array_index (compare->scores, Score, i);

    if (score->damage != row->damage || score->method != row->method
        || score->failed == NULL)
      continue;
    if (row->failed++ == 0)
      row->why = score->failed;
  }
}

/* What @method is compared with: the reference, in the same competition. */
static int
find_reference (const Compare *compare, guint method)
{
  Protocol protocol = compare_method (compare, method)->protocol;
  const char *wanted = compare->reference != NULL ? compare->reference : "dct";
  int first = -1;

  for (guint i = 0; i < compare->methods->len; i++) {
    if (!protocol_competes (compare_method (compare, i)->protocol, protocol))
      continue;
    if (g_str_equal (compare_method_name (compare, i), wanted))
      return (int) i;
    if (first < 0)
      first = (int) i;
  }
  return first;
}

static void
mark_best (const Compare *compare, SummaryRow *row)
{
  Protocol protocol = compare_method (compare, row->method)->protocol;

  row->best_psnr = isfinite (row->psnr.mean);
  row->best_ssim = isfinite (row->ssim.mean);
  for (guint i = 0; i < compare->summary->len; i++) {
    const SummaryRow *other = &g_array_index (compare->summary, SummaryRow, i);

    if (other->damage != row->damage
        || !protocol_competes (
          compare_method (compare, other->method)->protocol, protocol))
      continue;
    row->best_psnr &= !(other->psnr.mean > row->psnr.mean);
    row->best_ssim &= !(other->ssim.mean > row->ssim.mean);
  }
}

void
compare_summarise (Compare *compare)
{
  for (guint damage = 0; damage < compare->damages->len; damage++)
    for (guint method = 0; method < compare->methods->len; method++) {
      SummaryRow row = { .damage = damage,
                         .method = method,
                         .reference = find_reference (compare, method) };

      row.count =
        summarise (compare, damage, method, row.reference, psnr_of, &row.psnr);
      summarise (compare, damage, method, row.reference, ssim_of, &row.ssim);
      summarise (compare, damage, method, row.reference, ms_ssim_of,
                 &row.ms_ssim);
      summarise (compare, damage, method, row.reference, masked_of,
                 &row.psnr_masked);
      summarise (compare, damage, method, row.reference, seconds_of,
                 &row.seconds);
      count_failures (compare, &row);
      if (row.count > 0 || row.failed > 0)
        g_array_append_val (compare->summary, row);
    }
  for (guint i = 0; i < compare->summary->len; i++)
    mark_best (compare, &g_array_index (compare->summary, SummaryRow, i));
}
