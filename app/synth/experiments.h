/* experiments.h - the table of experiments, and how large each of them is */
#pragma once

#include "app/synth/synth.h"

/* What the size of an experiment is made of; options of the same order. */
enum {
  SIZES,
  SAMPLES,
  CONDITIONS,
  NOISE_LEVELS,
  ALGORITHMS,
  TRIALS,
  ITERATIONS,
  BATCH,
  SETTINGS
};

/* A row of the table of experiments.  Settings are written as on the command
 * line; NULL where an experiment has no use for them. */
typedef struct {
  const char *name;
  SynthFunc run;
  guint several;               /* bit i: setting i may be a list of several */
  gboolean is_per_dimension;   /* SAMPLES times n is what is meant */
  const char *quick[SETTINGS]; /* about a minute */
  const char *full[SETTINGS];  /* the paper's */
} SynthExperiment;

enum { SYNTH_EXPERIMENTS = 5 };

extern const SynthExperiment synth_experiments[SYNTH_EXPERIMENTS];
