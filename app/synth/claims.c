/* claims.c - what the paper says of its synthetic experiments, and what the
 * tables say
 *
 * A verdict is a rule that was fixed before the numbers were seen:
 *
 *   time         the orthogonal learner is faster, and more accurate, than
 *                each other learner at each size;
 *   convergence  the last error falls with each larger number of samples, and
 *                the error is within a tenth of its last value after half of
 *                the steps;
 *   condition    without noise the mean errors of all condition numbers are
 *                within a factor of SAME; with the most noise the error of the
 *                largest is more than that above that of the smallest; samples
 *                needed grow more slowly than the condition number;
 *   support      no trial misses a non-zero code at the end.
 */
#include "app/synth/claims.h"

#include "app/synth/cells.h"

#include <math.h>

#define SAME 3.0

static const char *
value_at (const GPtrArray *list, guint i)
{
  return g_ptr_array_index (list, i);
}

static Verdict
verdict_of (int good, int all)
{
  if (all == 0)
    return VERDICT_OPEN;
  return good == all ? VERDICT_HOLDS
         : good == 0 ? VERDICT_FAILS
                     : VERDICT_PARTLY;
}

/* ---- rules ---- */

/* Whether the orthogonal learner has the smallest @column at each size. */
static void
judge_first (Claim *claim, const char *folder, const char *column)
{
  g_auto (Cells) cells = cells_read (folder, "time");
  g_autoptr (GPtrArray) sizes = cells_values (&cells, "n");
  g_autoptr (GPtrArray) learners = cells_values (&cells, "algorithm");
  g_autoptr (GString) text = g_string_new (NULL);
  int good = 0, all = 0;

  for (guint i = 0; i < sizes->len; i++) {
    const char *n = value_at (sizes, i);
    double ours =
      cells_mean (&cells, column, "algorithm", "orthogonal", "n", n);

    g_string_append_printf (text, "%sn = %s: orthogonal %.3g",
                            i > 0 ? "; " : "", n, ours);
    for (guint a = 0; a < learners->len; a++) {
      const char *name = value_at (learners, a);
      double other = cells_mean (&cells, column, "algorithm", name, "n", n);

      if (g_str_equal (name, "orthogonal") || isnan (other) || isnan (ours))
        continue;
      g_string_append_printf (text, ", %s %.3g", name, other);
      good += ours < other ? 1 : 0;
      all++;
    }
  }
  claim->verdict = verdict_of (good, all);
  claim->reason =
    g_strdup_printf ("smaller in %d of %d cases (%s)", good, all, text->str);
}

static void
judge_faster (Claim *claim, const char *folder)
{
  judge_first (claim, folder, "seconds");
}

static void
judge_closer (Claim *claim, const char *folder)
{
  judge_first (claim, folder, "error");
}

static int
last_step (const Cells *cells)
{
  double last = 0;

  for (guint i = 0; i < cells->rows->len; i++)
    last = fmax (last, cells_number (cells, i, "iteration"));
  return (int) last;
}

/* How the error falls, for each number of samples. */
typedef struct {
  Cells cells;
  GPtrArray *samples;
  int steps;
  double *errors; /* means over the trials, @steps of each number of samples */
} Curves;

static void
curves_clear (Curves *curves)
{
  cells_clear (&curves->cells);
  g_ptr_array_unref (curves->samples);
  g_free (curves->errors);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Curves, curves_clear)

static Curves
curves_read (const char *folder)
{
  Cells cells = cells_read (folder, "convergence");
  Curves curves = { cells, cells_values (&cells, "samples"),
                    last_step (&cells), NULL };
  gsize size = curves.samples->len * (gsize) curves.steps;
  g_autofree int *trials = g_new0 (int, size);

  curves.errors = g_new0 (double, size);
  for (guint i = 0; i < cells.rows->len; i++) {
    int step = (int) cells_number (&cells, i, "iteration");
    guint line = 0;
    gsize at;

    g_ptr_array_find_with_equal_func (
      curves.samples, cells_text (&cells, i, "samples"), g_str_equal, &line);
    if (step < 1)
      continue;
    at = line * (gsize) curves.steps + (gsize) step - 1;
    curves.errors[at] += cells_number (&cells, i, "error");
    trials[at]++;
  }
  for (gsize at = 0; at < size; at++)
    curves.errors[at] /= trials[at];
  return curves;
}

/* The mean error after a step, counted from 1. */
static double
error_after (const Curves *curves, guint line, int step)
{
  return curves->steps > 0
           ? curves->errors[line * (gsize) curves->steps + (gsize) step - 1]
           : NAN;
}

static void
judge_more_samples (Claim *claim, const char *folder)
{
  g_auto (Curves) curves = curves_read (folder);
  g_autoptr (GString) text = g_string_new ("last error");
  int lines = (int) curves.samples->len, good = 0;
  double before = 0;

  for (int i = 0; i < lines; i++) {
    double error = error_after (&curves, (guint) i, curves.steps);

    g_string_append_printf (text, "%s %.2g with %s samples", i > 0 ? "," : "",
                            error, value_at (curves.samples, (guint) i));
    good += i > 0 && error < before ? 1 : 0;
    before = error;
  }
  claim->verdict = verdict_of (good, MAX (0, lines - 1));
  claim->reason = g_string_free (g_steal_pointer (&text), FALSE);
}

