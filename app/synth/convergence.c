/* convergence.c - how the error falls from step to step
 *
 * The mini-batch algorithm (Algorithm 2) with warm start, for a dictionary of
 * a given condition number and several numbers of samples p.  The more there
 * are, the better the preconditioner and the lower the error in the end.
 */
#include "app/synth/synth.h"

static const char *const columns[] = {
  "algorithm", "n",     "samples",         "condition", "trial",
  "iteration", "error", "direction_error", NULL
};

static const char *const summary_columns[] = {
  "algorithm", "samples", "iterations", "error", "error_min", "error_max", NULL
};

static SynthRun
make_run (const SynthOptions *options, const char *algorithm, int samples,
          int trial)
{
  SynthRun run = { .algorithm = algorithm,
                   .synthetic = SYNTHETIC_DEFAULTS,
                   .samples = samples,
                   .trial = trial };

  run.synthetic.n = g_array_index (options->sizes, int, 0);
  run.synthetic.condition = g_array_index (options->conditions, double, 0);
  run.synthetic.seed = synth_trial_seed (options->seed, trial);
  run.learn = synth_learn_options (&run.synthetic);
  synth_set_steps (&run, options->iterations, options->batch);
  run.trace = g_array_new (FALSE, FALSE, sizeof (Recovery));
  return run;
}

/* The trials of an algorithm and a number of samples follow each other. */
static GArray *
make_runs (const SynthOptions *options)
{
  GArray *runs = synth_runs_new ();

  for (int a = 0; options->algorithms[a] != NULL; a++)
    for (guint s = 0; s < options->samples->len; s++)
      for (int trial = 0; trial < options->trials; trial++) {
        SynthRun run =
          make_run (options, options->algorithms[a],
                    g_array_index (options->samples, int, s), trial);

        g_array_append_val (runs, run);
      }
  return runs;
}

static Table *
tabulate (const GArray *runs)
{
  Table *table = table_new (columns);

  for (guint i = 0; i < runs->len; i++) {
    const SynthRun *run = &g_array_index (runs, SynthRun, i);

    for (guint t = 0; t < run->trace->len; t++) {
      const Recovery *error = &g_array_index (run->trace, Recovery, t);

      table_add_text (table, run->algorithm);
      table_add_count (table, run->synthetic.n);
      table_add_count (table, run->samples);
      table_add_number (table, run->synthetic.condition);
      table_add_count (table, run->trial);
      table_add_count (table, t + 1);
      table_add_number (table, error->relative);
      table_add_number (table, error->direction);
    }
  }
  return table;
}

/* The errors of @count trials after step @t, as far as they have one. */
static Spread
spread_at (const SynthRun *trials, int count, guint t)
{
  Spread spread = SPREAD_EMPTY;

  for (int i = 0; i < count; i++)
    if (t < trials[i].trace->len)
      spread_add (&spread,
                  g_array_index (trials[i].trace, Recovery, t).relative);
  return spread;
}

static void
add_line (Plot *plot, Table *summary, const SynthRun *trials, int count,
          gboolean is_only_algorithm)
{
  g_autofree char *name =
    is_only_algorithm
      ? g_strdup_printf ("p = %d", trials->samples)
      : g_strdup_printf ("%s, p = %d", trials->algorithm, trials->samples);
  guint steps = trials->trace->len;
  Spread last = SPREAD_EMPTY;

  plot_add_line (plot, name);
  for (guint t = 0; t < steps; t++) {
    last = spread_at (trials, count, t);
    plot_add_point (plot, t + 1, &last);
  }
  table_add_text (summary, trials->algorithm);
  table_add_count (summary, trials->samples);
  table_add_count (summary, steps);
  table_add_spread (summary, &last);
}

gboolean
synth_convergence (const SynthOptions *options, SynthReport *report,
                   const Progress *progress, GError **error)
{
  const PlotOptions plot_options = { "Error from step to step", "iteration",
                                     "error |A - A*| / |A*|", AXIS_LINEAR,
                                     AXIS_LOG };
  gboolean is_only_algorithm = options->algorithms[1] == NULL;
  g_autoptr (GArray) runs = make_runs (options);
  Table *summary;
  Plot *plot;

  if (!synth_run_all (runs, progress, error))
    return FALSE;
  summary = table_new (summary_columns);
  plot = plot_new (&plot_options);
  for (guint i = 0; i < runs->len; i += (guint) options->trials)
    add_line (plot, summary, &g_array_index (runs, SynthRun, i),
              options->trials, is_only_algorithm);
  plot_take_note (
    plot, synth_note (
            options->trials, "n = %d, condition number %g, %d samples per step",
            g_array_index (options->sizes, int, 0),
            g_array_index (options->conditions, double, 0), options->batch));
  synth_report_add_table (report, "convergence", tabulate (runs));
  synth_report_add_plot (report, "convergence", plot);
  synth_report_set_summary (report, summary);
  return TRUE;
}
