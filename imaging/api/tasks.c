/* tasks.c - dictionaries learned by restoring what was damaged on purpose */
#include "imaging/api/api.h"

#include "dictlearn/initial.h"
#include "dictlearn/taskdriven.h"
#include "imaging/inpaint/fill.h"
#include "imaging/inpaint/inpaint.h"
#include "imaging/lessons/lessons.h"
#include "imaging/patchsource.h"

#include <string.h>

/* A number that the caller has set, or the default. */
#define SET_OR(given, usual) ((given) != 0 ? (given) : (usual))

/* What a call is about: the pictures, and what to learn from them. */
typedef struct {
  const char *const *paths;
  size_t count;
  GArray *lessons;
  const Progress *progress;
  char *last; /* why the last picture was skipped */
} TaskCall;

static void
task_call_clear (TaskCall *call)
{
  g_clear_pointer (&call->lessons, g_array_unref);
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

/* ---- patches, coded by masked pursuit ---- */

typedef struct {
  TaskCall *call;
  const TesseraTaskOptions *options;
  int steps;
  Dictionary *dictionary; /* what is learned */
  TaskLearner *learner;
  PatchSource *source;
  TaskBatch batch;
  Mat patches;
  int epoch;
  guint64 drawn; /* patches so far */
} TaskRun;

static void
task_run_clear (TaskRun *run)
{
  dictionary_free (run->dictionary);
  task_learner_free (run->learner);
  patch_source_free (run->source);
  task_batch_clear (&run->batch);
  mat_clear (&run->patches);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TaskRun, task_run_clear)

/* Reads the patches of one step, from as many epochs as needed. */
static gboolean
read_patches (TaskRun *run, GError **error)
{
  int filled = 0;

  while (filled < run->patches.cols) {
    Mat rest = mat_columns (&run->patches, filled, run->patches.cols - filled);
    int count = patch_source_read (run->source, &rest);

    filled += count;
    if (!progress_step (
          run->call->progress,
          (double) task_learner_steps (run->learner) / run->steps, error)
        || !patch_source_check (run->source, error))
      return FALSE;
    if (count == 0 && patch_source_used (run->source) == 0)
      return no_picture (run->call, error);
    if (count == 0)
      patch_source_begin (run->source, ++run->epoch);
  }
  return TRUE;
}

static void
damage_patches (TaskRun *run)
{
  const Dictionary *d = run->dictionary;
  TaskBatch *b = &run->batch;

  mat_to_float (&run->patches, &b->clean);
  for (int p = 0; p < b->clean.cols; p++) {
    PatchLesson patch = { matf_at (&b->clean, 0, p), matf_at (&b->given, 0, p),
                          matf_at (&b->known, 0, p),
                          matf_at (&b->counts, 0, p) };

    lessons_damage_patch (run->call->lessons, d->patch, d->channels,
                          run->options->seed, run->drawn++, &patch);
  }
}

static gboolean
task_step (TaskRun *run, GError **error)
{
  const InpaintCoder *coder =
    run->options->separate ? &inpaint_paper_coder : &inpaint_coder;
  g_autofree float *ridge =
    coder->ridge > 0 ? fill_make_ridge (run->dictionary, coder->ridge) : NULL;
  TaskCoder settings = { .max_atoms = coder->max_atoms,
                         .max_error = coder->max_error,
                         .ridge = ridge };

  if (!read_patches (run, error))
    return FALSE;
  damage_patches (run);
  return task_learner_step (run->learner, &run->batch, &settings, NULL, error);
}

/* The atoms to start from: those given, or cosines. */
static gboolean
make_start (TaskRun *run, GError **error)
{
  const TesseraTaskOptions *o = run->options;
  const Dictionary *given = o->start;
  g_autoptr (Dictionary) dct = NULL;

  if (given == NULL) {
    int patch = SET_OR (o->patch, 10), channels = SET_OR (o->channels, 3);

    if (!check_patch (patch, channels, error))
      return FALSE;
    given = dct = dictionary_dct (patch, channels);
  }
  run->dictionary =
    dictionary_new (given->patch, given->channels, given->atoms.cols);
  for (int j = 0; j < given->atoms.cols; j++)
    memcpy (matf_at (&run->dictionary->atoms, 0, j),
            matf_at (&given->atoms, 0, j),
            (gsize) given->atoms.rows * sizeof (float));
  return TRUE;
}

static gboolean
prepare_task (TaskRun *run, GError **error)
{
  const TesseraTaskOptions *o = run->options;
  int batch = SET_OR (o->batch, 384);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  PatchSourceOptions options = { .step = 1,
                                 .max_patches =
                                   SET_OR (o->max_patches, 100000),
                                 .seed = o->seed,
                                 .load = load_picture,
                                 .skipped = note_skipped,
                                 .data = run->call };

  run->steps = SET_OR (o->iterations, 2000);
  if (run->steps < 1 || batch < 1 || batch > 65536 || o->rate < 0)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "steps, batch and rate of a task must be positive");
  if (!make_start (run, error)
      || !mat_try_new (&run->patches, run->dictionary->atoms.rows, batch,
                       error))
    return FALSE;
  for (gsize i = 0; i < run->call->count; i++)
    g_ptr_array_add (paths, (gpointer) run->call->paths[i]);
  options.patch = run->dictionary->patch;
  options.channels = run->dictionary->channels;
  run->source = patch_source_new (paths, &options);
  run->batch = task_batch_new (run->patches.rows, batch);
  run->learner = task_learner_new (&run->dictionary->atoms, run->steps,
                                   SET_OR (o->rate, 0.002));
  return TRUE;
}

