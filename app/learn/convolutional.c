/* convolutional.c - learn a convolutional dictionary
 *
 * Learning takes long, so it may be stopped at any time: now and then, and at
 * the end, the output is written with all that is needed to resume.
 */
#include "app/learn/learn.h"

#include "app/cli/interrupt.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/files/files.h"
#include "app/files/output.h"
#include "app/files/picturelist.h"
#include "base/error.h"
#include "dictlearn/convolutional/file.h"
#include "imaging/training/crops.h"

#include <math.h>
#include <string.h>

/* Microseconds from one checkpoint to the next. */
#define CHECKPOINT_EVERY (120 * G_USEC_PER_SEC)

/* Sets of atoms of a new model. */
#define USUAL_SETS 8

typedef struct {
  Learn *learn;
  TrainingCrops *crops;
  ConvModel *model;
  ConvTrainer *trainer;
  int steps;
  gboolean written; /* the output is there */
  gint64 written_at;
} ConvRun;

static void
conv_run_clear (ConvRun *run)
{
  conv_trainer_free (run->trainer);
  training_crops_free (run->crops);
  conv_model_free (run->model);
}

/* ---- the model ---- */

static char *
describe (const ConvRun *run)
{
  const Learn *learn = run->learn;
  const ConvShape *s = &run->model->shape;

  return g_strdup_printf (
    "--patch %d --spacing %d --atoms %d --rounds %d --sets %d --levels %d "
    "--ground %d --crop %d --batch %d --iterations %d --rate %g --task %s",
    s->side, s->stride, s->atoms, s->rounds, s->sets, s->levels, s->ground,
    learn->crop, learn->batch, run->steps, learn->options.rate, learn->task);
}

static ConvModel *
new_model (const Learn *learn, GError **error)
{
  int n = length_of (learn);
  ConvShape shape = { .side = learn->patch,
                      .stride = learn->spacing,
                      .channels = channels_of (learn),
                      .atoms = learn->options.atoms,
                      .rounds = learn->rounds,
                      .sets = MIN (learn->sets > 0 ? learn->sets : USUAL_SETS,
                                   learn->rounds),
                      .levels = learn->levels,
                      .ground = learn->ground };

  if (shape.atoms == 0)
    shape.atoms = n;
  if (shape.side > CONV_MOST_SIDE || shape.stride > shape.side
      || shape.atoms > CONV_MOST_ATOMS) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "--patch %d --spacing %d --atoms %d: give a patch of at most "
                 "%d, a spacing of at most the patch, and at most %d atoms",
                 shape.side, shape.stride, shape.atoms, CONV_MOST_SIDE,
                 CONV_MOST_ATOMS);
    return NULL;
  }
  return conv_model_new (&shape, error);
}

/* A model from a file; its pictures are as those to learn from. */
static ConvModel *
load_model (const char *path, int channels, ConvTrainerState *state,
            GError **error)
{
  g_autoptr (GBytes) bytes = file_read (path, error);
  g_autoptr (ConvModel) model = NULL;

  if (bytes == NULL)
    return NULL;
  model = conv_model_from_bytes (bytes, input_name (path), state, error);
  if (model != NULL && model->shape.channels != channels) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: is for %s pictures; learn %s --grey", input_name (path),
                 channels == 1 ? "color" : "gray",
                 channels == 1 ? "without" : "with");
    return NULL;
  }
  return g_steal_pointer (&model);
}

/* A new model, one to start from, or one to go on with. */
static gboolean
make_trainer (ConvRun *run, GError **error)
{
  Learn *learn = run->learn;
  ConvTrainerState state = { 0 };
  const char *from = learn->resume != NULL ? learn->resume : learn->init;

  run->model =
    from != NULL ? load_model (from, channels_of (learn), &state, error)
                 : new_model (learn, error);
  if (run->model == NULL) {
    g_free (state.first);
    g_free (state.second);
    return FALSE;
  }
  if (learn->resume != NULL && state.second == NULL) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: learning was finished; use --init to continue from it",
                 input_name (learn->resume));
    return FALSE;
  }
  if (learn->resume == NULL && learn->sets > 0
      && learn->sets != run->model->shape.sets) {
    ConvModel *model = conv_model_with_sets (
      run->model, MIN (learn->sets, run->model->shape.rounds), error);

    conv_model_free (run->model);
    run->model = model;
    if (model == NULL)
      return FALSE;
  }
  if (learn->ground > 0)
    run->model->shape.ground = learn->ground;
  ConvTrainerOptions options = { .crop = learn->crop,
                                 .batch = learn->batch,
                                 .steps = run->steps,
                                 .rate = learn->options.rate,
                                 .draw = training_crops_draw,
                                 .data = run->crops };
  run->trainer = conv_trainer_new (run->model, &options, error);
  if (run->trainer != NULL && learn->resume != NULL)
    conv_trainer_resume (run->trainer, &state);
  g_free (state.first);
  g_free (state.second);
  return run->trainer != NULL;
}

/* ---- learning ---- */

