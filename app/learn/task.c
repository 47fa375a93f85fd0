/* task.c - improve a dictionary for a task */
#include "app/learn/learn.h"

#include "app/cli/interrupt.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/files/dictionaryfile.h"
#include "app/files/files.h"
#include "app/files/output.h"
#include "base/error.h"
#include "imaging/training/tasktrainer.h"

#include <math.h>

/* The pictures to cut crops from; none where patches are separate, which come
 * from learn->source. */
static gboolean
read_crops (Learn *learn, const GArray *task, TrainingCrops **crops,
            GError **error)
{
  if (learn->coder == CODER_SEPARATE)
    return TRUE;
  *crops =
    training_crops_new (task, channels_of (learn),
                        task_trainer_crop (learn->patch), learn->line.seed);
  return learn_add_pictures (learn, *crops, error);
}

static gboolean
step (Learn *learn, TaskTrainer *trainer, GError **error)
{
  g_autoptr (GError) why = NULL;
  gboolean ok = task_trainer_step (trainer, &learn->budget.progress, &why);

  skipped_files_print (&learn->skipped);
  if (g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_INPUT))
    skipped_files_set_error (&learn->skipped, error);
  else if (!ok)
    g_propagate_error (error, g_steal_pointer (&why));
  return ok;
}

static gboolean
all_steps (Learn *learn, TaskTrainer *trainer, GError **error)
{
  while (task_trainer_steps (trainer) < learn->task_iterations) {
    if (!step (learn, trainer, error))
      return FALSE;
    g_snprintf (learn->label, sizeof learn->label, "learning, %.2f dB",
                -10 * log10 (task_trainer_error (trainer)));
  }
  return TRUE;
}

/* An algorithm before the task has the rate that was given. */
static double
rate_of_task (const Learn *learn)
{
  return learn->learner == NULL ? learn->options.rate : 0;
}

/* Improves @dictionary.  FALSE with @error set where it was stopped early;
 * what was learned until then is there. */
static gboolean
train (Learn *learn, const GArray *task, Dictionary *dictionary,
       GError **error)
{
  g_autoptr (TrainingCrops) crops = NULL;
  g_autoptr (TaskTrainer) trainer = NULL;
  TaskTrainerOptions options = { .task = task,
                                 .seed = learn->line.seed,
                                 .steps = learn->task_iterations,
                                 .rate = rate_of_task (learn) };
  gboolean complete;

  if (!read_crops (learn, task, &crops, error)) {
    learn->task_iterations = 0;
    return FALSE;
  }
  options.crops = crops;
  options.source = crops == NULL ? learn->source : NULL;
  trainer = task_trainer_new (dictionary, &options, error);
  if (trainer == NULL) {
    learn->task_iterations = 0;
    return FALSE;
  }
  complete = all_steps (learn, trainer, error);
  learn->task_iterations = task_trainer_steps (trainer);
  learn->task_patches = task_trainer_patches (trainer);
  learn->task_pictures = crops != NULL ? training_crops_count (crops)
                                       : patch_source_used (learn->source);
  return complete;
}

gboolean
learn_for_task (Learn *learn, Mat *A, GError **error)
{
  g_autoptr (GArray) task = task_parse (learn->task, error);
  g_autoptr (Dictionary) dictionary =
    task != NULL
      ? dictionary_new (learn->patch, channels_of (learn), A->cols, error)
      : NULL;
  GError *stopped = NULL;

  if (dictionary == NULL)
    return FALSE;
  mat_normalise_columns (A);
  mat_to_float (A, &dictionary->atoms);
  if (!train (learn, task, dictionary, &stopped)
      && !learn_forgive_stop (
        learn, MAX (learn->task_iterations, learn->learner != NULL),
        &stopped)) {
    g_propagate_error (error, stopped);
    return FALSE;
  }
  mat_from_float (&dictionary->atoms, A);
  return TRUE;
}

/* ---- without an algorithm before it ---- */

static gboolean
save (const Learn *learn, Mat *A, GError **error)
{
  g_autoptr (Dictionary) dictionary =
    dictionary_new (learn->patch, channels_of (learn), A->cols, error);
  g_autoptr (GBytes) bytes = NULL;

  if (dictionary == NULL)
    return FALSE;
  mat_to_float (A, &dictionary->atoms);
  dictionary->algorithm = g_strdup ("task");
  dictionary->seed = learn->line.seed;
  dictionary->samples = learn->task_patches;
  dictionary->options = g_strdup_printf (
    "--patch %d%s --init %s --task %s --task-iterations %d --coder %s "
    "--rate %.10g",
    learn->patch, learn->grey ? " --grey" : "",
    learn->options.init == INIT_GIVEN ? "FILE" : "dct", learn->task,
    learn->task_iterations,
    learn->coder == CODER_SEPARATE ? "separate" : "overlapping",
    learn->options.rate);
  bytes = dictionary_file_encode (dictionary, learn->output, error);
  return bytes != NULL
         && output_write (learn->output, bytes, learn->line.force, error);
}

static gboolean
report (Learn *learn, int atoms, GError **error)
{
  double seconds = time_budget_seconds (&learn->budget);
  g_autoptr (JsonObject) json = NULL;

  skipped_files_print (&learn->skipped);
  if (learn->budget.interrupted)
    terminal_note ("interrupted; keeping what was learned in %d step%s",
                   learn->task_iterations, PLURAL (learn->task_iterations));
  if (!learn->line.json) {
    terminal_result (
      "learned %d atom%s of %dx%dx%d in %.1f s, %d step%s -> %s", atoms,
      PLURAL (atoms), learn->patch, learn->patch, channels_of (learn), seconds,
      learn->task_iterations, PLURAL (learn->task_iterations),
      output_name (learn->output));
    return TRUE;
  }
  json = json_object_new ();
  json_report_set_number (json, "seconds", seconds);
  json_report_set_count (json, "samples", learn->task_patches);
  json_report_set_count (json, "iterations", (guint64) learn->task_iterations);
  json_report_set_text (json, "algorithm", "task");
  json_report_set_count (json, "atoms", (guint64) atoms);
  json_report_set_count (json, "patch", (guint64) learn->patch);
  json_report_set_count (json, "pictures", (guint64) learn->task_pictures);
  json_object_set_boolean_member (json, "interrupted",
                                  learn->budget.interrupted);
  return json_report_print (json, error);
}

gboolean
learn_task_alone (Learn *learn, GError **error)
{
  g_auto (Mat) A = { 0 };
  gboolean ok;

  if (!learn_make_start (learn, &A, error)
      || (learn->coder == CODER_SEPARATE && !learn_make_source (learn, error)))
    return FALSE;
  learn_begin (learn, "reading pictures");
  ok = learn_for_task (learn, &A, error);
  learn_end (learn);
  if (!ok)
    return FALSE;
  if (learn->keep_partial)
    interrupt_begin_saving ();
  return save (learn, &A, error) && report (learn, A.cols, error);
}
