/* condition.c - badly conditioned dictionaries, and noise
 *
 * Three figures about complete dictionaries, learned from all samples at each
 * step:
 *   - the error against the condition number, one line per noise level;
 *   - the same runs against the noise level, one line per condition number;
 *   - the number of samples that it takes to get the error down to 10 %.
 */
#include "app/synth/synth.h"

#include <math.h>

/* |A - A*| / |A*| that counts as recovered. */
#define GOOD_ERROR 0.1

/* Numbers of samples that are tried: from 2 n up by this factor; the number
 * needed is interpolated, between the last two, in the logarithms of samples
 * and error. */
#define SAMPLES_FACTOR 1.25

/* Learn from all samples at each step. */
#define WHOLE_BATCH G_MAXINT

static const char *const columns[] = {
  "algorithm", "n",     "samples",         "condition", "noise",
  "trial",     "error", "direction_error", NULL
};

static const char *const summary_columns[] = {
  "algorithm", "condition", "noise", "error", "error_min", "error_max", NULL
};

static const char *const needed_columns[] = { "algorithm", "n", "condition",
                                              "samples", NULL };

/* A condition number and a noise level. */
typedef struct {
  double condition, noise;
} Setting;

static SynthRun
make_run (const SynthOptions *options, const char *algorithm,
          const Setting *setting, int samples, int trial)
{
  SynthRun run = { .algorithm = algorithm,
                   .synthetic = SYNTHETIC_DEFAULTS,
                   .samples = samples,
                   .trial = trial };

  run.synthetic.n = g_array_index (options->sizes, int, 0);
  run.synthetic.condition = setting->condition;
  run.synthetic.noise = setting->noise;
  run.synthetic.seed = synth_trial_seed (options->seed, trial);
  run.learn = synth_learn_options (&run.synthetic);
  synth_set_steps (&run, options->iterations, WHOLE_BATCH);
  return run;
}

/* Appends all trials of one setting. */
static void
append_trials (GArray *runs, const SynthOptions *options,
               const char *algorithm, const Setting *setting, int samples)
{
  for (int trial = 0; trial < options->trials; trial++) {
    SynthRun run = make_run (options, algorithm, setting, samples, trial);

    g_array_append_val (runs, run);
  }
}

static Spread
spread_of (const GArray *runs, guint first, int count)
{
  Spread spread = SPREAD_EMPTY;

  for (int i = 0; i < count; i++)
    spread_add (
      &spread,
      g_array_index (runs, SynthRun, first + (guint) i).error.relative);
  return spread;
}

static void
tabulate (Table *table, const GArray *runs)
{
  for (guint i = 0; i < runs->len; i++) {
    const SynthRun *run = &g_array_index (runs, SynthRun, i);

    table_add_text (table, run->algorithm);
    table_add_count (table, run->synthetic.n);
    table_add_count (table, run->samples);
    table_add_number (table, run->synthetic.condition);
    table_add_number (table, run->synthetic.noise);
    table_add_count (table, run->trial);
    table_add_number (table, run->error.relative);
    table_add_number (table, run->error.direction);
  }
}

/* ---- errors ---- */

/* All algorithms, condition numbers and noise levels, in this order. */
static GArray *
make_grid (const SynthOptions *options)
{
  GArray *runs = synth_runs_new ();
  int samples = g_array_index (options->samples, int, 0);

  for (int a = 0; options->algorithms[a] != NULL; a++)
    for (guint c = 0; c < options->conditions->len; c++)
      for (guint b = 0; b < options->noise_levels->len; b++) {
        Setting setting = {
          g_array_index (options->conditions, double, c),
          g_array_index (options->noise_levels, double, b),
        };

        append_trials (runs, options, options->algorithms[a], &setting,
                       samples);
      }
  return runs;
}

/* The trials of algorithm @a, condition number @c and noise level @b in the
 * grid. */
static Spread
grid_at (const SynthOptions *options, const GArray *grid, guint a, guint c,
         guint b)
{
  guint cell =
    (a * options->conditions->len + c) * options->noise_levels->len + b;

  return spread_of (grid, cell * (guint) options->trials, options->trials);
}

static char *
line_name (const SynthOptions *options, guint algorithm, const char *symbol,
           double value)
{
  if (options->algorithms[1] == NULL)
    return g_strdup_printf ("%s = %g", symbol, value);
  return g_strdup_printf ("%s, %s = %g", options->algorithms[algorithm],
                          symbol, value);
}

