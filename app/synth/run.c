#include "app/synth/run.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"

#include <math.h>

/* Stream of random numbers. */
#define STREAM_TRIAL 0x7379

/* Algorithm 4's beta. */
#define SHRINK 0.99

SyntheticData *
synth_make_data (const SyntheticOptions *options, GError **error)
{
  SyntheticData *synthetic = synthetic_new (options);

  if (synthetic == NULL)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_FAILED,
                         "the dictionary to find could not be computed");
  return synthetic;
}

static void
divide (Mat *A, double unit)
{
  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < A->rows; i++)
      *mat_at (A, i, j) /= unit;
}

void
synth_samples (const SyntheticData *synthetic, Mat *Y, Mat *X)
{
  double unit = synthetic_deviation (&synthetic->options);

  synthetic_samples (synthetic, 0, Y, X);
  divide (Y, unit);
  if (X != NULL)
    divide (X, unit);
}

LearnOptions
synth_learn_options (const SyntheticOptions *synthetic)
{
  LearnOptions learn = LEARN_DEFAULTS;

  learn.init = INIT_IDENTITY;
  learn.threshold = synthetic->smallest / 2 / synthetic_deviation (synthetic);
  learn.density = synthetic->density;
  learn.atoms_per_sample = MAX (1, (int) (synthetic->density * synthetic->n));
  learn.shrink = SHRINK;
  learn.seed = synthetic->seed;
  return learn;
}

guint64
synth_trial_seed (guint64 seed, int trial)
{
  return random_bits (seed, STREAM_TRIAL, (guint64) trial);
}

/* ---- learning ---- */

void
synth_learned_clear (SynthLearned *self)
{
  mat_clear (&self->A);
}

/* An observer, and the time it has taken. */
typedef struct {
  LearnObserver observer;
  gpointer data;
  gint64 taken; /* microseconds */
} TimedObserver;

static void
observe (const Learner *learner, gpointer user_data)
{
  TimedObserver *timed = user_data;
  gint64 started = g_get_monotonic_time ();

  timed->observer (learner, timed->data);
  timed->taken += g_get_monotonic_time () - started;
}

gboolean
synth_learn (const char *algorithm, const LearnOptions *options, const Mat *Y,
             SynthLearned *learned, const Progress *progress, GError **error)
{
  TimedObserver timed = { options->observer, options->observer_data, 0 };
  LearnOptions with_timer = *options;
  g_autoptr (Learner) learner = NULL;
  gint64 started;

  if (options->observer != NULL) {
    with_timer.observer = observe;
    with_timer.observer_data = &timed;
  }
  learner = learner_new (algorithm, Y->rows, &with_timer, error);
  if (learner == NULL)
    return FALSE;
  started = g_get_monotonic_time ();
  if (!learner_feed (learner, Y, progress, error)
      || !learner_finish (learner, progress, error))
    return FALSE;
  learned->seconds = (double) (g_get_monotonic_time () - started - timed.taken)
                     / G_USEC_PER_SEC;
  learned->iterations = learner_status (learner)->iteration;
  learned->change = learner_status (learner)->change;
  learned->A = mat_new (Y->rows, Y->rows);
  learner_dictionary (learner, &learned->A);
  return TRUE;
}

/* ---- runs ---- */

void
synth_set_steps (SynthRun *run, int iterations, int batch)
{
  const LearnerClass *class = learner_find (run->algorithm);
  LearnOptions *learn = &run->learn;
  /* A learner that streams needs samples beside those in its window. */
  int most = class->streams ? MAX (1, run->samples / 2) : run->samples;

  learn->iterations = iterations;
  learn->window = MIN (batch, most);
  learn->stride = MAX (1, (run->samples - learn->window) / iterations);
}

typedef struct {
  const Mat *truth;
  GArray *trace; /* Recovery */
} Tracer;

static void
trace (const Learner *learner, gpointer user_data)
{
  Tracer *tracer = user_data;
  g_auto (Mat) A = mat_new (tracer->truth->rows, tracer->truth->cols);
  Recovery error;

  learner_dictionary (learner, &A);
  error = recovery_measure (&A, tracer->truth);
  g_array_append_val (tracer->trace, error);
}

static gboolean
run_once (SynthRun *run, const Progress *progress, GError **error)
{
  g_autoptr (SyntheticData) synthetic =
    synth_make_data (&run->synthetic, error);
  g_auto (Mat) Y = mat_new (run->synthetic.n, run->samples);
  g_auto (SynthLearned) learned = { 0 };
  LearnOptions learn = run->learn;
  Tracer tracer;

  if (synthetic == NULL)
    return FALSE;
  synth_samples (synthetic, &Y, NULL);
  if (run->trace != NULL) {
    tracer = (Tracer){ &synthetic->A, run->trace };
    learn.observer = trace;
    learn.observer_data = &tracer;
  }
  if (!synth_learn (run->algorithm, &learn, &Y, &learned, progress, error))
    return FALSE;
  run->error = recovery_measure (&learned.A, &synthetic->A);
  return TRUE;
}

typedef struct {
  GArray *runs;
  Progress quiet; /* runs in threads may be cancelled, but not report */
  GMutex lock;
  GError *error; /* the first one that happened */
} RunAll;

static void
clear_run (gpointer run)
{
  g_clear_pointer (&((SynthRun *) run)->trace, g_array_unref);
}

GArray *
synth_runs_new (void)
{
  GArray *runs = g_array_new (FALSE, TRUE, sizeof (SynthRun));

  g_array_set_clear_func (runs, clear_run);
  return runs;
}

static void
run_one (int number, int worker, gpointer data)
{
  RunAll *all = data;
  GError *error = NULL;

  (void) worker;
  if (run_once (&g_array_index (all->runs, SynthRun, number), &all->quiet,
                &error))
    return;
  g_mutex_lock (&all->lock);
  if (all->error == NULL)
    all->error = g_steal_pointer (&error);
  g_mutex_unlock (&all->lock);
  g_clear_error (&error);
}

gboolean
synth_run_all (GArray *runs, const Progress *progress, GError **error)
{
  RunAll all = { .runs = runs };
  gboolean ok;

  if (progress != NULL)
    all.quiet.cancellable = progress->cancellable;
  g_mutex_init (&all.lock);
  ok = parallel_for ((int) runs->len, run_one, &all, progress, error);
  g_mutex_clear (&all.lock);
  if (ok && all.error != NULL) {
    g_propagate_error (error, all.error);
    return FALSE;
  }
  g_clear_error (&all.error);
  return ok;
}

char *
synth_note (int trials, const char *setting, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, setting);
  text = g_strdup_vprintf (setting, args);
  va_end (args);
  if (trials == 1)
    return g_steal_pointer (&text);
  return g_strdup_printf ("%s; mean and range of %d trials", text, trials);
}