/* The first step from which on the error stays within a tenth of the last. */
static int
settled_after (const Curves *curves, guint line)
{
  double end = error_after (curves, line, curves->steps);
  int step = curves->steps;

  while (step > 1 && error_after (curves, line, step - 1) <= 1.1 * end)
    step--;
  return step;
}

static void
judge_convergence (Claim *claim, const char *folder)
{
  g_auto (Curves) curves = curves_read (folder);
  g_autoptr (GString) text = g_string_new ("within a tenth of the last error");
  int good = 0;

  for (guint i = 0; i < curves.samples->len; i++) {
    int step = settled_after (&curves, i);

    g_string_append_printf (text, "%s after %d of %d steps with %s samples",
                            i > 0 ? "," : "", step, curves.steps,
                            value_at (curves.samples, i));
    good += step <= curves.steps / 2 ? 1 : 0;
  }
  claim->verdict = verdict_of (good, (int) curves.samples->len);
  claim->reason = g_string_free (g_steal_pointer (&text), FALSE);
}

/* Smallest and largest mean error of all condition numbers at one noise. */
static void
error_range (const Cells *cells, const char *noise, double *low, double *high)
{
  g_autoptr (GPtrArray) conditions = cells_values (cells, "condition");

  *low = G_MAXDOUBLE;
  *high = 0;
  for (guint i = 0; i < conditions->len; i++) {
    double error = cells_mean (cells, "error", "condition",
                               value_at (conditions, i), "noise", noise);

    *low = fmin (*low, error);
    *high = fmax (*high, error);
  }
}

static void
judge_stable (Claim *claim, const char *folder)
{
  g_auto (Cells) cells = cells_read (folder, "condition");
  g_autoptr (GPtrArray) noise = cells_values (&cells, "noise");
  double low, high;

  claim->verdict = VERDICT_OPEN;
  if (noise->len == 0 || g_ascii_strtod (value_at (noise, 0), NULL) != 0) {
    claim->reason = g_strdup ("there are no samples without noise");
    return;
  }
  error_range (&cells, value_at (noise, 0), &low, &high);
  claim->verdict = high <= SAME * low ? VERDICT_HOLDS : VERDICT_FAILS;
  claim->reason = g_strdup_printf (
    "mean errors from %.2g to %.2g, a factor of %.1f", low, high, high / low);
}

static void
judge_noisy (Claim *claim, const char *folder)
{
  g_auto (Cells) cells = cells_read (folder, "condition");
  g_autoptr (GPtrArray) noise = cells_values (&cells, "noise");
  g_autoptr (GPtrArray) conditions = cells_values (&cells, "condition");
  const char *most, *first, *last;
  double easy, hard;

  claim->verdict = VERDICT_OPEN;
  if (noise->len == 0 || conditions->len < 2) {
    claim->reason = g_strdup ("there is only one condition number");
    return;
  }
  most = value_at (noise, noise->len - 1);
  first = value_at (conditions, 0);
  last = value_at (conditions, conditions->len - 1);
  easy = cells_mean (&cells, "error", "condition", first, "noise", most);
  hard = cells_mean (&cells, "error", "condition", last, "noise", most);
  claim->verdict = hard > SAME * easy ? VERDICT_HOLDS : VERDICT_FAILS;
  claim->reason = g_strdup_printf ("with noise %s the mean error is %.2g for "
                                   "condition number %s and %.2g for %s",
                                   most, easy, first, hard, last);
}

