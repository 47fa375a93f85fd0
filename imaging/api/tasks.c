/* tasks.c - dictionaries learned by restoring what was damaged on purpose */
#include "imaging/api/api.h"

#include "dictlearn/initial.h"
#include "imaging/training/tasktrainer.h"
#include "imaging/training/transformtask.h"

#include <string.h>

/* A number that the caller has set, or the default. */
#define SET_OR(given, usual) ((given) != 0 ? (given) : (usual))

/* The most patches of a step. */
#define MOST_PATCHES 65536

/* What a call is about: the pictures, and what to learn from them. */
typedef struct {
  const char *const *paths;
  size_t count;
  GArray *task;
  const Progress *progress;
  char *last; /* why the last picture was skipped */
} TaskCall;

static void
task_call_clear (TaskCall *call)
{
  g_clear_pointer (&call->task, g_array_unref);
  g_clear_pointer (&call->last, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TaskCall, task_call_clear)

static gboolean
no_picture (const TaskCall *call, GError **error)
{
  return tessera_fail (error, TESSERA_ERROR_INPUT,
                       "no picture can be used: %s",
                       call->last != NULL ? call->last : "there is none");
}

static void
note_skipped (const char *path, const char *why, gpointer data)
{
  TaskCall *call = data;

  (void) path;
  g_free (call->last);
  call->last = g_strdup (why);
}

static Image *
load_picture (const char *path, gpointer data, GError **error)
{
  const TaskCall *call = data;

  return progress_step (call->progress, 0, error)
           ? tessera_image_read (path, NULL, error)
           : NULL;
}

/* Adds all pictures to those that crops are cut from. */
static gboolean
read_pictures (TaskCall *call, TrainingCrops *pictures, GError **error)
{
  for (gsize i = 0; i < call->count; i++) {
    g_autoptr (GError) why = NULL;
    g_autoptr (Image) image = load_picture (call->paths[i], call, &why);

    if (image != NULL && training_crops_add (pictures, image, &why))
      continue;
    if (!g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_INPUT)
        && !g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_LIMIT)) {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
    note_skipped (call->paths[i], why->message, call);
  }
  return training_crops_count (pictures) > 0 || no_picture (call, error);
}

/* ---- patches, coded by masked pursuit ---- */

/* The atoms to start from: those given, or cosines. */
static Dictionary *
make_start (const TesseraTaskOptions *o, GError **error)
{
  const Dictionary *given = o->start;
  g_autoptr (Dictionary) dct = NULL;
  Dictionary *start;

  if (given == NULL) {
    int patch = SET_OR (o->patch, 10), channels = SET_OR (o->channels, 3);

    if (!check_patch (patch, channels, error))
      return NULL;
    given = dct = dictionary_dct (patch, channels, error);
    if (given == NULL)
      return NULL;
  }
  start = dictionary_new (given->patch, given->channels, given->atoms.cols,
                          error);
  if (start == NULL)
    return NULL;
  for (int j = 0; j < given->atoms.cols; j++)
    memcpy (matf_at (&start->atoms, 0, j), matf_at (&given->atoms, 0, j),
            (gsize) given->atoms.rows * sizeof (float));
  return start;
}

static PatchSource *
make_source (TaskCall *call, const TesseraTaskOptions *o, const Dictionary *d,
             GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  PatchSourceOptions options = { .patch = d->patch,
                                 .channels = d->channels,
                                 .step = 1,
                                 .max_patches =
                                   SET_OR (o->max_patches, 100000),
                                 .seed = o->seed,
                                 .load = load_picture,
                                 .skipped = note_skipped,
                                 .data = call };

  for (gsize i = 0; i < call->count; i++)
    g_ptr_array_add (paths, (gpointer) call->paths[i]);
  return patch_source_new (paths, &options, error);
}

static gboolean
all_steps (TaskCall *call, Dictionary *dictionary,
           const TaskTrainerOptions *options, GError **error)
{
  g_autoptr (TaskTrainer) trainer =
    task_trainer_new (dictionary, options, error);
  g_autoptr (GError) why = NULL;

  if (trainer == NULL)
    return FALSE;
  while (task_trainer_steps (trainer) < options->steps)
    if (!task_trainer_step (trainer, call->progress, &why)) {
      if (g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_INPUT))
        return no_picture (call, error);
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  dictionary->algorithm = g_strdup ("task");
  dictionary->seed = options->seed;
  dictionary->samples = task_trainer_patches (trainer);
  return TRUE;
}

