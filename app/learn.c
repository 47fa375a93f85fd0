/* learn.c - learn a dictionary from pictures */
#include "app/atoms.h"
#include "app/command.h"
#include "app/commandline.h"
#include "app/files.h"
#include "app/interrupt.h"
#include "app/output.h"
#include "app/picture.h"
#include "app/pictures.h"
#include "app/progressbar.h"
#include "app/report.h"
#include "app/suggest.h"
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
  ProgressBar bar;
  Progress shown;    /* the bar */
  Progress progress; /* ours: the bar, Ctrl-C and the time limit */
  char label[48];
  gint64 started; /* microseconds */
  gboolean out_of_time, interrupted;
  GPtrArray *left_out; /* char *, pictures that are to be named */
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

/* Length of a patch. */
static int
length_of (const Learn *learn)
{
  return learn->patch * learn->patch * channels_of (learn);
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
      "online (the default), ksvd, mod, l4 ...; see man", option_choice,
      .value = &learn->algorithm, .choices = algorithm_names () },
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
    { "density", 0, "SHARE", "choose the threshold to keep this share (0.02)",
      option_real, .value = &o->density, .min = 1e-6, .max = 1 },
    { "shrink", 0, "FACTOR", "let the threshold fall from the top by this",
      option_real, .value = &o->shrink, .min = 0, .max = 0.999999 },
    { "floor", 0, "S", "whitening leaves what is fainter alone (3)",
      option_real, .value = &o->noise, .min = 0, .max = 1000 },
    { "iterations", 0, "N", "steps to do (as usual for the algorithm)",
      option_int, .value = &o->iterations, .min = 1, .max = G_MAXINT },
    { "window", 0, "N", "patches in the window or batch (4000)", option_int,
      .value = &o->window, .min = 1, .max = 1000000 },
    { "stride", 0, "N", "new patches a step, for online (100)", option_int,
      .value = &o->stride, .min = 1, .max = 1000000 },
    { "rate", 0, "ETA", "length of a step, for gradient (0 to choose)",
      option_real, .value = &o->rate, .min = 0, .max = 1e6 },
    { "exact", 0, NULL, "an SVD for each atom, for ksvd", option_flag,
      .value = &o->exact_update },
    { "init", 0, "START", "dct, pca, data, identity, random or a dictionary",
      option_file, .value = &learn->init },
    { "max-patches", 0, "N", "patches of a round (100k; 0 for all)",
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

/* Whether the atoms of @dictionary are such as are to be learned. */
static gboolean
check_start (const Learn *learn, const Dictionary *dictionary, GError **error)
{
  int atoms = dictionary->atoms.cols;

  if (dictionary->patch != learn->patch
      || dictionary->channels != channels_of (learn))
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: has patches of %dx%dx%d, not %dx%dx%d; use --patch and "
                 "--grey to learn such",
                 input_name (learn->init), dictionary->patch,
                 dictionary->patch, dictionary->channels, learn->patch,
                 learn->patch, channels_of (learn));
  else if (class_of (learn)->complete && atoms != length_of (learn))
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: has %d atoms, but %s learns %d; use --algorithm ksvd "
                 "or mod to go on from it",
                 input_name (learn->init), atoms, class_of (learn)->name,
                 length_of (learn));
  else if (learn->options.atoms != 0 && learn->options.atoms != atoms)
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "%s: has %d atoms, not %d; leave --atoms away to go on from "
                 "it",
                 input_name (learn->init), atoms, learn->options.atoms);
  else
    return TRUE;
  return FALSE;
}

static Dictionary *
load_start (const Learn *learn, GError **error)
{
  gboolean exists = g_file_test (learn->init, G_FILE_TEST_EXISTS);
  g_autofree char *hint = exists ? NULL : suggest (learn->init, starts);

  if (hint == NULL)
    return atoms_load (learn->init, error);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "--init %s: no such start and no such file; %s", learn->init,
               hint);
  return NULL;
}

static void
take_start (const Dictionary *dictionary, Mat *start)
{
  *start = mat_new (dictionary->atoms.rows, dictionary->atoms.cols);
  mat_from_float (&dictionary->atoms, start);
}

