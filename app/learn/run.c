/* run.c - patches from pictures to the learner, until it has enough */
#include "app/learn/learn.h"

#include "app/cli/interrupt.h"
#include "app/files/picturefile.h"
#include "app/files/picturelist.h"
#include "app/cli/terminal.h"
#include "base/error.h"
#include "dictlearn/polish.h"
#include "imaging/learning.h"

/* Samples handed over at a time. */
#define BLOCK 512

/* ---- patches ---- */

/* Reading pictures may take long before there is anything to learn from. */
Image *
learn_load_picture (const char *path, gpointer data, GError **error)
{
  const Learn *learn = data;

  if (!progress_step (
        &learn->budget.progress,
        learn->learner != NULL ? learner_share (learn->learner) : 0, error))
    return NULL;
  return picture_load (path, &learn->line.limits, error);
}

static void
note_skipped (const char *path, const char *why, gpointer data)
{
  Learn *learn = data;

  skipped_files_add (&learn->skipped, path, why);
}

gboolean
learn_add_pictures (Learn *learn, TrainingCrops *crops, GError **error)
{
  g_autoptr (GPtrArray) paths =
    picture_list_find (learn->line.arguments, error);

  if (paths == NULL)
    return FALSE;
  for (guint i = 0; i < paths->len; i++) {
    const char *path = paths->pdata[i];
    g_autoptr (GError) why = NULL;
    g_autoptr (Image) image = learn_load_picture (path, learn, &why);

    if (image != NULL && training_crops_add (crops, image, &why))
      continue;
    if (g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_CANCELLED)
        || g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_MEMORY)) {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
    skipped_files_add (&learn->skipped, path, why->message);
  }
  if (training_crops_count (crops) > 0) {
    skipped_files_print (&learn->skipped);
    return TRUE;
  }
  skipped_files_set_error (&learn->skipped, error);
  return FALSE;
}

gboolean
learn_make_source (Learn *learn, GError **error)
{
  g_autoptr (GPtrArray) pictures =
    picture_list_find (learn->line.arguments, error);
  PatchSourceOptions options = { .patch = learn->patch,
                                 .channels = channels_of (learn),
                                 .step = learn->step,
                                 .max_patches = learn->max_patches,
                                 .seed = learn->line.seed,
                                 .load = learn_load_picture,
                                 .skipped = note_skipped,
                                 .data = learn };

  if (pictures == NULL)
    return FALSE;
  if (learn->learner != NULL)
    options.max_patches =
      learn_patches_of_round (class_of (learn), &learn->options,
                              length_of (learn), learn->max_patches);
  learn->source = patch_source_new (pictures, &options, error);
  return learn->source != NULL
         && mat_try_new (&learn->block, length_of (learn), BLOCK, error);
}

/* Fails when a whole epoch gave no patches. */
static gboolean
check_epoch (gpointer data, GError **error)
{
  const Learn *learn = data;

  if (patch_source_used (learn->source) > 0)
    return TRUE;
  skipped_files_set_error (&learn->skipped, error);
  return FALSE;
}

/* ---- learning ---- */

static void
show (double done, gpointer data)
{
  Learn *learn = data;

  if (learn->learner != NULL && learner_status (learn->learner)->iteration > 0)
    g_snprintf (learn->label, sizeof learn->label, "learning, objective %.4g",
                learner_status (learn->learner)->objective);
  if (learn->label[0] != '\0')
    progress_bar_set_label (&learn->bar, learn->label);
  learn->drawn.report (done, learn->drawn.user_data);
}

static gboolean
read_patches (gpointer data, Mat *Y, GError **error)
{
  Learn *learn = data;

  if (!learn_read_patches (learn->source, &learn->block, Y, error))
    return FALSE;
  if (Y->cols > 0)
    skipped_files_print (&learn->skipped);
  return TRUE;
}

static void
begin_epoch (gpointer data, int epoch)
{
  Learn *learn = data;

  patch_source_begin (learn->source, epoch);
}

static gboolean
feed (Learn *learn, GError **error)
{
  const SampleStream patches = { .read = read_patches,
                                 .check_round = check_epoch,
                                 .begin = begin_epoch,
                                 .data = learn };

  return learner_feed_stream (learn->learner, &patches,
                              &learn->budget.progress, error);
}

/* One pass over the patches of the first epoch. */
static gboolean
polish_pass (Learn *learn, Polish *polisher, int pass, GError **error)
{
  Mat Y;

  patch_source_begin (learn->source, 0);
  do {
    if (!progress_step (&learn->budget.progress, (double) pass / learn->polish,
                        error)
        || !learn_read_patches (learn->source, &learn->block, &Y, error))
      return FALSE;
    polish_feed (polisher, &Y);
  } while (Y.cols > 0);
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
      terminal_note ("polishing stopped after %d pass%s: an atom was unused",
                     pass, pass == 1 ? "" : "es");
      break;
    }
    polish_dictionary (polisher, A);
  }
  return TRUE;
}

gboolean
learn_forgive_stop (const Learn *learn, int iterations, GError **error)
{
  if (!g_error_matches (*error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED)
      || (learn->budget.interrupted && !learn->keep_partial))
    return FALSE;
  g_clear_error (error);
  if (iterations > 0)
    return TRUE;
  if (learn->budget.interrupted)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED,
                         "interrupted before anything was learned");
  else
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                 "--time-limit %g: nothing was learned yet; give it more "
                 "time",
                 learn->time_limit);
  return FALSE;
}

static gboolean
forgive_stop (const Learn *learn, GError **error)
{
  return learn_forgive_stop (learn, learner_status (learn->learner)->iteration,
                             error);
}

/* Learns, and polishes if there is time left. */
static gboolean
learn_and_polish (Learn *learn, Mat *A, GError **error)
{
  GError *stopped = NULL;
  gboolean complete =
    feed (learn, &stopped)
    && learner_finish (learn->learner, &learn->budget.progress, &stopped);

  if (complete || forgive_stop (learn, &stopped)) {
    learner_dictionary (learn->learner, A);
    if (!complete || learn->polish == 0 || polish (learn, A, &stopped)
        || forgive_stop (learn, &stopped))
      return TRUE;
  }
  g_propagate_error (error, stopped);
  return FALSE;
}

void
learn_begin (Learn *learn, const char *label)
{
  if (learn->keep_partial)
    interrupt_be_patient ();
  learn->drawn = progress_bar_start (&learn->bar, label);
  learn->shown = learn->drawn;
  if (learn->drawn.report != NULL)
    learn->shown.report = show;
  learn->shown.user_data = learn;
  time_budget_begin (&learn->budget, &learn->shown, learn->time_limit);
}

void
learn_end (Learn *learn)
{
  time_budget_end (&learn->budget);
  progress_bar_stop (&learn->bar);
}

gboolean
learn_atoms (Learn *learn, Mat *A, GError **error)
{
  gboolean ok;

  learn_begin (learn, "reading pictures");
  ok = learn_and_polish (learn, A, error);
  if (learn->budget.interrupted)
    learn->task_iterations = 0;
  else if (ok && learn->task != NULL)
    ok = learn_for_task (learn, A, error);
  learn_end (learn);
  return ok;
}
