/* synth.h - the paper's experiments on synthetic data
 *
 * An experiment is one file with its function and a row in the table of
 * experiments.c, which has its default sizes.
 */
#pragma once

#include "app/synth/report.h"
#include "app/synth/run.h"

/* How large an experiment is.  Of the lists, each experiment uses some. */
typedef struct {
  GArray *sizes;        /* int: n */
  GArray *samples;      /* int: p; for "time", p / n */
  GArray *conditions;   /* double: kappa */
  GArray *noise_levels; /* double: beta */
  char **algorithms;
  int trials;
  int iterations;
  int batch; /* samples per step */
  guint64 seed;
  /* Where an experiment of hours keeps what is done, and goes on if it was
   * stopped with the same settings; NULL if nowhere. */
  const char *checkpoints;
} SynthOptions;

/* The table of finished trials in that folder, without .csv: "time-unfinished"
 * for "time". */
#define SYNTH_UNFINISHED "-unfinished"

/* Runs an experiment and fills @report.  FALSE with @error set, CANCELLED or
 * FAILED. */
typedef gboolean (*SynthFunc) (const SynthOptions *options,
                               SynthReport *report, const Progress *progress,
                               GError **error);

gboolean synth_time (const SynthOptions *options, SynthReport *report,
                     const Progress *progress, GError **error);
gboolean synth_convergence (const SynthOptions *options, SynthReport *report,
                            const Progress *progress, GError **error);
gboolean synth_condition (const SynthOptions *options, SynthReport *report,
                          const Progress *progress, GError **error);
gboolean synth_noise (const SynthOptions *options, SynthReport *report,
                      const Progress *progress, GError **error);
gboolean synth_support (const SynthOptions *options, SynthReport *report,
                        const Progress *progress, GError **error);