static gboolean
start_from_file (Learn *learn, Mat *start, GError **error)
{
  g_autoptr (Dictionary) dictionary = load_start (learn, error);

  if (dictionary == NULL || !check_start (learn, dictionary, error))
    return FALSE;
  take_start (dictionary, start);
  learn->options.atoms = dictionary->atoms.cols;
  learn->options.init = START_GIVEN;
  return TRUE;
}

static gboolean
start_from_cosines (Learn *learn, Mat *start, GError **error)
{
  g_autoptr (Dictionary) dct =
    dictionary_dct (learn->patch, channels_of (learn));

  take_start (dct, start);
  if (learn->options.atoms == 0 || learn->options.atoms == start->cols)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "--init dct: there are %d cosines for %d atoms; use --init "
               "data",
               start->cols, learn->options.atoms);
  return FALSE;
}

static gboolean
choose_start (Learn *learn, Mat *start, GError **error)
{
  learn->options.init = class_of (learn)->init;
  if (learn->init != NULL) {
    int kind = 0;

    while (starts[kind] != NULL && !g_str_equal (starts[kind], learn->init))
      kind++;
    if (starts[kind] == NULL)
      return start_from_file (learn, start, error);
    learn->options.init = (StartKind) kind;
  }
  return learn->options.init != START_DCT
         || start_from_cosines (learn, start, error);
}

/* Whether the algorithm can do what is asked for. */
static gboolean
check_algorithm (const Learn *learn, GError **error)
{
  const LearnerClass *class = class_of (learn);
  int atoms = learn->options.atoms;

  if (class->complete && atoms != 0 && atoms != length_of (learn))
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "--atoms %d: %s learns %d atoms, as many as a patch has "
                 "samples; leave --atoms away or use --algorithm ksvd or mod",
                 atoms, class->name, length_of (learn));
  else if (!class->complete && learn->polish > 0)
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "--polish %d: needs an algorithm with a threshold, and %s "
                 "has none; leave it away",
                 learn->polish, class->name);
  else
    return TRUE;
  return FALSE;
}

static gboolean
make_learner (Learn *learn, GError **error)
{
  g_auto (Mat) start = { 0 };

  if (learn->options.iterations == 0)
    learn->options.iterations = class_of (learn)->iterations;
  if (!check_algorithm (learn, error) || !choose_start (learn, &start, error))
    return FALSE;
  if (start.data != NULL)
    learn->options.start = &start;
  learn->learner = learner_new (class_of (learn)->name, length_of (learn),
                                &learn->options, error);
  learn->options.start = NULL;
  return learn->learner != NULL;
}

/* ---- patches ---- */

/* Reading pictures may take long before there is anything to learn from. */
static Image *
load_picture (const char *path, gpointer data, GError **error)
{
  const Learn *learn = data;

  if (!progress_step (&learn->progress, learner_share (learn->learner), error))
    return NULL;
  return picture_load (path, &learn->line.limits, error);
}

/* Whether there is one good picture at least shows only later: until then the
 * names are kept, since an error is one line. */
static void
note_skipped (const char *path, const char *why, gpointer data)
{
  Learn *learn = data;

  if (patch_source_skipped (learn->source) <= MOST_NAMED)
    g_ptr_array_add (learn->left_out,
                     g_str_has_prefix (why, path)
                       ? g_strdup (why)
                       : g_strdup_printf ("%s: %s", path, why));
}

static void
name_left_out (Learn *learn)
{
  for (guint i = 0; i < learn->left_out->len; i++)
    terminal_note ("left out: %s", (char *) learn->left_out->pdata[i]);
  g_ptr_array_set_size (learn->left_out, 0);
}

/* Patches of a round through the pictures.  A learner that streams stops as
 * soon as it has enough, which is the first window and then a stride for each
 * iteration; a round of just that many takes an even share of every picture.
 */
static guint64
patches_of_round (const Learn *learn)
{
  const LearnOptions *o = &learn->options;
  guint64 enough = (guint64) MAX (o->window, length_of (learn))
                   + (guint64) o->iterations * (guint64) o->stride;

  if (!class_of (learn)->streams)
    return learn->max_patches;
  return learn->max_patches == 0 ? enough : MIN (enough, learn->max_patches);
}

