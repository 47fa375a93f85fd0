/* learn.c - learn a dictionary from pictures */
#include "app/atoms.h"
#include "app/command.h"
#include "app/commandline.h"
#include "app/files.h"
#include "app/output.h"
#include "app/picture.h"
#include "app/pictures.h"
#include "app/progressbar.h"
#include "app/report.h"
#include "app/terminal.h"
#include "base/error.h"
#include "dictlearn/learner.h"
#include "dictlearn/polish.h"
#include "dictlearn/starts.h"
#include "imaging/patchsource.h"

#include <string.h>

static const char about[] =
  "Examples:\n"
  "  tessera learn photos/ -o landscape.safetensors\n"
  "  tessera learn photos/ --algorithm ksvd --atoms 600 -o ksvd.safetensors\n"
  "  tessera learn more/ --init landscape.safetensors -o better.safetensors\n"
  "\n"
  "Learns a dictionary of patches from pictures and folders of pictures.\n"
  "Use it with --dict; look at it with \"tessera dict\".";

/* Samples handed over at a time. */
#define BLOCK 512

#define LEAST_PATCH 4
#define MOST_PATCH 32

/* Broken pictures that are named; more are only counted. */
#define MOST_NAMED 5

static const char *const starts[] = { "dct",      "pca",    "data",
                                      "identity", "random", NULL };

typedef struct {
  CommandLine line;
  const char *output;
  const char *init; /* one of starts, a dictionary file, or NULL */
  int algorithm;    /* row of learner_classes */
  int patch, step, polish;
  guint64 max_patches;
  double time_limit;
  gboolean grey, keep_partial;
  LearnOptions options;

  Learner *learner;
  PatchSource *source;
  Mat block;
  GCancellable *stop; /* by the user or by the time limit */
  Progress shown;     /* the progress bar */
  gint64 started;     /* microseconds */
  gboolean out_of_time;
  int named;
} Learn;

static const LearnerClass *
class_of (const Learn *learn)
{
  return learner_classes[learn->algorithm];
}

static int
channels_of (const Learn *learn)
{
  return learn->grey ? 1 : 3;
}

/* ---- options ---- */

static const char *const *
algorithm_names (void)
{
  static const char *names[16]; /* ends with NULL */

  for (gsize i = 0; learner_classes[i] != NULL && i + 1 < G_N_ELEMENTS (names);
       i++)
    names[i] = learner_classes[i]->name;
  return names;
}

static gboolean
parse (Learn *learn, char **argv, GError **error)
{
  CommandLine *line = &learn->line;
  LearnOptions *o = &learn->options;
  const Option rows[] = {
    { "output", 'o', "DICT", "the dictionary to write", atoms_option_output,
      .value = &learn->output, .role = OUTPUT_FILE, .required = TRUE },
    { "algorithm", 'a', "NAME",
      "online, minibatch, orthogonal, ksvd, mod, gradient or l4",
      option_choice, .value = &learn->algorithm,
      .choices = algorithm_names () },
    { "patch", 0, "SIDE", "side of a patch, 4 to 32 (10)", option_int,
      .value = &learn->patch, .min = LEAST_PATCH, .max = MOST_PATCH },
    { "grey", 0, NULL, "learn grey patches", option_flag,
      .value = &learn->grey },
    { "atoms", 0, "N", "number of atoms, for ksvd and mod", option_int,
      .value = &o->atoms, .min = 1, .max = DICTIONARY_MAX_ATOMS },
    { "atoms-per-patch", 0, "N", "atoms a patch, for ksvd and mod (10)",
      option_int, .value = &o->atoms_per_sample, .min = 1, .max = 1024 },
    { "threshold", 0, "Z", "codes below are zero, in standard deviations",
      option_real, .value = &o->threshold, .min = 0, .max = 1000 },
    { "density", 0, "SHARE", "choose the threshold to keep this share (0.05)",
      option_real, .value = &o->density, .min = 1e-6, .max = 1 },
    { "shrink", 0, "FACTOR", "let the threshold fall from the top by this",
      option_real, .value = &o->shrink, .min = 0, .max = 0.999999 },
    { "floor", 0, "S",
      "whitening leaves what is fainter alone; white is 1 (1)", option_real,
      .value = &o->noise, .min = 0, .max = 1000 },
    { "iterations", 0, "N", "steps to do", option_int, .value = &o->iterations,
      .min = 0, .max = G_MAXINT },
    { "window", 0, "N", "patches in the window or batch (2000)", option_int,
      .value = &o->window, .min = 1, .max = 1000000 },
    { "stride", 0, "N", "new patches a step, for online (50)", option_int,
      .value = &o->stride, .min = 1, .max = 1000000 },
    { "rate", 0, "ETA", "length of a step, for gradient", option_real,
      .value = &o->rate, .min = 0, .max = 1e6 },
    { "exact", 0, NULL, "an SVD for each atom, for ksvd", option_flag,
      .value = &o->exact_update },
    { "init", 0, "START",
      "dct, pca, data, identity, random or a dictionary to go on from",
      option_file, .value = &learn->init },
    { "max-patches", 0, "N", "patches to learn from (100k; 0 for all)",
      option_seed, .value = &learn->max_patches },
    { "step", 0, "N", "distance of patches in a picture (1)", option_int,
      .value = &learn->step, .min = 1, .max = 65500 },
    { "polish", 0, "N", "passes in the original space at the end", option_int,
      .value = &learn->polish, .min = 0, .max = 10000 },
    { "time-limit", 0, "SECONDS", "stop then and keep what was learned",
      option_real, .value = &learn->time_limit, .min = 0, .max = 1e9 },
    { "keep-partial", 0, NULL, "Ctrl-C keeps what was learned so far",
      option_flag, .value = &learn->keep_partial },
  };

  line->usage = "FILE|FOLDER... -o DICT";
  line->about = about;
  line->min_arguments = 1;
  line->max_arguments = G_MAXINT;
  line->common = COMMON_OUTPUT | COMMON_LIMITS | COMMON_SEED;
  line->uses_blas = TRUE;
  command_line_add (line, rows, G_N_ELEMENTS (rows));
  if (!command_line_parse (line, argv, error))
    return FALSE;
  o->seed = line->seed;
  return TRUE;
}

