/* synth.c - runs the paper's experiments on synthetic data */
#include "app/synth/synth.h"

#include "app/command.h"
#include "app/cli/commandline.h"
#include "app/files/folder.h"
#include "app/cli/optionlist.h"
#include "app/files/output.h"
#include "app/cli/progressbar.h"
#include "app/cli/jsonreport.h"
#include "app/cli/suggest.h"
#include "app/cli/terminal.h"
#include "base/error.h"
#include "base/parallel.h"

static const char about[] =
  "Examples:\n"
  "  tessera synth time -o results\n"
  "  tessera synth condition --conditions 1,10,100,1000 -o results\n"
  "  tessera synth convergence --full -o results\n"
  "\n"
  "Learns dictionaries from samples made with a known one, and writes how\n"
  "well and how fast it was found, as tables (CSV) and figures (SVG).\n"
  "\n"
  "Experiments:\n"
  "  time         time and error for orthonormal dictionaries of many sizes\n"
  "  convergence  error from step to step, for several numbers of samples\n"
  "  condition    error, and samples needed, against the condition number\n"
  "  noise        error against the noise in the samples\n"
  "  support      how the warm start finds the non-zero codes";

#define MAX_SIZE 4000
#define MAX_SAMPLES 100000000
#define MAX_ENTRIES 1e9 /* of a matrix of samples */
#define MAX_TRIALS 1000
#define MAX_ITERATIONS 1000000

/* What the size of an experiment is made of; options of the same order. */
enum {
  SIZES,
  SAMPLES,
  CONDITIONS,
  NOISE_LEVELS,
  ALGORITHMS,
  TRIALS,
  ITERATIONS,
  BATCH,
  SETTINGS
};

/* A row of the table of experiments.  Settings are written as on the command
 * line; NULL where an experiment has no use for them. */
typedef struct {
  const char *name;
  SynthFunc run;
  guint several;               /* bit i: setting i may be a list of several */
  gboolean is_per_dimension;   /* SAMPLES times n is what is meant */
  const char *quick[SETTINGS]; /* about a minute */
  const char *full[SETTINGS];  /* the paper's */
} Experiment;

static const Experiment experiments[] = {
  { "time",
    synth_time,
    1 << SIZES | 1 << ALGORITHMS,
    TRUE,
    { [SIZES] = "20,40,80",
      [SAMPLES] = "100",
      [ALGORITHMS] = "orthogonal,gradient,l4",
      [TRIALS] = "3",
      [ITERATIONS] = "2000" },
    { [SIZES] = "50,100,200,400,800",
      [SAMPLES] = "100",
      [ALGORITHMS] = "orthogonal,gradient,l4",
      [TRIALS] = "5",
      [ITERATIONS] = "1000" } },
  { "convergence",
    synth_convergence,
    1 << SAMPLES | 1 << ALGORITHMS,
    FALSE,
    { [SIZES] = "5",
      [SAMPLES] = "1k,10k,100k",
      [CONDITIONS] = "10",
      [ALGORITHMS] = "minibatch",
      [TRIALS] = "5",
      [ITERATIONS] = "500",
      [BATCH] = "100" },
    { [SIZES] = "5",
      [SAMPLES] = "1k,10k,100k,1M",
      [CONDITIONS] = "10",
      [ALGORITHMS] = "minibatch",
      [TRIALS] = "20",
      [ITERATIONS] = "1000",
      [BATCH] = "100" } },
  { "condition",
    synth_condition,
    1 << CONDITIONS | 1 << NOISE_LEVELS | 1 << ALGORITHMS,
    FALSE,
    { [SIZES] = "5",
      [SAMPLES] = "10k",
      [CONDITIONS] = "1,3,10,30,100,300,1000",
      [NOISE_LEVELS] = "0,0.0001,0.001,0.01",
      [ALGORITHMS] = "minibatch",
      [TRIALS] = "5",
      [ITERATIONS] = "400" },
    { [SIZES] = "5",
      [SAMPLES] = "100k",
      [CONDITIONS] = "1,2,5,10,20,50,100,200,500,1000",
      [NOISE_LEVELS] = "0,0.0001,0.001,0.01,0.1",
      [ALGORITHMS] = "minibatch",
      [TRIALS] = "10",
      [ITERATIONS] = "1000" } },
  { "noise",
    synth_noise,
    1 << CONDITIONS | 1 << NOISE_LEVELS | 1 << ALGORITHMS,
    FALSE,
    { [SIZES] = "5",
      [SAMPLES] = "10k",
      [CONDITIONS] = "1,10,100",
      [NOISE_LEVELS] = "0.0001,0.0003,0.001,0.003,0.01,0.03,0.1,0.3",
      [ALGORITHMS] = "minibatch",
      [TRIALS] = "5",
      [ITERATIONS] = "400" },
    { [SIZES] = "5",
      [SAMPLES] = "100k",
      [CONDITIONS] = "1,10,100,1000",
      [NOISE_LEVELS] = "0.0001,0.0003,0.001,0.003,0.01,0.03,0.1,0.3",
      [ALGORITHMS] = "minibatch",
      [TRIALS] = "10",
      [ITERATIONS] = "1000" } },
  { "support",
    synth_support,
    0,
    FALSE,
    { [SIZES] = "5",
      [SAMPLES] = "100",
      [TRIALS] = "10",
      [ITERATIONS] = "300" },
    { [SIZES] = "5",
      [SAMPLES] = "100",
      [TRIALS] = "100",
      [ITERATIONS] = "300" } },
};