static gboolean
learn_task (TaskCall *call, const TesseraTaskOptions *o,
            Dictionary *dictionary, GError **error)
{
  g_autoptr (PatchSource) source = NULL;
  g_autoptr (TrainingCrops) crops = NULL;
  TaskTrainerOptions options = { .task = call->task,
                                 .seed = o->seed,
                                 .steps = SET_OR (o->iterations, 2000),
                                 .batch = o->batch,
                                 .rate = o->rate };

  if (options.steps < 1 || o->batch < 0 || o->batch > MOST_PATCHES
      || o->rate < 0)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "steps, batch and rate of a task must be positive");
  if (o->separate)
    options.source = source = make_source (call, o, dictionary, error);
  else {
    options.crops = crops =
      training_crops_new (call->task, dictionary->channels,
                          task_trainer_crop (dictionary->patch), o->seed);
    if (!read_pictures (call, crops, error))
      return FALSE;
  }
  return all_steps (call, dictionary, &options, error);
}

TesseraDictionary *
tessera_learn_for_task (TesseraContext *context, const char *const *paths,
                        size_t count, const TesseraTaskOptions *options,
                        GError **error)
{
  TesseraTaskOptions o = { 0 };
  g_auto (TaskCall) own = { .paths = paths, .count = count };
  g_autoptr (Dictionary) dictionary = NULL;
  gboolean ok;
  Call call;

  g_return_val_if_fail (paths != NULL || count == 0, NULL);

  if (!options_read (options, &o, sizeof o, error))
    return NULL;
  own.task = task_parse (o.task != NULL ? o.task : "missing:0.2-0.8", error);
  if (own.task == NULL || (dictionary = make_start (&o, error)) == NULL)
    return NULL;
  own.progress = call_begin (&call, context, o.progress, o.progress_data);
  ok = learn_task (&own, &o, dictionary, error);
  if (ok)
    call_complete (&call);
  call_end (&call);
  return ok ? g_steal_pointer (&dictionary) : NULL;
}

/* ---- convolutional dictionaries ---- */

static gboolean
read_conv_shape (const TesseraConvolutionalOptions *o, ConvShape *shape,
                 GError **error)
{
  *shape = (ConvShape){ .side = SET_OR (o->patch, 6),
                        .stride = SET_OR (o->spacing, 2),
                        .channels = SET_OR (o->channels, 3),
                        .atoms = o->atoms,
                        .rounds = SET_OR (o->rounds, 8),
                        .sets = SET_OR (o->sets, 8),
                        .levels = SET_OR (o->levels, 3) };
  if (shape->atoms == 0)
    shape->atoms = shape->side * shape->side * shape->channels;
  shape->sets = MIN (shape->sets, shape->rounds);
  return (shape->side >= 1 && shape->side <= CONV_MOST_SIDE
          && shape->stride >= 1 && shape->stride <= shape->side
          && (shape->channels == 1 || shape->channels == 3)
          && shape->atoms >= 1 && shape->atoms <= CONV_MOST_ATOMS
          && shape->rounds >= 1 && shape->rounds <= CONV_MOST_ROUNDS
          && shape->sets >= 1 && shape->levels >= 1
          && shape->levels <= CONV_MOST_LEVELS)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "the shape of a convolutional dictionary is out of "
                          "range");
}

static gboolean
teach (ConvModel *model, const ConvTrainerOptions *options,
       const Progress *progress, GError **error)
{
  g_autoptr (ConvTrainer) trainer = conv_trainer_new (model, options, error);

  if (trainer == NULL)
    return FALSE;
  for (int i = 0; i < options->steps; i++) {
    ProgressPart share = { progress, (double) i / options->steps,
                           (double) (i + 1) / options->steps };
    Progress part = progress_part (&share);

    if (!conv_trainer_step (trainer, &part, error))
      return FALSE;
  }
  return conv_model_is_bounded (model)
         || tessera_fail (error, TESSERA_ERROR_FAILED,
                          "learning diverged; use a smaller rate than %g",
                          options->rate);
}

