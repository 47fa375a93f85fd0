/* run.h - learning runs on synthetic data
 *
 * Samples are handed to learners in units of the standard deviation of the
 * codes.  Then thresholds mean the same to learners that whiten and to those
 * that do not, and both find the dictionary at its own scale.
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/learner.h"
#include "dictlearn/synthetic.h"
#include "dictlearn/recovery.h"

/* synthetic_new(), with @error set (FAILED) if it returned NULL. */
SyntheticData *synth_make_data (const SyntheticOptions *options,
                                GError **error);

/* The first samples of @synthetic, and their codes unless @X is NULL. */
void synth_samples (const SyntheticData *synthetic, Mat *Y, Mat *X);

/* What all experiments have in common: the identity as a start, and a
 * threshold that shrinks (Algorithm 4) to half the smallest code. */
LearnOptions synth_learn_options (const SyntheticOptions *synthetic);

typedef struct {
  Mat A; /* the dictionary */
  double seconds;
  int iterations;
  double change; /* of the last one, |D_t - D_(t-1)|_F */
} SynthLearned;

void synth_learned_clear (SynthLearned *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SynthLearned, synth_learned_clear)

/* Learns from @Y.  The time that options->observer takes does not count.
 * Returns FALSE with @error set like learner_finish(). */
gboolean synth_learn (const char *algorithm, const LearnOptions *options,
                      const Mat *Y, SynthLearned *learned,
                      const Progress *progress, GError **error);

/* A whole run: plant, learn, measure. */
typedef struct {
  const char *algorithm;
  SyntheticOptions synthetic;
  int samples;
  LearnOptions learn;
  int trial; /* its number */

  Recovery error;
  GArray *trace; /* Recovery after each iteration; NULL if not wanted */
} SynthRun;

/* Sets so many iterations on so many samples each, at most all.  A learner
 * that streams gets a stride with which it sees all samples. */
void synth_set_steps (SynthRun *run, int iterations, int batch);

/* An empty array of runs, which frees their traces. */
GArray *synth_runs_new (void);

/* Does all runs, in all threads, and fills in their results. */
gboolean synth_run_all (GArray *runs, const Progress *progress,
                        GError **error);

/* The seed of a trial. */
guint64 synth_trial_seed (guint64 seed, int trial);

/* "mean and range of 5 trials", with @setting in front; for figures. */
char *synth_note (int trials, const char *setting, ...) G_GNUC_PRINTF (2, 3);
