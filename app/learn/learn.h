/* learn.h - what the command "learn" is made of
 *
 * learn.c reads the options and writes the result, learnstart.c makes the
 * learner with its start, learnrun.c feeds it.
 */
#pragma once

#include "app/cli/timebudget.h"
#include "app/cli/commandline.h"
#include "app/files/skipped.h"
#include "app/cli/progressbar.h"
#include "dictlearn/learner.h"
#include "imaging/patchsource.h"

typedef struct {
  CommandLine line;
  const char *output;
  const char *init; /* one of starts, a dictionary file, or NULL */
  int algorithm;    /* row of learner_classes */
  int patch, step, polish;
  guint64 max_patches;
  double time_limit;
  gboolean grey, keep_partial;
  LearnOptions options;

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

static inline const LearnerClass *
class_of (const Learn *learn)
{
  return learner_classes[learn->algorithm];
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

/* Learns and polishes into @A; learn->budget has the time it took and what
 * stopped it. */
gboolean learn_atoms (Learn *learn, Mat *A, GError **error);
