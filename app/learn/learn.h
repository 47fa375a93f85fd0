/* learn.h - what the command "learn" is made of
 *
 * learn.c reads the options and writes the result, start.c makes the learner
 * with its start, run.c feeds it.  task.c goes on from there for a task, and
 * convolutional.c and transform.c are ways of their own.
 */
#pragma once

#include "app/cli/timebudget.h"
#include "app/cli/commandline.h"
#include "app/files/skipped.h"
#include "app/cli/progressbar.h"
#include "dictlearn/learner.h"
#include "imaging/training/crops.h"
#include "imaging/patchsource.h"

typedef struct {
  CommandLine line;
  const char *output;
  const char *init; /* one of starts, a dictionary file, or NULL */
  int algorithm;    /* row of learner_classes, or the one after the last for
                       convolutional, or the one after that for a transform;
                       LEARN_UNSAID */
  int patch, step, polish;
  guint64 max_patches;
  double time_limit;
  gboolean grey, keep_partial;
  LearnOptions options;

  /* --task, convolutional and transform; 0 for the usual. */
  const char *task; /* what to learn for, or NULL */
  int coder;        /* a LearnCoder */
  int task_iterations;
  int task_pictures; /* that were learned from */
  guint64 task_patches;
  int rounds, levels, sets, spacing, ground, crop, batch;
  double rotation;
  const char *resume; /* checkpoint to resume from, or NULL */

  Learner *learner;
  PatchSource *source;
  Mat block;
  ProgressBar bar;
  Progress drawn; /* by the bar */
  Progress shown; /* ours: keeps its label up to date */
  char label[48];
  TimeBudget budget; /* Ctrl-C and the time limit */
  SkippedFiles skipped;
} Learn;

/* The value of learn->algorithm when none is named. */
#define LEARN_UNSAID (-1)

/* What a dictionary for a task is coded with. */
typedef enum { CODER_OVERLAPPING, CODER_SEPARATE } LearnCoder;

/* The first algorithm where none is named. */
static inline const LearnerClass *
class_of (const Learn *learn)
{
  return learner_classes[MAX (0, learn->algorithm)];
}

static inline int
channels_of (const Learn *learn)
{
  return learn->grey ? 1 : 3;
}

/* Length of a patch. */
static inline int
length_of (const Learn *learn)
{
  return learn->patch * learn->patch * channels_of (learn);
}

/* The names of the starts, in the order of InitKind, NULL at the end. */
extern const char *const learn_init_names[];

/* Makes learn->learner, with the start that was asked for. */
gboolean learn_make_learner (Learn *learn, GError **error);

/* Makes learn->source and learn->block. */
gboolean learn_make_source (Learn *learn, GError **error);

/* Reads all pictures into @crops; FALSE with @error set if there is none that
 * is large enough. */
gboolean learn_add_pictures (Learn *learn, TrainingCrops *crops,
                             GError **error);

/* Learns and polishes into @A; learn->budget has the time it took and what
 * stopped it. */
gboolean learn_atoms (Learn *learn, Mat *A, GError **error);

/* Sets learn->shown, a progress bar that is kept up to date, and starts the
 * clock of learn->budget; and stops them. */
void learn_begin (Learn *learn, const char *label);
void learn_end (Learn *learn);

/* Whether @error, which is then cleared, is a stop after which what was
 * learned in @iterations is kept. */
gboolean learn_forgive_stop (const Learn *learn, int iterations,
                             GError **error);

/* Loads a picture for learning, or fails; for a PictureLoader, with a Learn.
 */
Image *learn_load_picture (const char *path, gpointer data, GError **error);

/* The atoms that a task starts from where no algorithm is named. */
gboolean learn_make_start (Learn *learn, Mat *A, GError **error);

/* Learns for learn->task, from the atoms @A on, which are then the result. */
gboolean learn_for_task (Learn *learn, Mat *A, GError **error);

/* The whole of --task without an algorithm, of --algorithm convolutional and of
 * --algorithm transform: learns, saves, reports. */
gboolean learn_task_alone (Learn *learn, GError **error);
gboolean learn_convolutional (Learn *learn, GError **error);
gboolean learn_transform (Learn *learn, GError **error);
