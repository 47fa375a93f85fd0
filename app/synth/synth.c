/* synth.c - runs the paper's experiments on synthetic data */
#include "app/synth/synth.h"

#include "app/command.h"
#include "app/synth/claims.h"
#include "app/synth/experiments.h"
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

#include <glib/gstdio.h>
#include <string.h>

static const char about[] =
  "Examples:\n"
  "  tessera synth all -o results\n"
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
  "  support      how the warm start finds the non-zero codes\n"
  "  all          these, on one page with what the paper claims (about five\n"
  "               minutes; the same command goes on where it was stopped)";

/* What "all" writes beside tables and figures: the page, and a record of what
 * was done, with which settings. */
#define PAGE "index.html"
#define RECORD "synth.ini"

#define MAX_SIZE 4000
#define MAX_SAMPLES 100000000
#define MAX_ENTRIES 1e9 /* of a matrix of samples */
#define MAX_TRIALS 1000
#define MAX_ITERATIONS 1000000

/* ---- what was asked for ---- */

typedef struct {
  CommandLine line;
  const char *folder;
  gboolean full;
  SynthOptions options;
  const SynthExperiment *experiment;
  gboolean all;
  Option settings[SETTINGS];
  guint given; /* bit i: setting i was given */
} Synth;

static const char every[] = "all";

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
  static const char *names[SYNTH_EXPERIMENTS + 2];

  for (gsize i = 0; i < SYNTH_EXPERIMENTS; i++)
    names[i] = synth_experiments[i].name;
  names[SYNTH_EXPERIMENTS] = every;
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

  for (gsize i = 0; i < SYNTH_EXPERIMENTS; i++)
    if (name != NULL && g_str_equal (name, names[i])) {
      synth->experiment = &synth_experiments[i];
      return TRUE;
    }
  synth->all = name != NULL && g_str_equal (name, every);
  if (synth->all)
    return TRUE;
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
check_setting (const SynthExperiment *experiment, int setting,
               const Option *option, GError **error)
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

static void
note_given (Synth *synth)
{
  for (int i = 0; i < SETTINGS; i++)
    if (is_given (&synth->settings[i]))
      synth->given |= 1u << i;
}

/* Forgets settings that were not given, and of an earlier experiment. */
static void
forget (Synth *synth)
{
  for (int i = 0; i < SETTINGS; i++) {
    const Option *option = &synth->settings[i];

    if (synth->given & 1u << i)
      continue;
    if (option->parse == option_int)
      *(int *) option->value = 0;
    else if (option->parse == option_word_list)
      g_clear_pointer ((char ***) option->value, g_strfreev);
    else
      g_clear_pointer ((GArray **) option->value, g_array_unref);
  }
}

/* Fills in what was not given.  With "all", what only other experiments use
 * does no harm. */
