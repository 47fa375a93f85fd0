/* learn.c - learn a dictionary from pictures */
#include "app/learn/learn.h"

#include "app/files/dictionaryfile.h"
#include "app/command.h"
#include "app/files/files.h"
#include "app/cli/interrupt.h"
#include "app/learn/describe.h"
#include "app/files/output.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "base/error.h"
#include "base/ranks.h"
#include "imaging/learning.h"

static const char about[] =
  "Examples:\n"
  "  tessera learn photos/ -o landscape.safetensors\n"
  "  tessera learn photos/ --algorithm ksvd --atoms 600 -o ksvd.safetensors\n"
  "  tessera learn more/ --init landscape.safetensors -o better.safetensors\n"
  "  tessera learn photos/ --task missing:0.5 -o half.safetensors\n"
  "  tessera learn photos/ --algorithm transform -o rounds.safetensors\n"
  "  tessera learn photos/ --algorithm convolutional -o conv.safetensors\n"
  "\n"
  "Learns a dictionary of patches from pictures and folders of pictures.\n"
  "Use it with --dict; view it with \"tessera dict\".";

#define LEAST_PATCH 4
#define MOST_PATCH 32
#define USUAL_PATCH 10
#define CONVOLUTIONAL_PATCH 6

/* ---- options ---- */

/* In the order of LearnCoder. */
static const char *const coders[] = { "overlapping", "separate", NULL };

/* The row after those of learner_classes. */
static int
convolutional_number (void)
{
  int count = 0;

  while (learner_names[count] != NULL)
    count++;
  return count;
}

static int
transform_number (void)
{
  return convolutional_number () + 1;
}

static const char *const *
algorithm_names (void)
{
  static const char *names[16]; /* ends with NULL */

  for (gsize i = 0; learner_names[i] != NULL && i + 3 < G_N_ELEMENTS (names);
       i++)
    names[i] = learner_names[i];
  names[convolutional_number ()] = "convolutional";
  names[transform_number ()] = "transform";
  return names;
}

/* Checks the list before anything is learned, and keeps it as text. */
static gboolean
option_task (const Option *option, const char *text, GError **error)
{
  g_autoptr (GArray) task = task_parse (text, error);

  return task != NULL && option_file (option, text, error);
}

static void
set_usual (Learn *learn)
{
  const struct {
    int *value, usual;
  } numbers[] = { { &learn->rounds, 8 },
                  { &learn->spacing, 2 },
                  { &learn->crop, 48 },
                  { &learn->batch, 8 },
                  { &learn->patch,
                    learn->algorithm == convolutional_number ()
                      ? CONVOLUTIONAL_PATCH
                      : USUAL_PATCH } };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (*numbers[i].value == 0)
      *numbers[i].value = numbers[i].usual;
}