static void
take_grid_note (Plot *plot, const SynthOptions *options)
{
  plot_take_note (plot,
                  synth_note (options->trials, "n = %d, p = %d, %d iterations",
                              g_array_index (options->sizes, int, 0),
                              g_array_index (options->samples, int, 0),
                              options->iterations));
}

/* The same errors against either axis of the grid, one line for each value of
 * the other. */
typedef enum { BY_CONDITION, BY_NOISE } GridAxis;

static const struct {
  const char *title, *x_label, *line_symbol;
} grid_plots[] = {
  [BY_CONDITION] = { "Error for badly conditioned dictionaries",
                     "condition number \xce\xba", "\xce\xb2" },
  [BY_NOISE] = { "Error for noisy samples", "noise \xce\xb2", "\xce\xba" },
};

static Plot *
plot_grid (const SynthOptions *options, const GArray *grid, GridAxis by)
{
  const PlotOptions plot_options = { grid_plots[by].title,
                                     grid_plots[by].x_label,
                                     "error |A - A*| / |A*|", AXIS_LOG,
                                     AXIS_LOG };
  const GArray *axes[] = { [BY_CONDITION] = options->conditions,
                           [BY_NOISE] = options->noise_levels };
  const GArray *across = axes[by], *lines = axes[!by];
  Plot *plot = plot_new (&plot_options);

  take_grid_note (plot, options);
  for (guint a = 0; options->algorithms[a] != NULL; a++)
    for (guint l = 0; l < lines->len; l++) {
      g_autofree char *name =
        line_name (options, a, grid_plots[by].line_symbol,
                   g_array_index (lines, double, l));

      plot_add_line (plot, name);
      for (guint x = 0; x < across->len; x++) {
        Spread spread = by == BY_CONDITION ? grid_at (options, grid, a, x, l)
                                           : grid_at (options, grid, a, l, x);

        plot_add_point (plot, g_array_index (across, double, x), &spread);
      }
    }
  return plot;
}

static Table *
summarise (const SynthOptions *options, const GArray *grid)
{
  Table *summary = table_new (summary_columns);

  for (guint i = 0; i < grid->len; i += (guint) options->trials) {
    const SynthRun *run = &g_array_index (grid, SynthRun, i);
    Spread spread = spread_of (grid, i, options->trials);

    table_add_text (summary, run->algorithm);
    table_add_number (summary, run->synthetic.condition);
    table_add_number (summary, run->synthetic.noise);
    table_add_spread (summary, &spread);
  }
  return summary;
}

/* Runs the grid and reports its numbers as NAME.csv. */
static GArray *
run_grid (const SynthOptions *options, const char *name, SynthReport *report,
          const Progress *progress, GError **error)
{
  g_autoptr (GArray) grid = make_grid (options);
  Table *table;

  if (!synth_run_all (grid, progress, error))
    return NULL;
  table = table_new (columns);
  tabulate (table, grid);
  synth_report_add_table (report, name, table);
  synth_report_set_summary (report, summarise (options, grid));
  return g_steal_pointer (&grid);
}

gboolean
synth_noise (const SynthOptions *options, SynthReport *report,
             const Progress *progress, GError **error)
{
  g_autoptr (GArray) grid =
    run_grid (options, "noise", report, progress, error);

  if (grid == NULL)
    return FALSE;
  synth_report_add_plot (report, "noise", plot_grid (options, grid, BY_NOISE));
  return TRUE;
}

/* ---- samples needed ---- */

/* For each algorithm and condition number, the least number of samples with
 * which the mean error is good; NaN as long as none was found. */
typedef struct {
  const SynthOptions *options;
  double *needed;
  double *before; /* mean error with the last number tried, or NaN */
  int last;       /* that number */
  Table *table;   /* all runs */
} Search;

/* The trials with so many samples of all that are still being looked for. */
static GArray *
open_runs (const Search *search, int samples)
{
  const SynthOptions *options = search->options;
  guint conditions = options->conditions->len;
  GArray *runs = synth_runs_new ();

  for (guint i = 0; i < g_strv_length (options->algorithms) * conditions;
       i++) {
    Setting setting = {
      .condition = g_array_index (options->conditions, double, i % conditions),
    };

    if (isnan (search->needed[i]))
      append_trials (runs, options, options->algorithms[i / conditions],
                     &setting, samples);
  }
  return runs;
}