static gboolean
apply_defaults (Synth *synth, GError **error)
{
  const SynthExperiment *experiment = synth->experiment;

  forget (synth);
  for (int i = 0; i < SETTINGS; i++) {
    const Option *option = &synth->settings[i];
    const char *text =
      synth->full ? experiment->full[i] : experiment->quick[i];
    gboolean ok = TRUE;

    if (synth->given & 1u << i)
      ok = (synth->all && text == NULL)
           || check_setting (experiment, i, option, error);
    else if (text != NULL)
      ok = option->parse (option, text, error);
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
               "%.0f samples of length %.0f are too many; reduce --samples "
               "or --sizes",
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
  memcpy (synth->settings, settings, sizeof settings);
  note_given (synth);
  if (!find_experiment (synth, error))
    return FALSE;
  for (gsize i = 0; i < SYNTH_EXPERIMENTS; i++) {
    if (synth->all)
      synth->experiment = &synth_experiments[i];
    else if (i > 0)
      break;
    if (!apply_defaults (synth, error) || !check_memory (synth, error))
      return FALSE;
  }
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

  /* First only to find out whether it can be made: an interrupt that is not
   * heeded in time would leave it behind. */
  if (!folder_prepare (synth->folder, synth->line.force, &state, error))
    return FALSE;
  folder_undo (synth->folder, state);
  if (!run (synth, report, error)
      || !folder_prepare (synth->folder, synth->line.force, &state, error))
    return FALSE;
  if (!synth_report_write (report, synth->folder, synth->line.force, error)) {
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

/* ---- all of them ---- */

/* How the tables of a folder are made: settings that were given, and others
 * that matter. */
static char *
describe_settings (const Synth *synth, char **argv)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "%s sizes, seed %" G_GUINT64_FORMAT,
                          synth->full ? "the paper's" : "small",
                          synth->line.seed);
  for (int i = 0; argv[i] != NULL; i++)
    for (int k = 0; k < SETTINGS; k++) {
      g_autofree char *name =
        g_strconcat ("--", synth->settings[k].name, NULL);

      if (g_str_has_prefix (argv[i], name)
          && (argv[i][strlen (name)] == '=' || argv[i][strlen (name)] == 0))
        g_string_append_printf (
          text, ", %s%s%s", argv[i], strchr (argv[i], '=') == NULL ? " " : "",
          strchr (argv[i], '=') == NULL && argv[i + 1] != NULL ? argv[i + 1]
                                                               : "");
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
write_record (const Synth *synth, GKeyFile *record, GError **error)
{
  g_autofree char *path = g_build_filename (synth->folder, RECORD, NULL);
  gsize length;
  char *text = g_key_file_to_data (record, &length, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, length);

  return output_write (path, bytes, TRUE, error);
}

/* Removes what an experiment kept while it was not finished. */
static void
forget_unfinished (const Synth *synth, const char *name)
{
  g_autofree char *file = g_strconcat (name, SYNTH_UNFINISHED ".csv", NULL);
  g_autofree char *path = g_build_filename (synth->folder, file, NULL);

  g_unlink (path);
}

/* The record of a run with the same settings that was stopped; else a new one,
 * in a folder that may be written to. */
static GKeyFile *
open_record (const Synth *synth, const char *settings, GError **error)
{
  g_autofree char *path = g_build_filename (synth->folder, RECORD, NULL);
  g_autoptr (GKeyFile) record = g_key_file_new ();
  g_autofree char *earlier = NULL;
  FolderState state;

  if (g_key_file_load_from_file (record, path, G_KEY_FILE_NONE, NULL))
    earlier = g_key_file_get_string (record, "synth", "settings", NULL);
  if (g_strcmp0 (earlier, settings) == 0 && !synth->line.force)
    return g_steal_pointer (&record);
  if (!folder_prepare (synth->folder, synth->line.force, &state, error))
    return NULL;
  g_key_file_unref (record);
  record = g_key_file_new ();
  g_key_file_set_string (record, "synth", "settings", settings);
  for (gsize i = 0; i < SYNTH_EXPERIMENTS; i++)
    forget_unfinished (synth, synth_experiments[i].name);
  return write_record (synth, record, error) ? g_steal_pointer (&record)
                                             : NULL;
}

/* One experiment, unless the record says that it is done. */
static gboolean
run_next (Synth *synth, GKeyFile *record, GError **error)
{
  g_autoptr (SynthReport) report = synth_report_new ();
  const char *name = synth->experiment->name;
  gint64 started = g_get_monotonic_time ();

  if (g_key_file_has_key (record, "seconds", name, NULL)) {
    terminal_note ("%s: done before", name);
    return TRUE;
  }
  synth->options.checkpoints = synth->folder;
  if (!apply_defaults (synth, error) || !run (synth, report, error)
      || !synth_report_write (report, synth->folder, TRUE, error))
    return FALSE;
  g_key_file_set_double (record, "seconds", name,
                         (double) (g_get_monotonic_time () - started)
                           / G_USEC_PER_SEC);
  if (!write_record (synth, record, error))
    return FALSE;
  forget_unfinished (synth, name);
  return TRUE;
}

static gboolean
print_claims (const Synth *synth, const GArray *claims, GKeyFile *record,
              GError **error)
{
  g_autoptr (JsonObject) json = json_object_new ();
  JsonArray *list = json_array_new ();

  for (guint i = 0; i < claims->len; i++) {
    const Claim *claim = &g_array_index (claims, Claim, i);
    JsonObject *object = json_object_new ();

    json_report_set_text (object, "experiment", claim->experiment);
    json_report_set_text (object, "claim", claim->text);
    json_report_set_text (object, "verdict", verdict_name (claim->verdict));
    json_report_set_text (object, "reason", claim->reason);
    json_array_add_object_element (list, object);
    if (synth->line.json)
      continue;
    terminal_result ("%-7s %s", verdict_name (claim->verdict), claim->text);
    terminal_result ("        %s", claim->reason);
  }
  json_report_set_text (json, "experiment", every);
  json_report_set_count (json, "seed", synth->line.seed);
  for (gsize i = 0; i < SYNTH_EXPERIMENTS; i++)
    json_report_set_number (json, synth_experiments[i].name,
                            g_key_file_get_double (record, "seconds",
                                                   synth_experiments[i].name,
                                                   NULL));
  json_object_set_array_member (json, "claims", list);
  if (synth->line.json)
    return json_report_print (json, error);
  terminal_result ("-> %s/" PAGE, synth->folder);
  return TRUE;
}

static gboolean
work_on_all (Synth *synth, char **argv, GError **error)
{
  g_autofree char *settings = describe_settings (synth, argv);
  g_autofree char *note = g_markup_printf_escaped (
    "Section 4.1 of Liang, Zhang, Fattahi and Zhang, <i>Simple Alternating "
    "Minimization Provably Solves Complete Dictionary Learning</i>: figures, "
    "claims, and a verdict on each by the numbers of this run (%s).",
    settings);
  g_autofree char *path = g_build_filename (synth->folder, PAGE, NULL);
  g_autoptr (GKeyFile) record = open_record (synth, settings, error);
  g_autoptr (GArray) claims = NULL;
  g_autoptr (GBytes) page = NULL;

  if (record == NULL)
    return FALSE;
  for (gsize i = 0; i < SYNTH_EXPERIMENTS; i++) {
    synth->experiment = &synth_experiments[i];
    if (!run_next (synth, record, error))
      return FALSE;
  }
  claims = claims_judge (synth->folder);
  page = claims_page (claims, note);
  return output_write (path, page, TRUE, error)
         && print_claims (synth, claims, record, error);
}

static gboolean
run_command (char **argv, GError **error)
{
  Synth synth = { 0 };
  gboolean ok;

  command_line_init (&synth.line);
  ok = parse (&synth, argv, error);
  if (ok && !synth.line.answered)
    ok = synth.all ? work_on_all (&synth, argv, error) : work (&synth, error);
  synth_clear (&synth);
  return ok;
}

const Command command_synth = {
  .name = "synth",
  .summary = "run the paper's experiments on synthetic data",
  .run = run_command
};