/* ---- where to start ---- */

static gboolean
start_from_file (Learn *learn, Mat *start, GError **error)
{
  g_autoptr (Dictionary) dictionary = atoms_load (learn->init, error);

  if (dictionary == NULL)
    return FALSE;
  if (dictionary->patch != learn->patch
      || dictionary->channels != channels_of (learn)) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: has patches of %dx%dx%d, not %dx%dx%d; use --patch and "
                 "--grey to learn such",
                 learn->init, dictionary->patch, dictionary->patch,
                 dictionary->channels, learn->patch, learn->patch,
                 channels_of (learn));
    return FALSE;
  }
  *start = mat_new (dictionary->atoms.rows, dictionary->atoms.cols);
  mat_from_float (&dictionary->atoms, start);
  learn->options.atoms = dictionary->atoms.cols;
  learn->options.init = START_GIVEN;
  return TRUE;
}

static void
start_from_cosines (Learn *learn, Mat *start)
{
  g_autoptr (Dictionary) dct =
    dictionary_dct (learn->patch, channels_of (learn));

  *start = mat_new (dct->atoms.rows, dct->atoms.cols);
  mat_from_float (&dct->atoms, start);
}

static gboolean
choose_start (Learn *learn, Mat *start, GError **error)
{
  int n = learn->patch * learn->patch * channels_of (learn);
  gboolean complete = learn->options.atoms == 0 || learn->options.atoms == n;

  learn->options.init = class_of (learn)->init;
  if (learn->init != NULL) {
    int kind = 0;

    while (starts[kind] != NULL && !g_str_equal (starts[kind], learn->init))
      kind++;
    if (starts[kind] == NULL)
      return start_from_file (learn, start, error);
    learn->options.init = (StartKind) kind;
  }
  if (learn->options.init == START_DCT) {
    if (!complete) {
      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                   "there are %d cosines for %d atoms; use --init data", n,
                   learn->options.atoms);
      return FALSE;
    }
    start_from_cosines (learn, start);
  }
  return TRUE;
}

static gboolean
make_learner (Learn *learn, GError **error)
{
  int n = learn->patch * learn->patch * channels_of (learn);
  g_auto (Mat) start = { 0 };

  if (learn->options.iterations == 0)
    learn->options.iterations = class_of (learn)->iterations;
  if (!choose_start (learn, &start, error))
    return FALSE;
  if (start.data != NULL)
    learn->options.start = &start;
  learn->learner =
    learner_new (class_of (learn)->name, n, &learn->options, error);
  return learn->learner != NULL;
}

/* ---- patches ---- */

static Image *
load_picture (const char *path, gpointer data, GError **error)
{
  const Learn *learn = data;

  return picture_load (path, &learn->line.limits, error);
}

