/* time.c - time and error of learning an orthonormal dictionary
 *
 * For each n, from p = (samples) n samples without noise.  As in the paper all
 * algorithms go on from the same warm start (Algorithm 4), with the final
 * threshold and until |D_t - D_(t-1)| <= 1e-7; the time of the warm start is
 * in a column of its own.
 *
 * The largest sizes take hours: the table is written after each trial, and
 * trials in it are not run again.
 */
#include "app/synth/synth.h"

#include "app/files/output.h"
#include "app/synth/cells.h"

#define TOLERANCE 1e-7

/* The warm start ends with the threshold that half of the codes exceed, the
 * median magnitude of a standard normal number.  If it went on to the final
 * threshold, nothing would be left to compare. */
#define WARM_THRESHOLD 0.67448975

/* The step of the gradient method in the paper, "the largest step-size to
 * guarantee convergence". */
#define GRADIENT_RATE 1e-5

static const char *const columns[] = {
  "algorithm", "n",          "samples",   "trial", "warm_start_seconds",
  "seconds",   "iterations", "converged", "error", "direction_error",
  NULL
};

static const char *const summary_columns[] = {
  "algorithm",   "n",           "samples",    "seconds",
  "seconds_min", "seconds_max", "iterations", "error",
  "error_min",   "error_max",   NULL
};

/* What the trials of one algorithm at one size gave. */
typedef struct {
  Spread seconds, iterations, error;
} Outcome;

typedef struct {
  const SynthOptions *options;
  Table *table;
  Outcome *outcomes; /* algorithm after algorithm, the sizes of each */
} Experiment;

/* One dictionary to find, and what all algorithms get to find it. */
typedef struct {
  int size; /* its number among the sizes */
  int number;
  SyntheticOptions options;
  SyntheticData *synthetic;
  Mat Y;
  SynthLearned start;
} Trial;

static int
size_at (const SynthOptions *options, int i)
{
  return g_array_index (options->sizes, int, i);
}

static Outcome *
outcome_at (const Experiment *experiment, int algorithm, int size)
{
  return &experiment
            ->outcomes[algorithm * (int) experiment->options->sizes->len
                       + size];
}

/* ---- a trial ---- */

static gboolean
trial_init (Trial *trial, const SynthOptions *options, int size, int number,
            GError **error)
{
  int n = size_at (options, size);
  int samples = g_array_index (options->samples, int, 0);

  *trial =
    (Trial){ .size = size, .number = number, .options = SYNTHETIC_DEFAULTS };
  trial->options.n = n;
  trial->options.seed = synth_trial_seed (options->seed, number);
  trial->synthetic = synth_make_data (&trial->options, error);
  if (trial->synthetic == NULL)
    return FALSE;
  trial->Y = mat_new (n, samples * n);
  synth_samples (trial->synthetic, &trial->Y, NULL);
  return TRUE;
}

static void
trial_clear (Trial *trial)
{
  synthetic_free (trial->synthetic);
  mat_clear (&trial->Y);
  synth_learned_clear (&trial->start);
}

/* Algorithm 4 down to WARM_THRESHOLD. */
static gboolean
warm_start (Trial *trial, const Progress *progress, GError **error)
{
  LearnOptions learn = synth_learn_options (&trial->options);

  learn.threshold = WARM_THRESHOLD / synthetic_deviation (&trial->options);
  /* No step counts as small while the threshold falls; the first one at its
   * end shall be the last. */
  learn.tolerance = G_MAXDOUBLE;
  learn.iterations = G_MAXINT;
  return synth_learn ("orthogonal", &learn, &trial->Y, &trial->start, progress,
                      error);
}

/* Counts a result that is in the table. */
static void
count_result (Experiment *experiment, int algorithm, int size, double seconds,
              double iterations, double error)
{
  Outcome *outcome = outcome_at (experiment, algorithm, size);

  spread_add (&outcome->seconds, seconds);
  spread_add (&outcome->iterations, iterations);
  spread_add (&outcome->error, error);
}

