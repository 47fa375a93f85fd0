#include "imaging/training/tasktrainer.h"

#include "base/error.h"
#include "dictlearn/taskdriven.h"
#include "imaging/inpaint/fill.h"
#include "imaging/inpaint/inpaint.h"

/* Patches of a step, and the length of a step; found on the landscape train
 * pictures. */
#define SEPARATE_BATCH 384
#define SEPARATE_RATE 0.002

/* Overlapping patches: crops of a step, patches along the side of one, and the
 * distance between patches; likewise. */
#define CROPS 8
#define ACROSS 10
#define DISTANCE 3
#define OVERLAPPING_RATE 0.0005

/* Epochs of the source that no algorithm before has used. */
#define FIRST_EPOCH 1000

struct TaskTrainer {
  TaskTrainerOptions options;
  Dictionary *dictionary;
  TaskLearner *learner;
  TaskBatch batch;
  guint64 drawn; /* patches or crops so far */

  /* Separate patches. */
  Mat patches;
  int epoch;

  /* Overlapping patches. */
  TaskOverlap overlap;
  Example crop;
};

static TaskOverlap
overlap_of (int patch)
{
  return (TaskOverlap){ patch, DISTANCE, ACROSS };
}

int
task_trainer_crop (int patch)
{
  TaskOverlap overlap = overlap_of (patch);

  return task_crop (&overlap);
}

/* ---- separate patches ---- */

static gboolean
prepare_patches (TaskTrainer *self, GError **error)
{
  int rows = self->dictionary->atoms.rows;
  int count = self->options.batch > 0 ? self->options.batch : SEPARATE_BATCH;

  if (!task_batch_try_new (&self->batch, rows, count, error)
      || !mat_try_new (&self->patches, rows, count, error))
    return FALSE;
  self->epoch = FIRST_EPOCH;
  patch_source_begin (self->options.source, self->epoch);
  return TRUE;
}

static double
share_done (const TaskTrainer *self)
{
  return (double) task_trainer_steps (self) / self->options.steps;
}

/* Reads the patches of one step, from as many epochs as needed. */
static gboolean
read_patches (TaskTrainer *self, const Progress *progress, GError **error)
{
  PatchSource *source = self->options.source;
  int filled = 0;

  while (filled < self->patches.cols) {
    Mat rest =
      mat_columns (&self->patches, filled, self->patches.cols - filled);
    int count = patch_source_read (source, &rest);

    filled += count;
    if (!progress_step (progress, share_done (self), error)
        || !patch_source_check (source, error))
      return FALSE;
    if (count == 0 && patch_source_used (source) == 0) {
      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                   "no picture can be used");
      return FALSE;
    }
    if (count == 0)
      patch_source_begin (source, ++self->epoch);
  }
  return TRUE;
}

static void
damage_patches (TaskTrainer *self)
{
  const Dictionary *d = self->dictionary;
  TaskBatch *b = &self->batch;

  mat_to_float (&self->patches, &b->clean);
  for (int p = 0; p < b->clean.cols; p++) {
    PatchExample patch = { matf_at (&b->clean, 0, p),
                           matf_at (&b->given, 0, p),
                           matf_at (&b->known, 0, p),
                           matf_at (&b->counts, 0, p) };

    task_damage_patch (self->options.task, d->patch, d->channels,
                       self->options.seed, self->drawn++, &patch);
  }
}

/* ---- overlapping patches ---- */

static gboolean
prepare_crops (TaskTrainer *self, GError **error)
{
  const Dictionary *d = self->dictionary;
  int patches = ACROSS * ACROSS;
  int crops = (self->options.batch + patches - 1) / patches;
  gsize samples;

  self->overlap = overlap_of (d->patch);
  if (!task_batch_try_new (&self->batch, d->atoms.rows,
                           (crops > 0 ? crops : CROPS) * patches, error))
    return FALSE;
  samples = (gsize) (task_crop (&self->overlap) * task_crop (&self->overlap)
                     * d->channels);
  self->crop.clean =
    tessera_try_new (float, 5 * samples, "an example", error);
  if (self->crop.clean == NULL)
    return FALSE;
  self->crop.y = self->crop.clean + samples;
  self->crop.known = self->crop.y + samples;
  self->crop.weight = self->crop.known + samples;
  self->crop.noise = self->crop.weight + samples;
  return TRUE;
}

