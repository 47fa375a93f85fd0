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

#include <math.h>
#include <stdlib.h>

#define SAME 3.0

/* ---- tables ---- */

typedef struct {
  char **header;
  GPtrArray *rows; /* char ** */
} Cells;

static void
cells_clear (Cells *cells)
{
  g_clear_pointer (&cells->header, g_strfreev);
  g_clear_pointer (&cells->rows, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cells, cells_clear)

static void
free_row (gpointer row)
{
  g_strfreev (row);
}

/* Reads NAME.csv, whose cells have no commas of their own; no rows if there is
 * none. */
static Cells
cells_read (const char *folder, const char *name)
{
  Cells cells = { NULL, g_ptr_array_new_with_free_func (free_row) };
  g_autofree char *file = g_strconcat (name, ".csv", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return cells;
  lines = g_strsplit (text, "\n", -1);
  cells.header = g_strsplit (g_strchomp (lines[0]), ",", -1);
  for (int i = 1; lines[i] != NULL; i++) {
    char **row = g_strsplit (g_strchomp (lines[i]), ",", -1);

    if (g_strv_length (row) == g_strv_length (cells.header))
      g_ptr_array_add (cells.rows, row);
    else
      g_strfreev (row);
  }
  return cells;
}

static const char *
cell (const Cells *cells, guint row, const char *column)
{
  for (int i = 0; cells->header[i] != NULL; i++)
    if (g_str_equal (cells->header[i], column))
      return ((char **) g_ptr_array_index (cells->rows, row))[i];
  return "";
}

static double
number (const Cells *cells, guint row, const char *column)
{
  const char *text = cell (cells, row, column);

  return *text != '\0' ? g_ascii_strtod (text, NULL) : NAN;
}

/* The different cells of a column, in the order of the table. */
static GPtrArray *
values (const Cells *cells, const char *column)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < cells->rows->len; i++) {
    gpointer text = (gpointer) cell (cells, i, column);

    if (!g_ptr_array_find_with_equal_func (list, text, g_str_equal, NULL))
      g_ptr_array_add (list, text);
  }
  return list;
}

static const char *
value_at (const GPtrArray *list, guint i)
{
  return g_ptr_array_index (list, i);
}

static gboolean
matches (const Cells *cells, guint row, const char *column, const char *value)
{
  return column == NULL || g_str_equal (cell (cells, row, column), value);
}