static void
record (Experiment *experiment, const Trial *trial, int algorithm,
        const SynthLearned *learned)
{
  const SynthOptions *options = experiment->options;
  Recovery error = recovery_measure (&learned->A, &trial->synthetic->A);
  Table *table = experiment->table;

  table_add_text (table, options->algorithms[algorithm]);
  table_add_count (table, trial->Y.rows);
  table_add_count (table, trial->Y.cols);
  table_add_count (table, trial->number);
  table_add_number (table, trial->start.seconds);
  table_add_number (table, learned->seconds);
  table_add_count (table, learned->iterations);
  table_add_count (table, learned->change <= TOLERANCE);
  table_add_number (table, error.distance);
  table_add_number (table, error.direction);
  count_result (experiment, algorithm, trial->size, learned->seconds,
                learned->iterations, error.distance);
}

static gboolean
learn (Experiment *experiment, const Trial *trial, int algorithm,
       const Progress *progress, GError **error)
{
  const SynthOptions *options = experiment->options;
  LearnOptions learn_options = synth_learn_options (&trial->options);
  double unit = synthetic_deviation (&trial->options);
  g_auto (SynthLearned) learned = { 0 };

  learn_options.init = INIT_GIVEN;
  learn_options.start = &trial->start.A;
  learn_options.shrink = 0;
  learn_options.iterations = options->iterations;
  learn_options.tolerance = TOLERANCE;
  /* In the units that learners see, gradients are larger by unit^-2. */
  learn_options.rate = GRADIENT_RATE * unit * unit;
  if (!synth_learn (options->algorithms[algorithm], &learn_options, &trial->Y,
                    &learned, progress, error))
    return FALSE;
  record (experiment, trial, algorithm, &learned);
  return TRUE;
}