/* Whether as many patches meet at sample @at of a crop as do in a picture:
 * elsewhere, errors are larger and would be what is learned from. */
static gboolean
is_inside (const TaskOverlap *o, int at)
{
  int side = task_crop (o), margin = o->patch - o->step;
  int x = at % side, y = at / side % side;

  return MIN (x, y) >= margin && MAX (x, y) < side - margin;
}

/* Draws the crops of a step and cuts them into patches. */
static void
draw_crops (TaskTrainer *self)
{
  const TaskOverlap *o = &self->overlap;
  TaskBatch *b = &self->batch;
  int patches = o->across * o->across;

  for (int col = 0; col < b->clean.cols; col++) {
    if (col % patches == 0)
      training_crops_draw (self->drawn++, &self->crop, self->options.crops);
    for (int i = 0; i < b->clean.rows; i++) {
      int at = task_place (o, col % patches, i);

      *matf_at (&b->clean, i, col) = self->crop.clean[at];
      *matf_at (&b->given, i, col) = self->crop.y[at];
      *matf_at (&b->known, i, col) = self->crop.known[at];
      *matf_at (&b->counts, i, col) =
        is_inside (o, at) ? self->crop.weight[at] : 0;
    }
  }
}

/* ---- either ---- */

TaskTrainer *
task_trainer_new (Dictionary *dictionary, const TaskTrainerOptions *options,
                  GError **error)
{
  g_autoptr (TaskTrainer) self = g_new0 (TaskTrainer, 1);
  gboolean separate = options->source != NULL;
  double usual = separate ? SEPARATE_RATE : OVERLAPPING_RATE;

  g_return_val_if_fail (separate != (options->crops != NULL), NULL);

  self->options = *options;
  self->dictionary = dictionary;
  self->learner = task_learner_new (&dictionary->atoms, options->steps,
                                    options->rate > 0 ? options->rate : usual,
                                    error);
  if (self->learner == NULL
      || !(separate ? prepare_patches (self, error)
                    : prepare_crops (self, error)))
    return NULL;
  return g_steal_pointer (&self);
}

void
task_trainer_free (TaskTrainer *self)
{
  if (self == NULL)
    return;
  task_learner_free (self->learner);
  task_batch_clear (&self->batch);
  mat_clear (&self->patches);
  g_free (self->crop.clean);
  g_free (self);
}

/* Makes the damaged patches of a step. */
static gboolean
make_batch (TaskTrainer *self, const Progress *progress, GError **error)
{
  if (self->options.source == NULL) {
    draw_crops (self);
    return progress_step (progress, share_done (self), error);
  }
  if (!read_patches (self, progress, error))
    return FALSE;
  damage_patches (self);
  return TRUE;
}

gboolean
task_trainer_step (TaskTrainer *self, const Progress *progress, GError **error)
{
  gboolean separate = self->options.source != NULL;
  const InpaintCoder *coder = separate ? &inpaint_paper_coder : &inpaint_coder;
  g_autofree float *ridge =
    coder->ridge > 0
      ? fill_make_ridge (self->dictionary, coder->ridge, error)
      : NULL;
  TaskCoder settings = { coder->max_atoms, coder->max_error, ridge,
                         separate ? NULL : &self->overlap };
  Progress quiet = { .cancellable =
                       progress != NULL ? progress->cancellable : NULL };

  if (coder->ridge > 0 && ridge == NULL)
    return FALSE;
  /* Patches that overlap: the first pass and the next ones in turn, since one
   * dictionary serves both. */
  return make_batch (self, progress, error)
         && (separate || task_trainer_steps (self) % 2 == 0
             || task_fill (&self->dictionary->atoms, &self->batch, &settings,
                           FILL_LATER_TRUST, &quiet, error))
         && task_learner_step (self->learner, &self->batch, &settings, &quiet,
                               error);
}

int
task_trainer_steps (const TaskTrainer *self)
{
  return task_learner_steps (self->learner);
}

guint64
task_trainer_patches (const TaskTrainer *self)
{
  return (guint64) task_trainer_steps (self)
         * (guint64) self->batch.clean.cols;
}

double
task_trainer_error (const TaskTrainer *self)
{
  return task_learner_error (self->learner);
}