static gboolean
parse (Learn *learn, char **argv, GError **error)
{
  CommandLine *line = &learn->line;
  LearnOptions *o = &learn->options;
  const Option rows[] = {
    { "output", 'o', "DICT", "the dictionary to write",
      dictionary_file_option_output, .value = &learn->output,
      .role = OUTPUT_FILE, .required = TRUE },
    { "algorithm", 'a', "NAME",
      "online (the default), ksvd, transform ...", option_choice,
      .value = &learn->algorithm, .choices = algorithm_names () },
    { "task", 0, "LIST", "learn to restore: missing:0.2-0.8,noise:25 ...",
      option_task, .value = &learn->task },
    { "coder", 0, "KIND", "patches of the task: overlapping, separate",
      option_choice, .value = &learn->coder, .choices = coders },
    { "task-iterations", 0, "N", "number of steps for the task (2000)",
      option_int, .value = &learn->task_iterations, .min = 1,
      .max = G_MAXINT },
    { "rounds", 0, "N", "rounds of convolutional (8), transform (6)",
      option_int, .value = &learn->rounds, .min = 1, .max = CONV_MOST_ROUNDS },
    { "sets", 0, "N", "sets of atoms for the rounds, for convolutional (8)",
      option_int, .value = &learn->sets, .min = 1, .max = CONV_MOST_ROUNDS },
    { "levels", 0, "N", "sizes of the picture, for convolutional (3)",
      option_int, .value = &learn->levels, .min = 1, .max = CONV_MOST_LEVELS },
    { "spacing", 0, "N", "pixels between atoms: convolutional, transform",
      option_int, .value = &learn->spacing, .min = 1, .max = CONV_MOST_SIDE },
    { "ground", 0, "N", "finest blur to start from, for convolutional (1)",
      option_int, .value = &learn->ground, .min = 0, .max = CONV_MOST_GROUND },
    { "crop", 0, "N", "side of an example: convolutional, transform",
      option_int, .value = &learn->crop, .min = 16, .max = 256 },
    { "batch", 0, "N", "examples per step: convolutional, transform (8)",
      option_int, .value = &learn->batch, .min = 1, .max = 4096 },
    { "rotation", 0, "ETA", "step of the atoms of transform (0.01; -1: none)",
      option_real, .value = &learn->rotation, .min = -1, .max = 1 },
    { "resume", 0, "DICT", "continue learning that was stopped", option_file,
      .value = &learn->resume, .role = INPUT_FILE },
    { "patch", 0, "SIDE", "side of a patch, 4 to 32 (10, 8 or 6)", option_int,
      .value = &learn->patch, .min = LEAST_PATCH, .max = MOST_PATCH },
    { "grey", 0, NULL, "learn gray patches", option_flag,
      .value = &learn->grey },
    { "atoms", 0, "N", "number of atoms, for ksvd, mod, task-driven ...",
      option_int, .value = &o->atoms, .min = 1, .max = DICTIONARY_MAX_ATOMS },
    { "atoms-per-patch", 0, "N", "atoms per patch, for ksvd, mod, online-l1",
      option_int, .value = &o->atoms_per_sample, .min = 1, .max = 1024 },
    { "threshold", 0, "Z", "codes below are zero, in standard deviations",
      option_real, .value = &o->threshold, .min = 0, .max = 1000 },
    { "density", 0, "FRACTION", "fraction of the codes to keep (0.02)",
      option_real, .value = &o->density, .min = 1e-6, .max = 1 },
    { "shrink", 0, "FACTOR", "factor by which the threshold falls per step",
      option_real, .value = &o->shrink, .min = 0, .max = 0.999999 },
    { "floor", 0, "S", "do not whiten directions weaker than this (3)",
      option_real, .value = &o->noise_floor, .min = 0, .max = 1000 },
    { "iterations", 0, "N", "number of steps (the algorithm's usual one)",
      option_int, .value = &o->iterations, .min = 1, .max = G_MAXINT },
    { "window", 0, "N", "patches in the window or batch (4000)", option_int,
      .value = &o->window, .min = 1, .max = 1000000 },
    { "first", 0, "N", "patches that whitening starts with, for online",
      option_int, .value = &o->first_samples, .min = 0, .max = 1000000 },
    { "stride", 0, "N", "new patches per step, for online (100)", option_int,
      .value = &o->stride, .min = 1, .max = 1000000 },
    { "rate", 0, "ETA", "step length (0: as usual for the algorithm)",
      option_real, .value = &o->rate, .min = 0, .max = 1e6 },
    { "exact", 0, NULL, "an SVD for each atom, for ksvd", option_flag,
      .value = &o->exact_update },
    { "textbook", 0, NULL, "as published: ksvd, mod, online, minibatch",
      option_flag, .value = &o->textbook },
    { "tolerance", 0, "E", "stop when the dictionary moves less (0: never)",
      option_real, .value = &o->tolerance, .min = 0, .max = 1000 },
    { "init", 0, "START", "dct, pca, data, identity, random or a dictionary",
      option_file, .value = &learn->init, .choices = learn_init_names },
    { "max-patches", 0, "N", "patches per pass (100k; 0 for all)", option_seed,
      .value = &learn->max_patches },
    { "step", 0, "N", "distance between patches (1)", option_int,
      .value = &learn->step, .min = 1, .max = 65500 },
    { "polish", 0, "N", "passes in the original space at the end", option_int,
      .value = &learn->polish, .min = 0, .max = 10000 },
    { "time-limit", 0, "SECONDS",
      "stop after this time, keep what was learned", option_real,
      .value = &learn->time_limit, .min = 0, .max = 1e9 },
    { "keep-partial", 0, NULL, "Ctrl-C keeps what was learned so far",
      option_flag, .value = &learn->keep_partial },
  };

  line->usage = "FILE|FOLDER... -o DICT";
  line->about = about;
  line->min_arguments = 1;
  line->max_arguments = G_MAXINT;
  line->common = COMMON_OUTPUT | COMMON_LIMITS | COMMON_SEED;
  command_line_add (line, rows, G_N_ELEMENTS (rows));
  if (!command_line_parse (line, argv, error))
    return FALSE;
  o->seed = line->seed;
  if (learn->algorithm != transform_number ())
    set_usual (learn);
  return TRUE;
}

