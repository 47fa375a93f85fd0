/* summary.c - means, deviations, paired differences
 *
 * A method is compared with the reference on the same pictures: the mean of
 * the differences, and the interval that holds the true one with 95 %
 * confidence (base/student.h).  Pictures differ far more than methods do;
 * differences within a picture are not affected by that.
 */
#include "app/compare/compare.h"

#include "base/student.h"

#include <math.h>

#define CONFIDENCE 0.95

typedef double (*Quantity) (const ImageScore *score);

static double
psnr_of (const ImageScore *score)
{
  return score->psnr;
}

static double
ssim_of (const ImageScore *score)
{
  return score->ssim;
}

/* Scores of a method by picture; NAN where there is none. */
static double *
gather (const Compare *compare, guint damage, guint method, Quantity quantity)
{
  double *values = g_new (double, compare->testing->len);

  for (guint i = 0; i < compare->testing->len; i++)
    values[i] = NAN;
  for (guint i = 0; i < compare->scores->len; i++) {
    const Score *score = &g_array_index (compare->scores, Score, i);

    if (score->damage == damage && score->method == method)
      values[score->picture] = quantity (&score->score);
  }
  return values;
}

/* Moves what is finite to the front; returns how much that is. */
static int
drop_gaps (double *values, guint count)
{
  int kept = 0;

  for (guint i = 0; i < count; i++)
    if (isfinite (values[i]))
      values[kept++] = values[i];
  return kept;
}

static int
summarise (const Compare *compare, guint damage, guint method, int reference,
           Quantity quantity, Summary *summary)
{
  guint pictures = compare->testing->len;
  g_autofree double *values = gather (compare, damage, method, quantity);
  int count;
  SampleStats sample;

  *summary = (Summary){ NAN, NAN, NAN, NAN, NAN };
  if (reference >= 0 && (guint) reference != method) {
    g_autofree double *others =
      gather (compare, damage, (guint) reference, quantity);
    double margin;

    for (guint i = 0; i < pictures; i++)
      others[i] = values[i] - others[i];
    sample = sample_stats (others, drop_gaps (others, pictures));
    margin = confidence_margin (&sample, CONFIDENCE);
    summary->difference = sample.mean;
    summary->low = sample.mean - margin;
    summary->high = sample.mean + margin;
  }
  count = drop_gaps (values, pictures);
  sample = sample_stats (values, count);
  summary->mean = sample.mean;
  summary->deviation = sample.deviation;
  return count;
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

  row->best_psnr = row->best_ssim = TRUE;
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
      if (row.count > 0)
        g_array_append_val (compare->summary, row);
    }
  for (guint i = 0; i < compare->summary->len; i++)
    mark_best (compare, &g_array_index (compare->summary, SummaryRow, i));
}
