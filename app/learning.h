/* learning.h - what the command "learn" is made of
 *
 * learn.c reads the options and writes the result, learnstart.c makes the
 * learner with its start, learnrun.c feeds it.
 */
#pragma once

#include "app/commandline.h"
#include "app/progressbar.h"
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
  Progress shown;    /* the bar */
  Progress progress; /* ours: the bar, Ctrl-C and the time limit */
  char label[48];
  gint64 started; /* microseconds */
  gboolean out_of_time, interrupted;
  GPtrArray *left_out; /* char *, pictures that are to be named */
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

/* The names of the starts, in the order of StartKind, NULL at the end. */
extern const char *const learn_starts[];

/* Makes learn->learner, with the start that was asked for. */
gboolean learn_make_learner (Learn *learn, GError **error);

/* Makes learn->source and learn->block. */
gboolean learn_make_source (Learn *learn, GError **error);

/* Learns and polishes into @A; sets learn->started and what stopped it. */
gboolean learn_atoms (Learn *learn, Mat *A, GError **error);

/* Names the pictures that were left out. */
void learn_name_left_out (Learn *learn);

/* Seconds since learn->started. */
double learn_seconds (const Learn *learn);