static gboolean
write_out (ConvRun *run, GError **error)
{
  const Learn *learn = run->learn;
  gboolean finished = conv_trainer_status (run->trainer)->step >= run->steps;
  g_autoptr (GBytes) bytes = NULL;

  if (!conv_model_is_bounded (run->model))
    return tessera_fail (error, TESSERA_ERROR_FAILED,
                         "learning diverged; use a smaller --rate than %g",
                         learn->options.rate);
  g_free (run->model->options);
  run->model->options = describe (run);
  run->model->seed = learn->line.seed;
  bytes = conv_model_to_bytes (
    run->model, finished ? NULL : conv_trainer_state (run->trainer), error);
  if (bytes == NULL
      || !output_write (learn->output, bytes,
                        learn->line.force || run->written, error))
    return FALSE;
  run->written = TRUE;
  run->written_at = g_get_monotonic_time ();
  return TRUE;
}

static gboolean
all_steps (ConvRun *run, GError **error)
{
  Learn *learn = run->learn;
  const ConvTrainerStatus *status = conv_trainer_status (run->trainer);

  run->written_at = g_get_monotonic_time ();
  while (status->step < run->steps) {
    ProgressPart share = { &learn->budget.progress,
                           (double) status->step / run->steps,
                           (double) (status->step + 1) / run->steps };
    Progress part = progress_part (&share);

    if (!conv_trainer_step (run->trainer, &part, error))
      return FALSE;
    g_snprintf (learn->label, sizeof learn->label, "learning, %.2f dB",
                -10 / log (10) * status->error);
    if (!output_is_stream (learn->output)
        && g_get_monotonic_time () - run->written_at > CHECKPOINT_EVERY
        && !write_out (run, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
report (const ConvRun *run, GError **error)
{
  const Learn *learn = run->learn;
  const ConvShape *s = &run->model->shape;
  const ConvTrainerStatus *status = conv_trainer_status (run->trainer);
  double seconds = time_budget_seconds (&learn->budget);
  g_autoptr (JsonObject) json = NULL;

  if (status->step < run->steps)
    terminal_note ("stopped after %d of %d steps; continue with --resume %s",
                   status->step, run->steps, output_name (learn->output));
  if (!learn->line.json) {
    terminal_result (
      "learned %d atom%s of %dx%dx%d in %.1f s, %d step%s -> %s", s->atoms,
      PLURAL (s->atoms), s->side, s->side, s->channels, seconds, status->step,
      PLURAL (status->step), output_name (learn->output));
    return TRUE;
  }
  json = json_object_new ();
  json_report_set_number (json, "seconds", seconds);
  json_report_set_count (json, "samples", run->model->samples);
  json_report_set_count (json, "iterations", (guint64) status->step);
  json_report_set_number (json, "objective", status->error);
  json_report_set_text (json, "algorithm", "convolutional");
  json_report_set_count (json, "atoms", (guint64) s->atoms);
  json_report_set_count (json, "patch", (guint64) s->side);
  json_report_set_count (json, "pictures",
                         (guint64) training_crops_count (run->crops));
  json_report_set_count (json, "skipped", (guint64) learn->skipped.count);
  json_object_set_boolean_member (json, "interrupted",
                                  learn->budget.interrupted);
  return json_report_print (json, error);
}

static gboolean
learn_and_write (ConvRun *run, GError **error)
{
  Learn *learn = run->learn;
  GError *stopped = NULL;
  gboolean ok;

  learn_begin (learn, "reading pictures");
  ok = learn_add_pictures (learn, run->crops, &stopped)
       && make_trainer (run, &stopped) && all_steps (run, &stopped);
  learn_end (learn);
  if (!ok
      && !learn_forgive_stop (
        learn,
        run->trainer != NULL ? conv_trainer_status (run->trainer)->step : 0,
        &stopped)) {
    g_propagate_error (error, stopped);
    return FALSE;
  }
  interrupt_begin_saving ();
  return write_out (run, error) && report (run, error);
}

gboolean
learn_convolutional (Learn *learn, GError **error)
{
  ConvRun run = { .learn = learn };
  g_autoptr (GArray) task = NULL;
  gboolean ok;

  if (g_str_has_suffix (learn->output, ".npy"))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "--output %s: a convolutional dictionary needs the "
                         "extension .safetensors",
                         learn->output);
  if (learn->init != NULL && learn->resume != NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "give either --init or --resume");
  learn->keep_partial = TRUE;
  if (learn->task == NULL)
    learn->task = CONV_USUAL_TASK;
  if (learn->options.rate == 0)
    learn->options.rate = CONV_USUAL_RATE;
  run.steps = learn->options.iterations > 0 ? learn->options.iterations
                                            : CONV_USUAL_STEPS;
  task = task_parse (learn->task, error);
  if (task == NULL)
    return FALSE;
  run.crops = training_crops_new (task, channels_of (learn), learn->crop,
                                  learn->line.seed);
  ok = learn_and_write (&run, error);
  conv_run_clear (&run);
  return ok;
}