/* Where the error crosses GOOD_ERROR, between the last number of samples and
 * @samples. */
static double
interpolate (const Search *search, guint i, int samples, double error)
{
  double before = search->before[i], share;

  if (isnan (before) || !(error > 0))
    return samples;
  share = log (before / GOOD_ERROR) / log (before / error);
  return search->last * pow ((double) samples / search->last, share);
}

/* Takes in what open_runs() gave, now done. */
static void
close_runs (Search *search, const GArray *runs, int samples)
{
  guint first = 0;

  for (guint i = 0; first < runs->len; i++) {
    Spread spread;

    if (!isnan (search->needed[i]))
      continue;
    spread = spread_of (runs, first, search->options->trials);
    if (spread_mean (&spread) <= GOOD_ERROR)
      search->needed[i] =
        interpolate (search, i, samples, spread_mean (&spread));
    search->before[i] = spread_mean (&spread);
    first += (guint) search->options->trials;
  }
  search->last = samples;
  tabulate (search->table, runs);
}

/* Tries more and more samples, up to as many as the other figure has. */
static gboolean
search_needed (Search *search, const Progress *progress, GError **error)
{
  const SynthOptions *options = search->options;
  double first = 2 * g_array_index (options->sizes, int, 0);
  double most = g_array_index (options->samples, int, 0);

  for (double samples = first; samples <= most; samples *= SAMPLES_FACTOR) {
    ProgressPart part = { progress, log (samples / first) / log (most / first),
                          1 };
    Progress partial;
    g_autoptr (GArray) runs = open_runs (search, (int) samples);

    part.to = fmin (1, part.from + log (SAMPLES_FACTOR) / log (most / first));
    partial = progress_part (&part);
    if (!synth_run_all (runs, &partial, error))
      return FALSE;
    close_runs (search, runs, (int) samples);
  }
  return TRUE;
}

static void
report_needed (const Search *search, SynthReport *report)
{
  const SynthOptions *options = search->options;
  const PlotOptions plot_options = { "Samples to bring the error below 10 %",
                                     "condition number \xce\xba", "samples p",
                                     AXIS_LOG, AXIS_LOG };
  Plot *plot = plot_new (&plot_options);
  Table *table = table_new (needed_columns);
  guint i = 0;

  plot_take_note (plot,
                  g_strdup_printf ("n = %d; mean error of %d trials",
                                   g_array_index (options->sizes, int, 0),
                                   options->trials));
  for (int a = 0; options->algorithms[a] != NULL; a++) {
    plot_add_line (plot, options->algorithms[a]);
    for (guint c = 0; c < options->conditions->len; c++, i++) {
      double condition = g_array_index (options->conditions, double, c);
      Spread needed = SPREAD_OF (search->needed[i]);

      plot_add_point (plot, condition, &needed);
      table_add_text (table, options->algorithms[a]);
      table_add_count (table, g_array_index (options->sizes, int, 0));
      table_add_number (table, condition);
      table_add_number (table, search->needed[i]);
    }
  }
  synth_report_add_table (report, "condition-needed", table);
  synth_report_add_plot (report, "condition-needed", plot);
}

static gboolean
find_needed (const SynthOptions *options, SynthReport *report,
             const Progress *progress, GError **error)
{
  guint count = g_strv_length (options->algorithms) * options->conditions->len;
  g_autofree double *needed = g_new (double, count);
  g_autofree double *before = g_new (double, count);
  Search search = { options, needed, before, 0, table_new (columns) };

  for (guint i = 0; i < count; i++)
    needed[i] = before[i] = NAN;
  synth_report_add_table (report, "condition-samples", search.table);
  if (!search_needed (&search, progress, error))
    return FALSE;
  report_needed (&search, report);
  return TRUE;
}

gboolean
synth_condition (const SynthOptions *options, SynthReport *report,
                 const Progress *progress, GError **error)
{
  ProgressPart parts[] = { { progress, 0, 0.7 }, { progress, 0.7, 1 } };
  Progress first = progress_part (&parts[0]);
  Progress second = progress_part (&parts[1]);
  g_autoptr (GArray) grid =
    run_grid (options, "condition", report, &first, error);

  if (grid == NULL)
    return FALSE;
  synth_report_add_plot (report, "condition",
                         plot_grid (options, grid, BY_CONDITION));
  return find_needed (options, report, &second, error);
}
