/* transform.c - learn a transform, with the thresholds of its rounds */
#include "app/learn/learn.h"

#include "app/cli/interrupt.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/files/dictionaryfile.h"
#include "app/files/files.h"
#include "app/files/output.h"
#include "base/error.h"
#include "imaging/training/transformtask.h"

#include <math.h>

typedef struct {
  Learn *learn;
  TransformTask task;
  TrainingCrops *crops;
  TransformModel *model;
  TransformTrainer *trainer;
  int steps; /* done */
} TransformRun;

static void
transform_run_clear (TransformRun *run)
{
  transform_trainer_free (run->trainer);
  training_crops_free (run->crops);
  transform_model_free (run->model);
}

/* ---- the model ---- */

/* The atoms of a file, or cosines. */
static TransformModel *
make_model (const Learn *learn, const TransformTask *task, GError **error)
{
  g_autoptr (Dictionary) start = NULL;

  if (learn->init == NULL || g_str_equal (learn->init, "dct"))
    return transform_task_start (task, NULL, error);
  for (int i = 0; learn_init_names[i] != NULL; i++)
    if (g_str_equal (learn->init, learn_init_names[i])) {
      tessera_fail (error, TESSERA_ERROR_USAGE,
                    "--init %s: a transform begins with dct, or with a "
                    "dictionary of orthonormal atoms",
                    learn->init);
      return NULL;
    }
  start = dictionary_file_load (learn->init, error);
  return start != NULL ? transform_task_start (task, start, error) : NULL;
}

/* ---- learning ---- */

static gboolean
all_steps (TransformRun *run, GError **error)
{
  Learn *learn = run->learn;
  TransformTrainerOptions options =
    transform_task_options (&run->task, run->crops);
  const TransformTrainerStatus *status;

  run->trainer = transform_trainer_new (run->model, &options, error);
  if (run->trainer == NULL)
    return FALSE;
  status = transform_trainer_status (run->trainer);
  while (status->step < options.steps) {
    ProgressPart share = { &learn->budget.progress,
                           (double) status->step / options.steps,
                           (status->step + 1.0) / options.steps };
    Progress part = progress_part (&share);

    if (!transform_trainer_step (run->trainer, &part, error))
      return FALSE;
    run->steps = status->step;
    g_snprintf (learn->label, sizeof learn->label, "learning, %.2f dB",
                -10 / log (10) * status->error);
  }
  return TRUE;
}

static gboolean
write_out (TransformRun *run, GError **error)
{
  const Learn *learn = run->learn;
  g_autoptr (Dictionary) dictionary = NULL;
  g_autoptr (GBytes) bytes = NULL;

  run->model->options = transform_task_describe (&run->task, run->steps);
  run->model->seed = learn->line.seed;
  dictionary =
    dictionary_from_transform (g_steal_pointer (&run->model), error);
  if (dictionary == NULL)
    return FALSE;
  bytes = dictionary_file_encode (dictionary, learn->output, error);
  return bytes != NULL
         && output_write (learn->output, bytes, learn->line.force, error);
}

static gboolean
report (const TransformRun *run, GError **error)
{
  const Learn *learn = run->learn;
  const TransformShape *s = &run->task.shape;
  const TransformTrainerStatus *status =
    transform_trainer_status (run->trainer);
  double seconds = time_budget_seconds (&learn->budget);
  g_autoptr (JsonObject) json = NULL;

  if (status->step < run->task.steps)
    terminal_note ("stopped after %d of %d steps", status->step,
                   run->task.steps);
  if (!learn->line.json) {
    terminal_result ("learned a transform of %dx%dx%d, %d round%s, in %.1f s, "
                     "%d step%s -> %s",
                     s->side, s->side, s->channels, s->rounds,
                     PLURAL (s->rounds), seconds, status->step,
                     PLURAL (status->step), output_name (learn->output));
    return TRUE;
  }
  json = json_object_new ();
  json_report_set_number (json, "seconds", seconds);
  json_report_set_count (json, "samples",
                         (guint64) status->step * (guint64) run->task.batch);
  json_report_set_count (json, "iterations", (guint64) status->step);
  json_report_set_number (json, "objective", status->error);
  json_report_set_text (json, "algorithm", "transform");
  json_report_set_count (json, "atoms", (guint64) transform_length (s));
  json_report_set_count (json, "patch", (guint64) s->side);
  json_report_set_count (json, "rounds", (guint64) s->rounds);
  json_report_set_count (json, "pictures",
                         (guint64) training_crops_count (run->crops));
  json_report_set_count (json, "skipped", (guint64) learn->skipped.count);
  json_object_set_boolean_member (json, "interrupted",
                                  learn->budget.interrupted);
  return json_report_print (json, error);
}

static gboolean
learn_and_write (TransformRun *run, GError **error)
{
  Learn *learn = run->learn;
  GError *stopped = NULL;
  gboolean ok;

  learn_begin (learn, "reading pictures");
  ok = learn_add_pictures (learn, run->crops, &stopped)
       && all_steps (run, &stopped);
  learn_end (learn);
  if (!ok && !learn_forgive_stop (learn, run->steps, &stopped)) {
    g_propagate_error (error, stopped);
    return FALSE;
  }
  if (learn->keep_partial)
    interrupt_begin_saving ();
  return write_out (run, error) && report (run, error);
}

gboolean
learn_transform (Learn *learn, GError **error)
{
  TransformRun run = { .learn = learn };
  g_autoptr (GArray) damage = NULL;
  gboolean ok;

  if (g_str_has_suffix (learn->output, ".npy"))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "--output %s: the thresholds of a transform need the "
                         "extension .safetensors",
                         learn->output);
  run.task = (TransformTask){
    .shape = { learn->patch, channels_of (learn), learn->spacing,
               learn->rounds },
    .damage = learn->task,
    .crop = learn->crop,
    .batch = learn->batch,
    .steps = learn->options.iterations,
    .rate = learn->options.rate,
    .rotation = learn->rotation,
    .seed = learn->line.seed
  };
  if (!transform_task_complete (&run.task, error)
      || (damage = task_parse (run.task.damage, error)) == NULL)
    return FALSE;
  run.model = make_model (learn, &run.task, error);
  if (run.model == NULL)
    return FALSE;
  run.crops = training_crops_new (damage, run.task.shape.channels,
                                  run.task.crop, learn->line.seed);
  ok = learn_and_write (&run, error);
  transform_run_clear (&run);
  return ok;
}
