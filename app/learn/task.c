/* task.c - improve a dictionary for a task
 *
 * For separate patches these come from the patch source, each damaged by
 * itself.  Where patches overlap, damaged crops are cut into patches.
 */
#include "app/learn/learn.h"

#include "app/cli/interrupt.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/files/dictionaryfile.h"
#include "app/files/files.h"
#include "app/files/output.h"
#include "dictlearn/taskdriven.h"
#include "imaging/inpaint/fill.h"
#include "imaging/inpaint/inpaint.h"
#include "imaging/lessons/lessons.h"

#include <math.h>

/* Patches of a step, and the length of a step; found on the landscape train
 * pictures. */
#define TASK_BATCH 384
#define TASK_RATE 0.002

/* Overlapping patches: crops of a step, patches along the side of one, and the
 * distance between patches; likewise. */
#define CROPS 8
#define ACROSS 8
#define DISTANCE 3
#define OVERLAP_RATE 0.0005

/* Epochs of the patch source that no algorithm uses. */
#define FIRST_EPOCH 1000

typedef struct {
  Learn *learn;
  GArray *lessons;
  Dictionary *dictionary; /* what is learned */
  TaskLearner *learner;
  TaskBatch batch;
  guint64 drawn; /* patches or crops so far */

  /* Separate patches. */
  Mat patches;
  int epoch;

  /* Overlapping patches; no pictures if they are separate. */
  Lessons *pictures;
  TaskOverlap overlap;
  Example crop;
} TaskRun;

static void
task_run_clear (TaskRun *run)
{
  g_clear_pointer (&run->lessons, g_array_unref);
  dictionary_free (run->dictionary);
  task_learner_free (run->learner);
  task_batch_clear (&run->batch);
  mat_clear (&run->patches);
  lessons_free (run->pictures);
  g_free (run->crop.clean);
}

/* ---- separate patches ---- */

/* Reads the patches of one step, from as many epochs as needed.  FALSE if
 * there are none at all. */
static gboolean
read_patches (TaskRun *run, GError **error)
{
  Learn *learn = run->learn;
  int filled = 0, empty = 0;

  while (filled < run->patches.cols) {
    Mat rest = mat_columns (&run->patches, filled, run->patches.cols - filled);
    int count = patch_source_read (learn->source, &rest);

    filled += count;
    if (!progress_step (&learn->budget.progress,
                        (double) task_learner_steps (run->learner)
                          / learn->task_iterations,
                        error))
      return FALSE;
    empty = count > 0 ? 0 : empty + 1;
    if (empty > 1) {
      skipped_files_set_error (&learn->skipped, error);
      return FALSE;
    }
    if (count == 0)
      patch_source_begin (learn->source, ++run->epoch);
  }
  skipped_files_print (&learn->skipped);
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

    lessons_damage_patch (run->lessons, d->patch, d->channels,
                          run->learn->line.seed, run->drawn++, &patch);
  }
}

/* ---- overlapping patches ---- */

static gboolean
prepare_crops (TaskRun *run, GError **error)
{
  Learn *learn = run->learn;
  gsize samples;

  run->overlap = (TaskOverlap){ learn->patch, DISTANCE, ACROSS };
  samples = (gsize) (task_crop (&run->overlap) * task_crop (&run->overlap)
                     * channels_of (learn));
  run->crop.clean = g_new (float, 5 * samples);
  run->crop.y = run->crop.clean + samples;
  run->crop.known = run->crop.y + samples;
  run->crop.weight = run->crop.known + samples;
  run->crop.noise = run->crop.weight + samples;
  run->pictures = lessons_new (run->lessons, channels_of (learn),
                               task_crop (&run->overlap), learn->line.seed);
  return learn_add_pictures (learn, run->pictures, error);
}

/* Draws the crops of a step and cuts them into patches. */
static void
draw_crops (TaskRun *run)
{
  const TaskOverlap *o = &run->overlap;
  TaskBatch *b = &run->batch;
  int patches = o->across * o->across;

  for (int col = 0; col < b->clean.cols; col++) {
    if (col % patches == 0)
      lessons_draw (run->drawn++, &run->crop, run->pictures);
    for (int i = 0; i < b->clean.rows; i++) {
      int at = task_place (o, col % patches, i);

      *matf_at (&b->clean, i, col) = run->crop.clean[at];
      *matf_at (&b->given, i, col) = run->crop.y[at];
      *matf_at (&b->known, i, col) = run->crop.known[at];
      *matf_at (&b->counts, i, col) = run->crop.weight[at];
    }
  }
}

/* ---- learning ---- */

/* Makes the damaged patches of a step. */
static gboolean
make_batch (TaskRun *run, GError **error)
{
  const Learn *learn = run->learn;

  if (run->pictures != NULL) {
    draw_crops (run);
    return progress_step (&learn->budget.progress,
                          (double) task_learner_steps (run->learner)
                            / learn->task_iterations,
                          error);
  }
  if (!read_patches (run, error))
    return FALSE;
  damage_patches (run);
  return TRUE;
}