/* The mean of @column over rows with these values; NaN if there are none. */
static double
mean (const Cells *cells, const char *column, const char *key_a,
      const char *value_a, const char *key_b, const char *value_b)
{
  double sum = 0;
  int count = 0;

  for (guint i = 0; i < cells->rows->len; i++)
    if (matches (cells, i, key_a, value_a)
        && matches (cells, i, key_b, value_b)) {
      sum += number (cells, i, column);
      count++;
    }
  return count > 0 ? sum / count : NAN;
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
judge_first (Claim *claim, const Cells *cells, const char *column)
{
  g_autoptr (GPtrArray) sizes = values (cells, "n");
  g_autoptr (GPtrArray) learners = values (cells, "algorithm");
  g_autoptr (GString) text = g_string_new (NULL);
  int good = 0, all = 0;

  for (guint i = 0; i < sizes->len; i++) {
    const char *n = value_at (sizes, i);
    double ours = mean (cells, column, "algorithm", "orthogonal", "n", n);

    g_string_append_printf (text, "%sn = %s: orthogonal %.3g",
                            i > 0 ? "; " : "", n, ours);
    for (guint a = 0; a < learners->len; a++) {
      const char *name = value_at (learners, a);
      double other = mean (cells, column, "algorithm", name, "n", n);

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
  g_auto (Cells) cells = cells_read (folder, "time");

  judge_first (claim, &cells, "seconds");
}

static void
judge_closer (Claim *claim, const char *folder)
{
  g_auto (Cells) cells = cells_read (folder, "time");

  judge_first (claim, &cells, "error");
}

/* The mean error of all trials after step @step with so many samples. */
static double
error_after (const Cells *cells, const char *samples, int step)
{
  g_autofree char *text = g_strdup_printf ("%d", step);

  return mean (cells, "error", "samples", samples, "iteration", text);
}

static int
last_step (const Cells *cells)
{
  double last = 0;

  for (guint i = 0; i < cells->rows->len; i++)
    last = fmax (last, number (cells, i, "iteration"));
  return (int) last;
}

static void
judge_more_samples (Claim *claim, const char *folder)
{
  g_auto (Cells) cells = cells_read (folder, "convergence");
  g_autoptr (GPtrArray) samples = values (&cells, "samples");
  g_autoptr (GString) text = g_string_new ("last error");
  int last = last_step (&cells), good = 0;

  for (guint i = 0; i < samples->len; i++) {
    double error = error_after (&cells, value_at (samples, i), last);

    g_string_append_printf (text, "%s %.2g with %s samples", i > 0 ? "," : "",
                            error, value_at (samples, i));
    if (i > 0
        && error < error_after (&cells, value_at (samples, i - 1), last))
      good++;
  }
  claim->verdict = verdict_of (good, MAX (0, (int) samples->len - 1));
  claim->reason = g_string_free (g_steal_pointer (&text), FALSE);
}

static void
judge_convergence (Claim *claim, const char *folder)
{
  g_auto (Cells) cells = cells_read (folder, "convergence");
  g_autoptr (GPtrArray) samples = values (&cells, "samples");
  g_autoptr (GString) text = g_string_new ("within a tenth of the last error");
  int last = last_step (&cells), good = 0;

  for (guint i = 0; i < samples->len; i++) {
    double end = error_after (&cells, value_at (samples, i), last);
    int step = last;

    while (step > 1
           && error_after (&cells, value_at (samples, i), step - 1)
                <= 1.1 * end)
      step--;
    g_string_append_printf (text, "%s after %d of %d steps with %s samples",
                            i > 0 ? "," : "", step, last,
                            value_at (samples, i));
    good += step <= last / 2 ? 1 : 0;
  }
  claim->verdict = verdict_of (good, (int) samples->len);
  claim->reason = g_string_free (g_steal_pointer (&text), FALSE);
}

/* Smallest and largest mean error of all condition numbers at one noise. */
static void
error_range (const Cells *cells, const char *noise, double *low, double *high)
{
  g_autoptr (GPtrArray) conditions = values (cells, "condition");

  *low = G_MAXDOUBLE;
  *high = 0;
  for (guint i = 0; i < conditions->len; i++) {
    double error = mean (cells, "error", "condition",
                         value_at (conditions, i), "noise", noise);

    *low = fmin (*low, error);
    *high = fmax (*high, error);
  }
}

static void
judge_stable (Claim *claim, const char *folder)
{
  g_auto (Cells) cells = cells_read (folder, "condition");
  g_autoptr (GPtrArray) noise = values (&cells, "noise");
  double low, high;

  claim->verdict = VERDICT_OPEN;
  if (noise->len == 0 || g_ascii_strtod (value_at (noise, 0), NULL) != 0) {
    claim->reason = g_strdup ("there are no samples without noise");
    return;
  }
  error_range (&cells, value_at (noise, 0), &low, &high);
  claim->verdict = high <= SAME * low ? VERDICT_HOLDS : VERDICT_FAILS;
  claim->reason =
    g_strdup_printf ("mean errors from %.2g to %.2g, a factor of %.1f", low,
                     high, high / low);
}

static void
judge_noisy (Claim *claim, const char *folder)
{
  g_auto (Cells) cells = cells_read (folder, "condition");
  g_autoptr (GPtrArray) noise = values (&cells, "noise");
  g_autoptr (GPtrArray) conditions = values (&cells, "condition");
  const char *most, *first, *last;
  double easy, hard;

  claim->verdict = VERDICT_OPEN;
  claim->reason = NULL;
  if (noise->len == 0 || conditions->len < 2) {
    claim->reason = g_strdup ("there is only one condition number");
    return;
  }
  most = value_at (noise, noise->len - 1);
  first = value_at (conditions, 0);
  last = value_at (conditions, conditions->len - 1);
  easy = mean (&cells, "error", "condition", first, "noise", most);
  hard = mean (&cells, "error", "condition", last, "noise", most);
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
    double a = log (number (cells, i, x)), b = log (number (cells, i, y));

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
    double needed = number (&cells, i, "samples");
    g_autofree char *count = isfinite (needed)
                               ? g_strdup_printf ("%.0f", needed)
                               : g_strdup ("more than were tried");

    g_string_append_printf (text, "%s %s for %s", i > 0 ? "," : "", count,
                            cell (&cells, i, "condition"));
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
  g_autoptr (GPtrArray) trials = values (&cells, "trial");
  int last = last_step (&cells), good = 0;
  g_autofree char *text = g_strdup_printf ("%d", last);

  for (guint i = 0; i < trials->len; i++)
    if (mean (&cells, "missed", "trial", value_at (trials, i), "iteration",
              text)
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
  { { "time", { "time" },
      "The orthogonal learner converges faster than gradient descent and "
      "the maximisation of the fourth power.", 0, NULL },
    judge_faster },
  { { "time", { "time-error" }, "And its error is smaller.", 0, NULL },
    judge_closer },
  { { "convergence", { "convergence" },
      "The algorithm for complete dictionaries converges fast, with any "
      "number of samples, after a warm start.", 0, NULL },
    judge_convergence },
  { { "convergence", { NULL },
      "With more samples the result is more accurate.", 0, NULL },
    judge_more_samples },
  { { "condition", { "condition" },
      "Without noise the error does not depend on the condition number.", 0,
      NULL },
    judge_stable },
  { { "condition", { "noise" },
      "With noise, a badly conditioned dictionary is hard to recover.", 0,
      NULL },
    judge_noisy },
  { { "condition", { "condition-needed" },
      "The samples needed for an error of 10 % grow far less with the "
      "condition number than the theory asks for (its 12th power).", 0, NULL },
    judge_needed },
  { { "support", { "support", "support-error" },
      "The warm start finds all non-zero codes.", 0, NULL },
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
  "@media print { body { margin: 0; max-width: none } }\n"
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