static void
note_skipped (const char *path, const char *why, gpointer data)
{
  Learn *learn = data;

  if (learn->named++ < MOST_NAMED)
    terminal_note ("left out: %s%s%s",
                   g_str_has_prefix (why, path) ? "" : path,
                   g_str_has_prefix (why, path) ? "" : ": ", why);
}

static gboolean
make_source (Learn *learn, GError **error)
{
  g_autoptr (GPtrArray) pictures =
    pictures_find (learn->line.arguments, error);
  PatchSourceOptions options = { .patch = learn->patch,
                                 .channels = channels_of (learn),
                                 .step = learn->step,
                                 .max_patches = learn->max_patches,
                                 .seed = learn->line.seed,
                                 .load = load_picture,
                                 .skipped = note_skipped,
                                 .data = learn };

  if (pictures == NULL)
    return FALSE;
  learn->source = patch_source_new (pictures, &options);
  learn->block = mat_new (learn->learner->n, BLOCK);
  return TRUE;
}

/* Fails when a whole epoch had nothing to give. */
static gboolean
check_epoch (const Learn *learn, GError **error)
{
  if (patch_source_used (learn->source) > 0)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
               "none of the %d pictures can be used",
               patch_source_skipped (learn->source));
  return FALSE;
}

/* ---- learning ---- */

static double
seconds_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
}

/* Passes progress on, and calls a halt when the time is up. */
static void
watch (double done, gpointer data)
{
  Learn *learn = data;

  if (learn->time_limit > 0) {
    double spent = seconds_since (learn->started);

    done = MAX (done, spent / learn->time_limit);
    learn->out_of_time = spent >= learn->time_limit;
  }
  if (learn->out_of_time
      || g_cancellable_is_cancelled (learn->shown.cancellable))
    g_cancellable_cancel (learn->stop);
  else if (learn->shown.report != NULL)
    learn->shown.report (MIN (1, done), learn->shown.user_data);
}