static gboolean
step (TaskRun *run, GError **error)
{
  const Learn *learn = run->learn;
  const InpaintCoder *coder =
    learn->coder == CODER_SEPARATE ? &inpaint_paper_coder : &inpaint_coder;
  g_autofree float *ridge =
    coder->ridge > 0 ? fill_make_ridge (run->dictionary, coder->ridge) : NULL;
  TaskCoder settings = { coder->max_atoms, coder->max_error, ridge,
                         run->pictures != NULL ? &run->overlap : NULL };
  Progress quiet = { .cancellable = learn->budget.progress.cancellable };

  return make_batch (run, error)
         && task_learner_step (run->learner, &run->batch, &settings, &quiet,
                               error);
}

static gboolean
all_steps (TaskRun *run, GError **error)
{
  Learn *learn = run->learn;

  while (task_learner_steps (run->learner) < learn->task_iterations) {
    if (!step (run, error))
      return FALSE;
    g_snprintf (learn->label, sizeof learn->label, "learning, %.2f dB",
                -10 * log10 (task_learner_error (run->learner)));
  }
  return TRUE;
}

/* Where the patches come from. */
static gboolean
prepare (TaskRun *run, GError **error)
{
  Learn *learn = run->learn;
  int rows = length_of (learn);

  if (learn->coder == CODER_SEPARATE) {
    run->batch = task_batch_new (rows, TASK_BATCH);
    run->patches = mat_new (rows, TASK_BATCH);
    patch_source_begin (learn->source, run->epoch);
    return TRUE;
  }
  run->batch = task_batch_new (rows, CROPS * ACROSS * ACROSS);
  return prepare_crops (run, error);
}

gboolean
learn_for_task (Learn *learn, Mat *A, GError **error)
{
  TaskRun run = { .learn = learn,
                  .lessons = lessons_parse (learn->task, error),
                  .epoch = FIRST_EPOCH };
  GError *stopped = NULL;
  gboolean ok = FALSE;

  if (run.lessons == NULL)
    return FALSE;
  run.dictionary = dictionary_new (learn->patch, channels_of (learn), A->cols);
  mat_normalise_columns (A);
  mat_to_float (A, &run.dictionary->atoms);
  run.learner = task_learner_new (
    &run.dictionary->atoms, learn->task_iterations,
    learn->coder == CODER_SEPARATE ? TASK_RATE : OVERLAP_RATE);
  if ((prepare (&run, &stopped) && all_steps (&run, &stopped))
      || learn_forgive_stop (
        learn, MAX (task_learner_steps (run.learner), learn->learner != NULL),
        &stopped)) {
    mat_from_float (&run.dictionary->atoms, A);
    learn->task_iterations = task_learner_steps (run.learner);
    learn->task_pictures = run.pictures != NULL
                             ? lessons_count (run.pictures)
                             : patch_source_used (learn->source);
    ok = TRUE;
  } else
    g_propagate_error (error, stopped);
  task_run_clear (&run);
  return ok;
}

/* ---- without an algorithm before it ---- */

static guint64
patches_seen (const Learn *learn)
{
  int batch =
    learn->coder == CODER_SEPARATE ? TASK_BATCH : CROPS * ACROSS * ACROSS;

  return (guint64) learn->task_iterations * (guint64) batch;
}

static gboolean
save (const Learn *learn, Mat *A, GError **error)
{
  g_autoptr (Dictionary) dictionary =
    dictionary_new (learn->patch, channels_of (learn), A->cols);
  g_autoptr (GBytes) bytes = NULL;

  mat_to_float (A, &dictionary->atoms);
  dictionary->algorithm = g_strdup ("task");
  dictionary->seed = learn->line.seed;
  dictionary->samples = patches_seen (learn);
  dictionary->options = g_strdup_printf (
    "--patch %d%s --init %s --task %s --task-iterations %d --coder %s",
    learn->patch, learn->grey ? " --grey" : "",
    learn->options.init == INIT_GIVEN ? "FILE" : "dct", learn->task,
    learn->task_iterations,
    learn->coder == CODER_SEPARATE ? "separate" : "overlapping");
  bytes = dictionary_file_encode (dictionary, learn->output);
  return output_write (learn->output, bytes, learn->line.force, error);
}

static gboolean
report (Learn *learn, int atoms, GError **error)
{
  double seconds = time_budget_seconds (&learn->budget);
  g_autoptr (JsonObject) json = NULL;

  skipped_files_print (&learn->skipped);
  if (learn->budget.interrupted)
    terminal_note ("interrupted; what was learned in %d steps is kept",
                   learn->task_iterations);
  if (!learn->line.json) {
    terminal_result ("learned %d atoms of %dx%dx%d in %.1f s, %d steps -> %s",
                     atoms, learn->patch, learn->patch, channels_of (learn),
                     seconds, learn->task_iterations,
                     output_name (learn->output));
    return TRUE;
  }
  json = json_object_new ();
  json_report_set_number (json, "seconds", seconds);
  json_report_set_count (json, "samples", patches_seen (learn));
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