static gboolean
learn_task (TaskRun *run, GError **error)
{
  if (!prepare_task (run, error))
    return FALSE;
  while (task_learner_steps (run->learner) < run->steps)
    if (!task_step (run, error))
      return FALSE;
  run->dictionary->algorithm = g_strdup ("task");
  run->dictionary->seed = run->options->seed;
  run->dictionary->samples = run->drawn;
  return TRUE;
}

TesseraDictionary *
tessera_learn_for_task (TesseraContext *context, const char *const *paths,
                        size_t count, const TesseraTaskOptions *options,
                        GError **error)
{
  TesseraTaskOptions o = { 0 };
  g_auto (TaskCall) own = { .paths = paths, .count = count };
  g_auto (TaskRun) run = { .call = &own, .options = &o };
  gboolean ok;
  Call call;

  g_return_val_if_fail (paths != NULL || count == 0, NULL);

  if (!options_read (options, &o, sizeof o, error))
    return NULL;
  own.lessons =
    lessons_parse (o.task != NULL ? o.task : "missing:0.2-0.8", error);
  if (own.lessons == NULL)
    return NULL;
  own.progress = call_begin (&call, context, o.progress, o.progress_data);
  ok = learn_task (&run, error);
  if (ok)
    call_complete (&call);
  call_end (&call);
  return ok ? g_steal_pointer (&run.dictionary) : NULL;
}

/* ---- convolutional dictionaries ---- */

static gboolean
read_pictures (TaskCall *call, Lessons *pictures, GError **error)
{
  for (gsize i = 0; i < call->count; i++) {
    g_autoptr (GError) why = NULL;
    g_autoptr (Image) image = load_picture (call->paths[i], call, &why);

    if (image == NULL
        && !g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_INPUT)
        && !g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_LIMIT)) {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
    if (image == NULL)
      note_skipped (call->paths[i], why->message, call);
    else if (!lessons_add (pictures, image))
      note_skipped (call->paths[i], "it is smaller than an example", call);
  }
  return lessons_count (pictures) > 0 || no_picture (call, error);
}

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
teach (ConvModel *model, const TeacherOptions *options,
       const Progress *progress, GError **error)
{
  g_autoptr (Teacher) teacher = teacher_new (model, options);

  for (int i = 0; i < options->steps; i++) {
    ProgressPart share = { progress, (double) i / options->steps,
                           (double) (i + 1) / options->steps };
    Progress part = progress_part (&share);

    if (!teacher_step (teacher, &part, error))
      return FALSE;
  }
  return conv_model_is_finite (model)
         || tessera_fail (error, TESSERA_ERROR_FAILED,
                          "learning diverged; use a smaller rate than %g",
                          options->rate);
}

static gboolean
learn_convolutional (TaskCall *call, const TesseraConvolutionalOptions *o,
                     ConvModel *model, GError **error)
{
  TeacherOptions options = { .crop = SET_OR (o->crop, 48),
                             .batch = SET_OR (o->batch, 8),
                             .steps =
                               SET_OR (o->iterations, LESSONS_USUAL_STEPS),
                             .rate = SET_OR (o->rate, LESSONS_USUAL_RATE),
                             .draw = lessons_draw };
  g_autoptr (Lessons) pictures = NULL;

  if (options.crop < 16 || options.crop > 256 || options.batch < 1
      || options.batch > 4096 || options.steps < 1 || options.rate < 0)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "examples of %d pixels, %d per step, %d steps: out "
                         "of range",
                         options.crop, options.batch, options.steps);
  options.data = pictures =
    lessons_new (call->lessons, model->shape.channels, options.crop, o->seed);
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
  own.lessons =
    lessons_parse (o.task != NULL ? o.task : LESSONS_USUAL_TASK, error);
  if (own.lessons == NULL)
    return NULL;
  model = conv_model_new (&shape);
  own.progress = call_begin (&call, context, o.progress, o.progress_data);
  ok = learn_convolutional (&own, &o, model, error);
  if (ok)
    call_complete (&call);
  call_end (&call);
  return ok ? dictionary_from_model (g_steal_pointer (&model)) : NULL;
}