static gboolean
make_source (Learn *learn, GError **error)
{
  g_autoptr (GPtrArray) pictures =
    pictures_find (learn->line.arguments, error);
  PatchSourceOptions options = { .patch = learn->patch,
                                 .channels = channels_of (learn),
                                 .step = learn->step,
                                 .max_patches = patches_of_round (learn),
                                 .seed = learn->line.seed,
                                 .load = load_picture,
                                 .skipped = note_skipped,
                                 .data = learn };

  if (pictures == NULL)
    return FALSE;
  learn->source = patch_source_new (pictures, &options);
  learn->block = mat_new (length_of (learn), BLOCK);
  return TRUE;
}

/* Fails when a whole epoch had nothing to give. */
static gboolean
check_epoch (const Learn *learn, GError **error)
{
  int skipped = patch_source_skipped (learn->source);

  if (patch_source_used (learn->source) > 0)
    return TRUE;
  if (skipped == 1)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         learn->left_out->pdata[0]);
  else
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "none of the %d pictures can be used, the first since %s",
                 skipped, (char *) learn->left_out->pdata[0]);
  return FALSE;
}

/* ---- learning ---- */

static double
seconds_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
}

/* Ours is stopped by two: the user, and the clock. */
static void
watch (double done, gpointer data)
{
  Learn *learn = data;
  const LearnStatus *status = learner_status (learn->learner);

  if (learn->time_limit > 0) {
    double spent = seconds_since (learn->started);

    done = MAX (done, spent / learn->time_limit);
    learn->out_of_time = spent >= learn->time_limit;
  }
  learn->interrupted = g_cancellable_is_cancelled (learn->shown.cancellable);
  if (learn->out_of_time || learn->interrupted)
    g_cancellable_cancel (learn->progress.cancellable);
  else if (learn->shown.report != NULL) {
    if (status->iteration > 0) {
      g_snprintf (learn->label, sizeof learn->label,
                  "learning, objective %.4g", status->objective);
      progress_bar_set_label (&learn->bar, learn->label);
    }
    learn->shown.report (MIN (1, done), learn->shown.user_data);
  }
}

/* Feeds epoch after epoch until the learner has enough. */
static gboolean
feed (Learn *learn, GError **error)
{
  const Progress *progress = &learn->progress;
  int epoch = 0;

  while (!learner_done (learn->learner)) {
    int count = patch_source_read (learn->source, &learn->block);
    Mat Y = mat_columns (&learn->block, 0, count);

    if (!progress_step (progress, learner_share (learn->learner), error))
      return FALSE;
    if (count > 0) {
      name_left_out (learn);
      if (!learner_feed (learn->learner, &Y, progress, error))
        return FALSE;
      continue;
    }
    if (!check_epoch (learn, error))
      return FALSE;
    /* One epoch is all that learners who keep samples get. */
    if (!class_of (learn)->streams)
      return TRUE;
    patch_source_begin (learn->source, ++epoch);
  }
  return TRUE;
}

/* One pass over the patches of the first epoch. */
static gboolean
polish_pass (Learn *learn, Polish *polisher, int pass, GError **error)
{
  int count;

  patch_source_begin (learn->source, 0);
  do {
    Mat Y;

    count = patch_source_read (learn->source, &learn->block);
    if (!progress_step (&learn->progress, (double) pass / learn->polish,
                        error))
      return FALSE;
    Y = mat_columns (&learn->block, 0, count);
    polish_feed (polisher, &Y);
  } while (count > 0);
  return TRUE;
}

/* Where it is stopped, @A is what the passes that are done made of it. */
static gboolean
polish (Learn *learn, Mat *A, GError **error)
{
  g_autoptr (Polish) polisher =
    polish_new (A, learner_status (learn->learner)->threshold);

  for (int pass = 0; pass < learn->polish; pass++) {
    if (!polish_pass (learn, polisher, pass, error))
      return FALSE;
    if (!polish_end_pass (polisher)) {
      terminal_note ("polishing stopped after %d passes: an atom was unused",
                     pass);
      break;
    }
    polish_dictionary (polisher, A);
  }
  return TRUE;
}

/* Whether @error, which is then cleared, is a stop after which what was
 * learned is kept. */