/* ---- results ---- */

/* The options, so that the file says how to make it again. */
static char *
describe_options (const Learn *learn)
{
  const LearnOptions *o = &learn->options;
  g_autofree char *own =
    learn_describe_options (class_of (learn), o, learn->learner->k);
  GString *text = g_string_new (NULL);

  g_string_append_printf (
    text,
    "--patch %d%s --iterations %d --max-patches %" G_GUINT64_FORMAT
    " --step %d --init %s %s",
    learn->patch, learn->grey ? " --grey" : "",
    learner_status (learn->learner)->iteration, learn->max_patches,
    learn->step, o->init == INIT_GIVEN ? "FILE" : learn_init_names[o->init],
    own);
  if (class_of (learn)->complete)
    g_string_append_printf (text, " --polish %d", learn->polish);
  return g_string_free (text, FALSE);
}

/* Says that a task came after the algorithm. */
static void
note_task (const Learn *learn, Dictionary *dictionary)
{
  char *algorithm = dictionary->algorithm, *options = dictionary->options;

  dictionary->algorithm = g_strdup_printf ("%s+task", algorithm);
  dictionary->options = g_strdup_printf (
    "%s --task %s --task-iterations %d --coder %s", options, learn->task,
    learn->task_iterations, coders[learn->coder]);
  g_free (algorithm);
  g_free (options);
}

static gboolean
save (const Learn *learn, Mat *A, GError **error)
{
  g_autoptr (Dictionary) dictionary = learn_make_dictionary (
    learn->learner, A, learn->patch, channels_of (learn), error);
  g_autoptr (GBytes) bytes = NULL;

  if (dictionary == NULL)
    return FALSE;
  dictionary->options = describe_options (learn);
  if (learn->task != NULL && learn->task_iterations > 0)
    note_task (learn, dictionary);
  bytes = dictionary_file_encode (dictionary, learn->output, error);
  return bytes != NULL
         && output_write (learn->output, bytes, learn->line.force, error);
}