static gboolean
run_trial (Experiment *experiment, Trial *trial, const Progress *progress,
           GError **error)
{
  char **algorithms = experiment->options->algorithms;
  double parts = g_strv_length (algorithms) + 1;
  ProgressPart part = { progress, 0, 1 / parts };
  Progress partial = progress_part (&part);

  if (!warm_start (trial, &partial, error))
    return FALSE;
  for (int i = 0; algorithms[i] != NULL; i++) {
    part.from = part.to;
    part.to = (i + 2) / parts;
    if (!learn (experiment, trial, i, &partial, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
make_trial (Experiment *experiment, int size, int number,
            const Progress *progress, GError **error)
{
  Trial trial;
  gboolean ok = trial_init (&trial, experiment->options, size, number, error)
                && run_trial (experiment, &trial, progress, error);

  trial_clear (&trial);
  return ok;
}

/* ---- checkpoints ---- */

#define CHECKPOINT "time" SYNTH_UNFINISHED

/* The row of the checkpoint with this trial of an algorithm; -1 if none. */
static int
find_row (const Cells *cells, const char *algorithm, int n, int number)
{
  for (guint i = 0; i < cells->rows->len; i++)
    if (g_str_equal (cells_text (cells, i, "algorithm"), algorithm)
        && cells_number (cells, i, "n") == n
        && cells_number (cells, i, "trial") == number)
      return (int) i;
  return -1;
}

/* Takes a trial from the checkpoint, if all of it is there. */
static gboolean
take_trial (Experiment *experiment, const Cells *cells, int size, int number)
{
  const SynthOptions *options = experiment->options;
  int n = size_at (options, size);

  for (int i = 0; options->algorithms[i] != NULL; i++)
    if (find_row (cells, options->algorithms[i], n, number) < 0)
      return FALSE;
  for (int i = 0; options->algorithms[i] != NULL; i++) {
    guint row = (guint) find_row (cells, options->algorithms[i], n, number);

    for (int k = 0; columns[k] != NULL; k++)
      table_add_text (experiment->table, cells_text (cells, row, columns[k]));
    count_result (experiment, i, size, cells_number (cells, row, "seconds"),
                  cells_number (cells, row, "iterations"),
                  cells_number (cells, row, "error"));
  }
  return TRUE;
}

static gboolean
write_checkpoint (const Experiment *experiment, GError **error)
{
  const char *folder = experiment->options->checkpoints;
  g_autofree char *path = NULL;
  g_autoptr (GBytes) content = NULL;

  if (folder == NULL)
    return TRUE;
  path = g_build_filename (folder, CHECKPOINT ".csv", NULL);
  content = table_to_csv (experiment->table);
  return output_write (path, content, TRUE, error);
}

/* ---- all trials ---- */

/* A step takes about 400 n^3 operations. */
static double
total_work (const SynthOptions *options)
{
  double work = 0;

  for (int i = 0; i < (int) options->sizes->len; i++) {
    double n = size_at (options, i);

    work += options->trials * n * n * n;
  }
  return work;
}

static gboolean
run_all (Experiment *experiment, const Progress *progress, GError **error)
{
  const SynthOptions *options = experiment->options;
  double total = total_work (options), done = 0;
  g_auto (Cells) before = { 0 };

  if (options->checkpoints != NULL)
    before = cells_read (options->checkpoints, CHECKPOINT);
  for (int size = 0; size < (int) options->sizes->len; size++)
    for (int number = 0; number < options->trials; number++) {
      double n = size_at (options, size);
      ProgressPart part = { progress, done, done + n * n * n / total };
      Progress partial = progress_part (&part);

      done = part.to;
      if (before.rows != NULL
          && take_trial (experiment, &before, size, number))
        continue;
      if (!make_trial (experiment, size, number, &partial, error)
          || !write_checkpoint (experiment, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the report ---- */

static Table *
summarise (const Experiment *experiment)
{
  const SynthOptions *options = experiment->options;
  Table *summary = table_new (summary_columns);

  for (int i = 0; options->algorithms[i] != NULL; i++)
    for (int size = 0; size < (int) options->sizes->len; size++) {
      const Outcome *outcome = outcome_at (experiment, i, size);
      int n = size_at (options, size);

      table_add_text (summary, options->algorithms[i]);
      table_add_count (summary, n);
      table_add_count (summary, n * g_array_index (options->samples, int, 0));
      table_add_spread (summary, &outcome->seconds);
      table_add_number (summary, spread_mean (&outcome->iterations));
      table_add_spread (summary, &outcome->error);
    }
  return summary;
}

static void
add_plots (const Experiment *experiment, SynthReport *report)
{
  const SynthOptions *options = experiment->options;
  const PlotOptions time = { "Time to learn an orthonormal dictionary",
                             "dimension n", "seconds", AXIS_LOG, AXIS_LOG };
  const PlotOptions error = { "Error after learning", "dimension n",
                              "error |D - D*|", AXIS_LOG, AXIS_LOG };
  int samples = g_array_index (options->samples, int, 0);
  Plot *times = plot_new (&time), *errors = plot_new (&error);

  for (int i = 0; options->algorithms[i] != NULL; i++) {
    plot_add_line (times, options->algorithms[i]);
    plot_add_line (errors, options->algorithms[i]);
    for (int size = 0; size < (int) options->sizes->len; size++) {
      const Outcome *outcome = outcome_at (experiment, i, size);

      plot_add_point (times, size_at (options, size), &outcome->seconds);
      plot_add_point (errors, size_at (options, size), &outcome->error);
    }
  }
  plot_take_note (times,
                  synth_note (options->trials,
                              "from the same warm start, p = %d n", samples));
  plot_take_note (errors, synth_note (options->trials,
                                      "steps below 1e-7, p = %d n", samples));
  synth_report_add_plot (report, "time", times);
  synth_report_add_plot (report, "time-error", errors);
}

gboolean
synth_time (const SynthOptions *options, SynthReport *report,
            const Progress *progress, GError **error)
{
  guint count = g_strv_length (options->algorithms) * options->sizes->len;
  g_autofree Outcome *outcomes = g_new0 (Outcome, count);
  Experiment experiment = { options, table_new (columns), outcomes };

  synth_report_add_table (report, "time", experiment.table);
  if (!run_all (&experiment, progress, error))
    return FALSE;
  synth_report_set_summary (report, summarise (&experiment));
  add_plots (&experiment, report);
  return TRUE;
}