/* The slope of log y over log x of all rows with both. */
static double
exponent (const Cells *cells, const char *x, const char *y)
{
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;

  for (guint i = 0; i < cells->rows->len; i++) {
    double a = log (cells_number (cells, i, x)),
           b = log (cells_number (cells, i, y));

    if (!isfinite (a) || !isfinite (b))
      continue;
    n++;
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return n > 1 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : NAN;
}

static void
judge_needed (Claim *claim, const char *folder)
{
  g_auto (Cells) cells = cells_read (folder, "condition-needed");
  g_autoptr (GString) text = g_string_new ("samples needed:");
  double power = exponent (&cells, "condition", "samples");

  for (guint i = 0; i < cells.rows->len; i++) {
    double needed = cells_number (&cells, i, "samples");
    g_autofree char *count = isfinite (needed)
                               ? g_strdup_printf ("%.0f", needed)
                               : g_strdup ("more than were tried");

    g_string_append_printf (text, "%s %s for %s", i > 0 ? "," : "", count,
                            cells_text (&cells, i, "condition"));
  }
  claim->verdict = !isfinite (power) ? VERDICT_OPEN
                   : power < 1       ? VERDICT_HOLDS
                                     : VERDICT_FAILS;
  if (isfinite (power))
    g_string_append_printf (
      text, "; they grow with power %.2f of the condition number", power);
  claim->reason = g_string_free (g_steal_pointer (&text), FALSE);
}

static void
judge_support (Claim *claim, const char *folder)
{
  g_auto (Cells) cells = cells_read (folder, "support");
  g_autoptr (GPtrArray) trials = cells_values (&cells, "trial");
  int last = last_step (&cells), good = 0;
  g_autofree char *text = g_strdup_printf ("%d", last);

  for (guint i = 0; i < trials->len; i++)
    if (cells_mean (&cells, "missed", "trial", value_at (trials, i),
                    "iteration", text)
        == 0)
      good++;
  claim->verdict = verdict_of (good, (int) trials->len);
  claim->reason =
    g_strdup_printf ("%d of %u trials have found all non-zero codes after %d "
                     "steps",
                     good, trials->len, last);
}

/* ---- claims ---- */

typedef struct {
  Claim claim;
  void (*judge) (Claim *claim, const char *folder);
} Rule;

static const Rule rules[] = {
  { { "time",
      { "time" },
      "The orthogonal learner converges faster than gradient descent and "
      "the maximisation of the fourth power.",
      0,
      NULL },
    judge_faster },
  { { "time", { "time-error" }, "And its error is smaller.", 0, NULL },
    judge_closer },
  { { "convergence",
      { "convergence" },
      "The algorithm for complete dictionaries converges fast, with any "
      "number of samples, after a warm start.",
      0,
      NULL },
    judge_convergence },
  { { "convergence",
      { NULL },
      "With more samples the result is more accurate.",
      0,
      NULL },
    judge_more_samples },
  { { "condition",
      { "condition" },
      "Without noise the error does not depend on the condition number.",
      0,
      NULL },
    judge_stable },
  { { "condition",
      { "noise" },
      "With noise, a badly conditioned dictionary is hard to recover.",
      0,
      NULL },
    judge_noisy },
  { { "condition",
      { "condition-needed" },
      "The samples needed for an error of 10 % grow far less with the "
      "condition number than the theory asks for (its 12th power).",
      0,
      NULL },
    judge_needed },
  { { "support",
      { "support", "support-error" },
      "The warm start finds all non-zero codes.",
      0,
      NULL },
    judge_support },
};

static void
clear_claim (gpointer data)
{
  g_free (((Claim *) data)->reason);
}

GArray *
claims_judge (const char *folder)
{
  GArray *claims = g_array_new (FALSE, TRUE, sizeof (Claim));

  g_array_set_clear_func (claims, clear_claim);
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++) {
    Claim claim = rules[i].claim;

    rules[i].judge (&claim, folder);
    g_array_append_val (claims, claim);
  }
  return claims;
}

const char *
verdict_name (Verdict verdict)
{
  static const char *const names[] = { "holds", "partly", "fails", "open" };

  return names[verdict];
}

/* ---- the page ---- */

static const char page_head[] =
  "<!DOCTYPE html>\n"
  "<html lang=\"en\">\n"
  "<meta charset=\"utf-8\">\n"
  "<meta name=\"viewport\" content=\"width=device-width\">\n"
  "<title>Synthetic experiments</title>\n"
  "<style>\n"
  "body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem;\n"
  "  font: 1rem/1.5 system-ui, sans-serif; color: #222; background: #fff }\n"
  "img { max-width: 100%; height: auto }\n"
  "section { break-inside: avoid }\n"
  "b { padding: 0 .4em; border-radius: .3em; background: #ddd }\n"
  ".holds { background: #bde5c0 } .partly { background: #f6e3a1 }\n"
  ".fails { background: #f2bcb5 }\n"
  "small { color: #555 }\n"
  "@page { margin: 14mm }\n"
  "@media print { body { margin: 0; padding: 0; max-width: none;\n"
  "  font-size: 10pt } img { max-height: 84mm } }\n"
  "</style>\n"
  "<h1>Synthetic experiments</h1>\n";

GBytes *
claims_page (const GArray *claims, const char *note)
{
  GString *page = g_string_new (page_head);

  g_string_append_printf (page, "<p>%s</p>\n", note);
  for (guint i = 0; i < claims->len; i++) {
    const Claim *claim = &g_array_index (claims, Claim, i);

    g_string_append (page, "<section>\n");
    for (int f = 0; claim->figures[f] != NULL; f++)
      g_string_append_printf (page, "<img src=\"%s.svg\" alt=\"%s\">\n",
                              claim->figures[f], claim->figures[f]);
    g_string_append_printf (
      page, "<p>The paper: %s<br>Here it <b class=\"%s\">%s</b>: %s.</p>\n",
      claim->text, verdict_name (claim->verdict),
      claim->verdict == VERDICT_PARTLY ? "holds in part"
      : claim->verdict == VERDICT_OPEN ? "is open"
                                       : verdict_name (claim->verdict),
      claim->reason);
    g_string_append (page, "</section>\n");
  }
  g_string_append (page, "<p><small>Tables with all numbers are beside this "
                         "page.</small></p>\n</html>\n");
  return g_string_free_to_bytes (page);
}