/* ---- what was asked for ---- */

typedef struct {
  CommandLine line;
  const char *folder;
  gboolean full;
  SynthOptions options;
  const Experiment *experiment;
} Synth;

static void
synth_clear (Synth *synth)
{
  SynthOptions *options = &synth->options;

  g_clear_pointer (&options->sizes, g_array_unref);
  g_clear_pointer (&options->samples, g_array_unref);
  g_clear_pointer (&options->conditions, g_array_unref);
  g_clear_pointer (&options->noise_levels, g_array_unref);
  g_clear_pointer (&options->algorithms, g_strfreev);
  command_line_clear (&synth->line);
}

static const char *const *
experiment_names (void)
{
  static const char *names[G_N_ELEMENTS (experiments) + 1];

  for (gsize i = 0; i < G_N_ELEMENTS (experiments); i++)
    names[i] = experiments[i].name;
  return names;
}

static gboolean
find_experiment (Synth *synth, GError **error)
{
  const char *const *names = experiment_names ();
  const char *name =
    synth->line.arguments != NULL ? synth->line.arguments[0] : NULL;
  g_autofree char *all = NULL;
  g_autofree char *hint = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (experiments); i++)
    if (name != NULL && g_str_equal (name, names[i])) {
      synth->experiment = &experiments[i];
      return TRUE;
    }
  all = g_strjoinv (", ", (char **) names);
  if (name == NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE, "name an experiment: %s",
                         all);
  hint = suggest (name, names);
  return tessera_fail (
    error, TESSERA_ERROR_USAGE, "there is no experiment '%s': %s%s", name,
    hint != NULL ? hint : "there are ", hint != NULL ? "" : all);
}

/* Lists that were given are not NULL, and numbers not 0. */
static gboolean
is_given (const Option *option)
{
  if (option->parse == option_int)
    return *(int *) option->value != 0;
  return *(gpointer *) option->value != NULL;
}

/* The number of elements of a setting. */
static guint
count_values (const Option *option)
{
  if (option->parse == option_int)
    return 1;
  if (option->parse == option_word_list)
    return g_strv_length (*(char ***) option->value);
  return (*(GArray **) option->value)->len;
}

static gboolean
check_setting (const Experiment *experiment, int setting, const Option *option,
               GError **error)
{
  if (experiment->quick[setting] == NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "the experiment '%s' has no use for --%s",
                         experiment->name, option->name);
  if (count_values (option) > 1 && !(experiment->several & 1u << setting))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "the experiment '%s' takes only one value of --%s",
                         experiment->name, option->name);
  return TRUE;
}

/* Fills in what was not given.  @rows are the options of the settings. */
static gboolean
apply_defaults (Synth *synth, const Option *rows, GError **error)
{
  const Experiment *experiment = synth->experiment;

  for (int i = 0; i < SETTINGS; i++) {
    const char *text =
      synth->full ? experiment->full[i] : experiment->quick[i];
    gboolean ok = TRUE;

    if (is_given (&rows[i]))
      ok = check_setting (experiment, i, &rows[i], error);
    else if (text != NULL)
      ok = rows[i].parse (&rows[i], text, error);
    if (!ok)
      return FALSE;
  }
  synth->options.seed = synth->line.seed;
  return TRUE;
}

static int
largest (const GArray *list)
{
  int value = 0;

  for (guint i = 0; i < list->len; i++)
    value = MAX (value, g_array_index (list, int, i));
  return value;
}

/* Checks that a matrix of samples has a possible size. */
static gboolean
check_memory (const Synth *synth, GError **error)
{
  double n = largest (synth->options.sizes);
  double samples = largest (synth->options.samples)
                   * (synth->experiment->is_per_dimension ? n : 1);

  if (n * samples <= MAX_ENTRIES)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
               "%.0f samples of length %.0f are too many; let --samples or "
               "--sizes be smaller",
               samples, n);
  return FALSE;
}

