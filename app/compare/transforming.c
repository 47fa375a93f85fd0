/* transforming.c - learns a transform from the training pictures
 *
 * A transform is learned by restoring crops, in which patches overlap, so it
 * cannot begin with the patches that the others are given.  It sees the same
 * pictures, and learns for the kinds of damage that are compared.
 */
#include "app/compare/compare.h"

#include "app/cli/terminal.h"
#include "app/cli/timebudget.h"
#include "app/files/picturefile.h"
#include "base/error.h"
#include "imaging/training/transformtask.h"

#include <string.h>

/* The kinds of damage that are compared, as a task. */
static char *
task_of (const Compare *compare)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < compare->damages->len; i++) {
    const DamageOptions *o = &compare_damage (compare, i)->options;
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *kind = o->missing > 0      ? "missing"
                       : o->samples > 0    ? "channels"
                       : o->block_side > 0 ? "blocks"
                                           : "noise";
    double amount = o->missing > 0      ? o->missing
                    : o->samples > 0    ? o->samples
                    : o->block_side > 0 ? MIN (64, o->block_side)
                                        : MIN (255, o->noise);

    g_string_append_printf (text, "%s%s:%s", i > 0 ? "," : "", kind,
                            g_ascii_dtostr (number, sizeof number, amount));
  }
  return g_string_free (text, FALSE);
}

/* Pictures that are smaller than a crop are left out, as those are that have
 * no patch. */
static TrainingCrops *
read_pictures (const Compare *compare, const TransformTask *task,
               const Progress *progress, GError **error)
{
  g_autoptr (GArray) damage = task_parse (task->damage, error);
  g_autoptr (TrainingCrops) crops = NULL;

  if (damage == NULL)
    return NULL;
  crops = training_crops_new (damage, COMPARE_CHANNELS, task->crop,
                              task->seed);
  for (guint i = 0; i < compare->training->len; i++) {
    g_autoptr (GError) why = NULL;
    g_autoptr (Image) image = picture_load (compare->training->pdata[i],
                                            &compare->line.limits, &why);

    if (!progress_step (progress, 0, error))
      return NULL;
    if (image == NULL || !training_crops_add (crops, image, &why))
      terminal_detail ("transform: %s: %s",
                       (const char *) compare->training->pdata[i],
                       why->message);
  }
  if (training_crops_count (crops) > 0)
    return g_steal_pointer (&crops);
  tessera_fail (error, TESSERA_ERROR_INPUT,
                "transform: no training picture has %d x %d pixels",
                task->crop, task->crop);
  return NULL;
}

/* Steps until all are done or the time is over; how many. */
static int
all_steps (TransformTrainer *trainer, int steps, const TimeBudget *budget,
           GError **error)
{
  const TransformTrainerStatus *status = transform_trainer_status (trainer);
  g_autoptr (GError) why = NULL;

  while (status->step < steps) {
    ProgressPart share = { &budget->progress, (double) status->step / steps,
                           (status->step + 1.0) / steps };
    Progress part = progress_part (&share);

    if (!transform_trainer_step (trainer, &part, &why)) {
      if (status->step > 0 && budget->out_of_time && !budget->interrupted
          && g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_CANCELLED))
        break;
      g_propagate_prefixed_error (error, g_steal_pointer (&why),
                                  "transform: ");
      return 0;
    }
  }
  return status->step;
}

static gboolean
learn (const Compare *compare, const TransformTask *task, LearnRun *run,
       TimeBudget *budget, GError **error)
{
  g_autoptr (TransformModel) model = NULL;
  g_autoptr (TransformTrainer) trainer = NULL;
  g_autoptr (TrainingCrops) crops =
    read_pictures (compare, task, &budget->progress, error);
  TransformTrainerOptions options;

  if (crops == NULL)
    return FALSE;
  model = transform_task_start (task, NULL, error);
  if (model == NULL)
    return FALSE;
  options = transform_task_options (task, crops);
  trainer = transform_trainer_new (model, &options, error);
  if (trainer == NULL)
    return FALSE;
  run->iterations = all_steps (trainer, options.steps, budget, error);
  if (run->iterations == 0)
    return FALSE;
  run->seconds = time_budget_seconds (budget);
  run->out_of_time = budget->out_of_time;
  model->seed = task->seed;
  model->options = transform_task_describe (task, run->iterations);
  run->dictionary =
    dictionary_from_transform (g_steal_pointer (&model), error);
  run->start = compare_init_name (INIT_DCT);
  run->ready = run->dictionary != NULL;
  return run->ready;
}

gboolean
compare_learn_transform (const Compare *compare, LearnRun *run, guint seed,
                         const Progress *progress, GError **error)
{
  g_autofree char *damage = task_of (compare);
  TransformTask task = { .shape = { .side = compare->patch,
                                    .channels = COMPARE_CHANNELS },
                         .damage = damage,
                         .steps = compare->iterations,
                         .seed = compare_seed (compare, seed) };
  TimeBudget budget;
  gboolean ok;

  if (!transform_task_complete (&task, error))
    return FALSE;
  time_budget_begin (&budget, progress, compare->time_limit);
  ok = learn (compare, &task, run, &budget, error);
  time_budget_end (&budget);
  if (ok)
    terminal_detail ("transform: %d step%s in %.1f s", run->iterations,
                     PLURAL (run->iterations), run->seconds);
  return ok;
}