static gboolean
print_result (Learn *learn, double seconds, GError **error)
{
  const LearnStatus *status = learner_status (learn->learner);
  int skipped = patch_source_skipped (learn->source);
  g_autoptr (JsonObject) json = NULL;

  skipped_files_print (&learn->skipped);
  if (learn->budget.interrupted)
    terminal_note ("interrupted; keeping what was learned in %d iteration%s",
                   status->iteration, PLURAL (status->iteration));
  if (skipped > 0)
    terminal_note ("skipped %d of %d pictures", skipped,
                   skipped + patch_source_used (learn->source));
  if (!learn->line.json) {
    terminal_result ("learned %d atoms of %dx%dx%d from %" G_GUINT64_FORMAT
                     " patches in %.1f s, %d iteration%s -> %s",
                     learn->learner->k, learn->patch, learn->patch,
                     channels_of (learn), status->samples, seconds,
                     status->iteration, PLURAL (status->iteration),
                     output_name (learn->output));
    return TRUE;
  }
  json = json_object_new ();
  json_report_set_number (json, "seconds", seconds);
  json_report_set_count (json, "samples", status->samples);
  json_report_set_count (json, "iterations", (guint64) status->iteration);
  json_report_set_number (json, "objective", status->objective);
  json_report_set_number (json, "density", status->density);
  json_report_set_text (json, "algorithm", class_of (learn)->name);
  json_report_set_count (json, "atoms", (guint64) learn->learner->k);
  json_report_set_count (json, "patch", (guint64) learn->patch);
  json_report_set_count (json, "pictures",
                         (guint64) patch_source_used (learn->source));
  json_report_set_count (json, "skipped", (guint64) skipped);
  json_report_set_number (json, "threshold", status->threshold);
  json_object_set_boolean_member (json, "interrupted",
                                  learn->budget.interrupted);
  return json_report_print (json, error);
}

/* The dictionary to resume from is an input, and inputs are never
 * overwritten. */
static gboolean
check_init (const Learn *learn, GError **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();

  if (learn->init == NULL)
    return TRUE;
  g_ptr_array_add (inputs, (char *) learn->init);
  g_ptr_array_add (outputs, (char *) learn->output);
  return output_check_distinct (inputs, outputs, error);
}

static gboolean
work (Learn *learn, GError **error)
{
  g_auto (Mat) A = { 0 };

  if (!check_init (learn, error))
    return FALSE;
  if (learn->algorithm == convolutional_number ())
    return learn_convolutional (learn, error);
  if (learn->algorithm == transform_number () && learn->resume == NULL)
    return learn_transform (learn, error);
  if (learn->resume != NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "--resume is for --algorithm convolutional; use "
                         "--init to go on from a dictionary");
  if (learn->algorithm == LEARN_UNSAID && learn->task != NULL)
    return learn_task_alone (learn, error);
  if (!learn_make_learner (learn, error) || !learn_make_source (learn, error))
    return FALSE;
  A = mat_new (learn->learner->n, learn->learner->k);
  if (!learn_atoms (learn, &A, error))
    return FALSE;
  if (learn->keep_partial)
    interrupt_begin_saving ();
  return save (learn, &A, error)
         && print_result (learn, time_budget_seconds (&learn->budget), error);
}

/* The whole work, on all ranks; the first one writes. */
static gboolean
work_together (Learn *learn, GError **error)
{
  RanksTraffic traffic;
  gboolean ok;

  ranks_begin ();
  ok = work (learn, error);
  traffic = ranks_traffic ();
  if (ok && ranks_count () > 1)
    terminal_detail ("%d ranks, %" G_GUINT64_FORMAT
                     " broadcasts of %" G_GUINT64_FORMAT " bytes in all",
                     ranks_count (), traffic.messages, traffic.bytes);
  ranks_end ();
  return ok;
}

static gboolean
run (char **argv, GError **error)
{
  Learn learn = { .algorithm = LEARN_UNSAID,
                  .patch = 0,
                  .task_iterations = 2000,
                  .levels = 3,
                  .step = 1,
                  .max_patches = 100000,
                  .options = learn_default_options () };
  gboolean ok;

  skipped_files_init (&learn.skipped);
  command_line_init (&learn.line);
  ok = parse (&learn, argv, error)
       && (learn.line.answered || work_together (&learn, error));
  learner_free (learn.learner);
  patch_source_free (learn.source);
  mat_clear (&learn.block);
  skipped_files_clear (&learn.skipped);
  command_line_clear (&learn.line);
  return ok;
}

const Command command_learn = { .name = "learn",
                                .summary = "learn a dictionary from pictures",
                                .run = run,
                                .is_shared = TRUE };