/* Feeds epoch after epoch until the learner has enough. */
static gboolean
feed (Learn *learn, const Progress *progress, GError **error)
{
  gboolean streams = class_of (learn)->streams;
  int epoch = 0;

  while (!learner_done (learn->learner)) {
    int count = patch_source_read (learn->source, &learn->block);
    Mat Y = mat_columns (&learn->block, 0, count);

    if (count == 0) {
      if (!check_epoch (learn, error))
        return FALSE;
      /* One epoch is all that learners who keep samples get. */
      if (!streams)
        return TRUE;
      patch_source_begin (learn->source, ++epoch);
    } else if (!progress_step (progress, learner_share (learn->learner), error)
               || !learner_feed (learn->learner, &Y, progress, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
polish (Learn *learn, Mat *A, const Progress *progress, GError **error)
{
  g_autoptr (Polish) polisher =
    polish_new (A, learner_status (learn->learner)->threshold);

  for (int pass = 0; pass < learn->polish; pass++) {
    int count;

    patch_source_begin (learn->source, 0);
    while ((count = patch_source_read (learn->source, &learn->block)) > 0) {
      Mat Y = mat_columns (&learn->block, 0, count);

      if (!progress_step (progress, (double) pass / learn->polish, error))
        return FALSE;
      polish_feed (polisher, &Y);
    }
    if (!polish_end_pass (polisher)) {
      terminal_note ("polishing stopped after %d passes: an atom was unused",
                     pass);
      break;
    }
  }
  polish_dictionary (polisher, A);
  return TRUE;
}

/* Whether @error, which is then cleared, is a stop after which what was
 * learned is kept. */
static gboolean
forgive_stop (Learn *learn, GError **error)
{
  if (!g_error_matches (*error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED)
      || !learn->learner->started)
    return FALSE;
  if (!learn->out_of_time && !learn->keep_partial)
    return FALSE;
  g_clear_error (error);
  return TRUE;
}

static gboolean
learn_atoms (Learn *learn, Mat *A, GError **error)
{
  ProgressBar bar;
  Progress progress = { .report = watch,
                        .user_data = learn,
                        .cancellable = learn->stop };
  GError *stopped = NULL;
  gboolean ok;

  learn->shown = progress_bar_start (&bar, "learning");
  learn->started = g_get_monotonic_time ();
  ok = feed (learn, &progress, &stopped)
       && learner_finish (learn->learner, &progress, &stopped);
  if (ok || forgive_stop (learn, &stopped)) {
    learner_dictionary (learn->learner, A);
    ok = learn->polish == 0 || stopped != NULL
         || polish (learn, A, &progress, &stopped)
         || forgive_stop (learn, &stopped);
  }
  progress_bar_stop (&bar);
  if (!ok)
    g_propagate_error (error, stopped);
  return ok;
}

/* ---- results ---- */

/* What was asked for, so that the file tells how to make it again. */
static char *
describe_options (const Learn *learn)
{
  const LearnOptions *o = &learn->options;

  return g_strdup_printf (
    "--patch %d --iterations %d --window %d --stride %d --threshold %g "
    "--floor %g --shrink %g --atoms-per-patch %d --polish %d --max-patches "
    "%" G_GUINT64_FORMAT " --step %d --init %s",
    learn->patch, o->iterations, o->window, o->stride,
    learner_status (learn->learner)->threshold, o->noise, o->shrink,
    o->atoms_per_sample, learn->polish, learn->max_patches, learn->step,
    o->init == START_GIVEN ? "FILE" : starts[o->init]);
}

static gboolean
save (const Learn *learn, Mat *A, GError **error)
{
  const LearnStatus *status = learner_status (learn->learner);
  g_autoptr (Dictionary) dictionary =
    dictionary_new (learn->patch, channels_of (learn), A->cols);
  g_autoptr (GBytes) bytes = NULL;

  mat_normalise_columns (A);
  mat_to_float (A, &dictionary->atoms);
  dictionary->algorithm = g_strdup (class_of (learn)->name);
  dictionary->options = describe_options (learn);
  dictionary->seed = learn->line.seed;
  dictionary->samples = status->samples;
  bytes = atoms_encode (dictionary, learn->output);
  return output_write (learn->output, bytes, learn->line.force, error);
}

static gboolean
print_result (const Learn *learn, double seconds, GError **error)
{
  const LearnStatus *status = learner_status (learn->learner);
  int skipped = patch_source_skipped (learn->source);
  g_autoptr (JsonObject) json = NULL;

  if (skipped > 0)
    terminal_note ("%d of %d pictures were left out", skipped,
                   skipped + patch_source_used (learn->source));
  if (!learn->line.json) {
    terminal_say ("learned %d atoms of %dx%dx%d from %" G_GUINT64_FORMAT
                  " patches in %.1f s, %d iterations -> %s",
                  learn->learner->k, learn->patch, learn->patch,
                  channels_of (learn), status->samples, seconds,
                  status->iteration, output_name (learn->output));
    return TRUE;
  }
  json = json_object_new ();
  report_set_number (json, "seconds", seconds);
  report_set_count (json, "samples", status->samples);
  report_set_count (json, "iterations", (guint64) status->iteration);
  report_set_number (json, "objective", status->objective);
  report_set_number (json, "density", status->density);
  report_set_text (json, "algorithm", class_of (learn)->name);
  report_set_count (json, "atoms", (guint64) learn->learner->k);
  report_set_count (json, "patch", (guint64) learn->patch);
  report_set_count (json, "pictures",
                    (guint64) patch_source_used (learn->source));
  report_set_count (json, "skipped", (guint64) skipped);
  report_set_number (json, "threshold", status->threshold);
  return report_print (json, error);
}

static gboolean
work (Learn *learn, GError **error)
{
  g_auto (Mat) A = { 0 };
  double seconds;

  if (!make_learner (learn, error) || !make_source (learn, error))
    return FALSE;
  A = mat_new (learn->learner->n, learn->learner->k);
  learn->stop = g_cancellable_new ();
  if (!learn_atoms (learn, &A, error))
    return FALSE;
  seconds = seconds_since (learn->started);
  return save (learn, &A, error) && print_result (learn, seconds, error);
}

gboolean
learn_run (char **argv, GError **error)
{
  Learn learn = {
    .patch = 10, .step = 1, .max_patches = 100000, .options = LEARN_DEFAULTS
  };
  gboolean ok;

  learn.options.iterations = 0; /* what is usual for the algorithm */
  learn.options.window = 2000;
  learn.options.stride = 50;
  learn.options.density = 0.05;
  learn.options.noise = 1;
  command_line_init (&learn.line);
  ok = parse (&learn, argv, error)
       && (learn.line.answered || work (&learn, error));
  learner_free (learn.learner);
  patch_source_free (learn.source);
  mat_clear (&learn.block);
  g_clear_object (&learn.stop);
  command_line_clear (&learn.line);
  return ok;
}