static gboolean
learn_convolutional (TaskCall *call, const TesseraConvolutionalOptions *o,
                     ConvModel *model, GError **error)
{
  ConvTrainerOptions options = { .crop = SET_OR (o->crop, 48),
                                 .batch = SET_OR (o->batch, 8),
                                 .steps =
                                   SET_OR (o->iterations, CONV_USUAL_STEPS),
                                 .rate = SET_OR (o->rate, CONV_USUAL_RATE),
                                 .draw = training_crops_draw };
  g_autoptr (TrainingCrops) pictures = NULL;

  if (options.crop < 16 || options.crop > 256 || options.batch < 1
      || options.batch > 4096 || options.steps < 1 || options.rate < 0)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "examples of %d pixels, %d per step, %d steps: out "
                         "of range",
                         options.crop, options.batch, options.steps);
  options.data = pictures = training_crops_new (
    call->task, model->shape.channels, options.crop, o->seed);
  model->seed = o->seed;
  return read_pictures (call, pictures, error)
         && teach (model, &options, call->progress, error);
}

TesseraDictionary *
tessera_learn_convolutional (TesseraContext *context, const char *const *paths,
                             size_t count,
                             const TesseraConvolutionalOptions *options,
                             GError **error)
{
  TesseraConvolutionalOptions o = { 0 };
  g_auto (TaskCall) own = { .paths = paths, .count = count };
  g_autoptr (ConvModel) model = NULL;
  ConvShape shape;
  gboolean ok;
  Call call;

  g_return_val_if_fail (paths != NULL || count == 0, NULL);

  if (!options_read (options, &o, sizeof o, error)
      || !read_conv_shape (&o, &shape, error))
    return NULL;
  own.task = task_parse (o.task != NULL ? o.task : CONV_USUAL_TASK, error);
  if (own.task == NULL)
    return NULL;
  model = conv_model_new (&shape, error);
  if (model == NULL)
    return NULL;
  own.progress = call_begin (&call, context, o.progress, o.progress_data);
  ok = learn_convolutional (&own, &o, model, error);
  if (ok)
    call_complete (&call);
  call_end (&call);
  return ok ? dictionary_from_model (g_steal_pointer (&model), error) : NULL;
}

/* ---- transforms ---- */

static gboolean
read_transform_task (const TesseraTransformOptions *o, TransformTask *task,
                     GError **error)
{
  const Dictionary *start = o->start;

  *task = (TransformTask){
    .shape = { .side = o->patch,
               .channels = o->channels,
               .spacing = o->spacing,
               .rounds = o->rounds },
    .damage = o->task,
    .crop = o->crop,
    .batch = o->batch,
    .steps = o->iterations,
    .rate = o->rate,
    .rotation = o->rotation,
    .seed = o->seed
  };
  if (start != NULL) {
    task->shape.side = SET_OR (o->patch, start->patch);
    task->shape.channels = SET_OR (o->channels, start->channels);
  }
  return transform_task_complete (task, error);
}

static gboolean
learn_transform (TaskCall *call, const TransformTask *task,
                 TransformModel *model, GError **error)
{
  g_autoptr (TrainingCrops) pictures = training_crops_new (
    call->task, task->shape.channels, task->crop, task->seed);
  TransformTrainerOptions options = transform_task_options (task, pictures);
  g_autoptr (TransformTrainer) trainer = NULL;

  if (!read_pictures (call, pictures, error))
    return FALSE;
  trainer = transform_trainer_new (model, &options, error);
  if (trainer == NULL)
    return FALSE;
  for (int i = 0; i < options.steps; i++) {
    ProgressPart share = { call->progress, (double) i / options.steps,
                           (i + 1.0) / options.steps };
    Progress part = progress_part (&share);

    if (!transform_trainer_step (trainer, &part, error))
      return FALSE;
  }
  model->seed = task->seed;
  model->options = transform_task_describe (task, options.steps);
  return TRUE;
}

TesseraDictionary *
tessera_learn_transform (TesseraContext *context, const char *const *paths,
                         size_t count, const TesseraTransformOptions *options,
                         GError **error)
{
  TesseraTransformOptions o = { 0 };
  g_auto (TaskCall) own = { .paths = paths, .count = count };
  g_autoptr (TransformModel) model = NULL;
  TransformTask task;
  gboolean ok;
  Call call;

  g_return_val_if_fail (paths != NULL || count == 0, NULL);

  if (!options_read (options, &o, sizeof o, error)
      || !read_transform_task (&o, &task, error))
    return NULL;
  own.task = task_parse (task.damage, error);
  if (own.task == NULL)
    return NULL;
  model = transform_task_start (&task, o.start, error);
  if (model == NULL)
    return NULL;
  own.progress = call_begin (&call, context, o.progress, o.progress_data);
  ok = learn_transform (&own, &task, model, error);
  if (ok)
    call_complete (&call);
  call_end (&call);
  return ok ? dictionary_from_transform (g_steal_pointer (&model), error)
            : NULL;
}