static gboolean
parse (Synth *synth, char **argv, GError **error)
{
  CommandLine *line = &synth->line;
  SynthOptions *o = &synth->options;
  const Option output[] = {
    { "output", 'o', "FOLDER", "folder for the results, created if needed",
      option_file, .value = &synth->folder },
    { "full", 0, NULL, "the sizes of the paper; may take hours", option_flag,
      .value = &synth->full },
  };
  const Option settings[SETTINGS] = {
    [SIZES] = { "sizes", 0, "LIST", "dimensions n", option_int_list,
                .value = &o->sizes, .min = 2, .max = MAX_SIZE },
    [SAMPLES] = { "samples", 0, "LIST",
                  "samples; for 'time', samples per dimension",
                  option_int_list, .value = &o->samples, .min = 10,
                  .max = MAX_SAMPLES },
    [CONDITIONS] = { "conditions", 0, "LIST",
                     "condition numbers of the dictionary", option_real_list,
                     .value = &o->conditions, .min = 1, .max = 1e9 },
    [NOISE_LEVELS] = { "noise-levels", 0, "LIST",
                       "standard deviations of the noise", option_real_list,
                       .value = &o->noise_levels, .min = 0, .max = 1e9 },
    [ALGORITHMS] = { "algorithms", 0, "LIST", "learners to compare",
                     option_word_list, .value = &o->algorithms,
                     .choices = learner_names },
    [TRIALS] = { "trials", 0, "N", "number of repetitions", option_int,
                 .value = &o->trials, .min = 1, .max = MAX_TRIALS },
    [ITERATIONS] = { "iterations", 0, "N", "maximum number of learning steps",
                     option_int, .value = &o->iterations, .min = 1,
                     .max = MAX_ITERATIONS },
    [BATCH] = { "batch", 0, "N", "samples per step", option_int,
                .value = &o->batch, .min = 1, .max = MAX_SAMPLES },
  };

  line->usage = "EXPERIMENT -o FOLDER";
  line->about = about;
  line->max_arguments = 1;
  line->words = experiment_names ();
  line->common = COMMON_OUTPUT | COMMON_SEED;
  command_line_add (line, output, G_N_ELEMENTS (output));
  command_line_add (line, settings, SETTINGS);
  if (!command_line_parse (line, argv, error))
    return FALSE;
  if (line->answered)
    return TRUE;
  if (!find_experiment (synth, error)
      || !apply_defaults (synth, settings, error)
      || !check_memory (synth, error))
    return FALSE;
  return synth->folder != NULL
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "-o FOLDER is missing: folder for the results");
}

/* ---- doing it ---- */

static gboolean
print_json (const Synth *synth, const SynthReport *report, double seconds,
            GError **error)
{
  g_autoptr (JsonObject) json = json_object_new ();

  json_report_set_text (json, "experiment", synth->experiment->name);
  json_report_set_count (json, "seed", synth->line.seed);
  json_report_set_count (json, "trials", (guint64) synth->options.trials);
  json_report_set_count (json, "threads", (guint64) parallel_threads ());
  json_report_set_number (json, "seconds", seconds);
  synth_report_to_json (report, synth->folder, json);
  return json_report_print (json, error);
}

/* The experiment itself, behind a progress bar. */
static gboolean
run (const Synth *synth, SynthReport *report, GError **error)
{
  ProgressBar bar;
  Progress progress = progress_bar_start (&bar, synth->experiment->name);
  gboolean ok =
    synth->experiment->run (&synth->options, report, &progress, error);

  progress_bar_stop (&bar);
  return ok;
}

static gboolean
work (const Synth *synth, GError **error)
{
  g_autoptr (SynthReport) report = synth_report_new ();
  gint64 started = g_get_monotonic_time ();
  FolderState state;

  if (!folder_prepare (synth->folder, synth->line.force, &state, error))
    return FALSE;
  if (!run (synth, report, error)
      || !synth_report_write (report, synth->folder, synth->line.force,
                              error)) {
    folder_undo (synth->folder, state);
    return FALSE;
  }
  if (!synth->line.json) {
    synth_report_print (report, synth->folder);
    return TRUE;
  }
  return print_json (
    synth, report,
    (double) (g_get_monotonic_time () - started) / G_USEC_PER_SEC, error);
}

static gboolean
run_command (char **argv, GError **error)
{
  Synth synth = { 0 };
  gboolean ok;

  command_line_init (&synth.line);
  ok = parse (&synth, argv, error)
       && (synth.line.answered || work (&synth, error));
  synth_clear (&synth);
  return ok;
}

const Command command_synth = {
  "synth", "run the paper's experiments on synthetic data", run_command
};