static gboolean
forgive_stop (const Learn *learn, GError **error)
{
  if (!g_error_matches (*error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED)
      || (learn->interrupted && !learn->keep_partial))
    return FALSE;
  g_clear_error (error);
  if (learner_status (learn->learner)->iteration > 0)
    return TRUE;
  if (learn->interrupted)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED,
                         "interrupted before anything was learned");
  else
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                 "--time-limit %g: nothing was learned so far; give it more "
                 "time",
                 learn->time_limit);
  return FALSE;
}

/* Learns, and polishes if there is time left. */
static gboolean
learn_and_polish (Learn *learn, Mat *A, GError **error)
{
  GError *stopped = NULL;
  gboolean complete =
    feed (learn, &stopped)
    && learner_finish (learn->learner, &learn->progress, &stopped);

  if (complete || forgive_stop (learn, &stopped)) {
    learner_dictionary (learn->learner, A);
    if (!complete || learn->polish == 0 || polish (learn, A, &stopped)
        || forgive_stop (learn, &stopped))
      return TRUE;
  }
  g_propagate_error (error, stopped);
  return FALSE;
}

static gboolean
learn_atoms (Learn *learn, Mat *A, GError **error)
{
  gboolean ok;

  if (learn->keep_partial)
    interrupt_be_patient ();
  learn->shown = progress_bar_start (&learn->bar, "reading pictures");
  learn->started = g_get_monotonic_time ();
  learn->progress = (Progress){ .report = watch,
                                .user_data = learn,
                                .cancellable = g_cancellable_new () };
  ok = learn_and_polish (learn, A, error);
  progress_bar_stop (&learn->bar);
  g_clear_object (&learn->progress.cancellable);
  return ok;
}

/* ---- results ---- */

/* What was asked for, so that the file tells how to make it again. */
static char *
describe_options (const Learn *learn)
{
  const LearnOptions *o = &learn->options;
  GString *text = g_string_new (NULL);

  g_string_append_printf (
    text,
    "--patch %d%s --iterations %d --max-patches %" G_GUINT64_FORMAT
    " --step %d --init %s",
    learn->patch, learn->grey ? " --grey" : "", o->iterations,
    learn->max_patches, learn->step,
    o->init == START_GIVEN ? "FILE" : starts[o->init]);
  if (!class_of (learn)->complete) {
    g_string_append_printf (text, " --atoms %d --atoms-per-patch %d%s",
                            learn->learner->k, o->atoms_per_sample,
                            o->exact_update ? " --exact" : "");
    return g_string_free (text, FALSE);
  }
  g_string_append_printf (
    text, o->threshold > 0 ? " --threshold %.10g" : " --density %.10g",
    o->threshold > 0 ? o->threshold : o->density);
  g_string_append_printf (text,
                          " --shrink %.10g --floor %.10g --window %d "
                          "--stride %d --rate %.10g --polish %d",
                          o->shrink, o->noise, o->window, o->stride, o->rate,
                          learn->polish);
  return g_string_free (text, FALSE);
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
print_result (Learn *learn, double seconds, GError **error)
{
  const LearnStatus *status = learner_status (learn->learner);
  int skipped = patch_source_skipped (learn->source);
  g_autoptr (JsonObject) json = NULL;

  name_left_out (learn);
  if (learn->interrupted)
    terminal_note ("interrupted; what was learned in %d iterations is kept",
                   status->iteration);
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
  json_object_set_boolean_member (json, "interrupted", learn->interrupted);
  return report_print (json, error);
}

/* The dictionary to go on from is an input, and no input is replaced. */
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
  double seconds;

  if (!check_init (learn, error) || !make_learner (learn, error)
      || !make_source (learn, error))
    return FALSE;
  A = mat_new (learn->learner->n, learn->learner->k);
  if (!learn_atoms (learn, &A, error))
    return FALSE;
  seconds = seconds_since (learn->started);
  if (learn->keep_partial)
    interrupt_begin_saving ();
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
  learn.options.window = 4000;
  learn.options.stride = 100;
  learn.options.density = 0.02;
  learn.options.noise = 3;
  learn.left_out = g_ptr_array_new_with_free_func (g_free);
  command_line_init (&learn.line);
  ok = parse (&learn, argv, error)
       && (learn.line.answered || work (&learn, error));
  learner_free (learn.learner);
  patch_source_free (learn.source);
  mat_clear (&learn.block);
  g_ptr_array_unref (learn.left_out);
  command_line_clear (&learn.line);
  return ok;
}
