/* learning.c - learning, and learning curves
 *
 * Every learner gets the same patches in the same order, and begins from the
 * same dictionary where it can.  Now and then the clock is stopped and the
 * current dictionary restores the probes: pictures that give no training
 * patches and do not test.
 */
#include "app/compare/compare.h"

#include "app/cli/timebudget.h"
#include "app/learn/describe.h"
#include "app/files/picturefile.h"
#include "app/cli/terminal.h"
#include "base/error.h"
#include "dictlearn/initial.h"
#include "imaging/learning.h"

#include <math.h>

/* Between tests of the probes the number of iterations grows by this factor:
 * the tests are evenly spaced on a logarithmic axis, and few. */
#define PROBE_GROWTH 1.3

/* Probes are the middles of pictures. */
#define PROBE_SIDE 150

/* Patches fed between two checks of the clock. */
#define BLOCK 512

/* ---- probes ---- */

/* A probe, damaged, and what it should be. */
typedef struct {
  Image *clean;
  Damaged damaged;
} Probe;

static void
clear_probe (gpointer data)
{
  Probe *probe = data;

  image_free (probe->clean);
  damaged_clear (&probe->damaged);
}

/* Probes get the first kind of damage.  One that it does not fit is left
 * out. */
static GArray *
make_probes (const Compare *compare)
{
  GArray *probes = g_array_new (FALSE, TRUE, sizeof (Probe));

  g_array_set_clear_func (probes, clear_probe);
  for (guint i = 0; i < compare->probing->len; i++) {
    g_autoptr (Image) whole =
      picture_load (compare->probing->pdata[i], &compare->line.limits, NULL);
    Probe probe = { 0 };

    if (whole != NULL)
      probe.clean = image_middle (whole, PROBE_SIDE, NULL);
    /* Numbers that test pictures do not have. */
    if (probe.clean != NULL
        && compare_damage_picture (compare, 0, probe.clean,
                                   G_MAXUINT32 + (guint64) i, &probe.damaged,
                                   NULL))
      g_array_append_val (probes, probe);
    else
      clear_probe (&probe);
  }
  return probes;
}

/* ---- learning ---- */

typedef struct {
  const Compare *compare;
  Contender *contender;
  guint seed; /* its number */
  LearnRun *run;
  Learner *learner;
  int fed; /* patches of this round */
  GArray *probes; /* Probe */
  TimeBudget budget;
  int next_probe; /* iteration */
  double probed;  /* seconds, which do not count */
  GError *failed; /* while the probes were restored */
} Training;

/* Mean scores of the probes, restored by @method. */
static gboolean
restore_probes (Training *training, const RestoreMethod *method,
                CurvePoint *point)
{
  const GArray *probes = training->probes;
  Progress quiet = { .cancellable = training->budget.shown->cancellable };
  double psnr = 0, ssim = 0;

  for (guint i = 0; i < probes->len; i++) {
    const Probe *probe = &g_array_index (probes, Probe, i);
    ImageScore score;
    g_autoptr (Image) restored =
      compare_restore (&probe->damaged, method, &quiet, &training->failed);

    if (restored == NULL
        || !image_score (probe->clean, restored, NULL, &score,
                         &training->failed))
      return FALSE;
    psnr += score.psnr;
    ssim += score.ssim;
  }
  point->psnr[method->protocol] = psnr / probes->len;
  point->ssim[method->protocol] = ssim / probes->len;
  return TRUE;
}

static void
probe (Training *training, const Dictionary *dictionary, int iteration)
{
  const Compare *compare = training->compare;
  CurvePoint point = { .iteration = iteration,
                       .seconds = time_budget_seconds (&training->budget) };
  gboolean ok = training->failed == NULL && training->probes->len > 0;

  for (Protocol p = 0; ok && p < PROTOCOL_ENGINE; p++) {
    RestoreMethod method = { dictionary, p, compare_atoms_per_patch (compare),
                             .quick = TRUE };

    if (compare_lays (compare, p))
      ok = restore_probes (training, &method, &point);
  }
  if (ok)
    g_array_append_val (training->run->curve, point);
}

static void
probe_learner (Training *training)
{
  const Learner *learner = training->learner;
  g_auto (Mat) A = mat_new (learner->n, learner->k);
  g_autoptr (Dictionary) dictionary = NULL;

  learner_dictionary (learner, &A);
  dictionary = learn_make_dictionary (learner, &A, training->compare->patch,
                                      COMPARE_CHANNELS, NULL);
  if (dictionary == NULL)
    tessera_abort_without_memory ();
  probe (training, dictionary, learner_status (learner)->iteration);
}

/* Who limits the time of learning waits no longer for the probes than for
 * that. */
static gboolean
has_time_to_probe (const Training *training)
{
  return training->compare->time_limit == 0
         || training->probed <= time_budget_seconds (&training->budget);
}

static void
observe (const Learner *learner, gpointer data)
{
  Training *training = data;
  int iteration = learner_status (learner)->iteration;
  gint64 began = g_get_monotonic_time ();

  if (iteration < training->next_probe || !has_time_to_probe (training))
    return;
  time_budget_halt (&training->budget);
  training->next_probe =
    MAX (iteration + 1, (int) ceil (iteration * PROBE_GROWTH));
  probe_learner (training);
  time_budget_go_on (&training->budget);
  training->probed +=
    (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
}

static gboolean
make_learner (Training *training, LearnOptions *options, GError **error)
{
  const Compare *compare = training->compare;
  g_autoptr (Dictionary) cosines = NULL;
  g_auto (Mat) start = { 0 };

  if (options->init == INIT_DCT) {
    cosines = dictionary_dct (compare->patch, COMPARE_CHANNELS, error);
    if (cosines == NULL)
      return FALSE;
    start = mat_new (cosines->atoms.rows, cosines->atoms.cols);
    mat_from_float (&cosines->atoms, &start);
    options->start = &start;
    probe (training, cosines, 0);
  }
  options->observer = observe;
  options->observer_data = training;
  training->learner = learner_new (training->contender->learner->name,
                                   compare_length (compare), options, error);
  options->start = NULL;
  return training->learner != NULL;
}

static gboolean
read_patches (gpointer data, Mat *Y, GError **error)
{
  Training *training = data;
  const Mat *all = &training->compare->Y;
  int count = MIN (BLOCK, all->cols - training->fed);

  (void) error;
  *Y = mat_columns (all, training->fed, count);
  training->fed += count;
  return TRUE;
}

static void
begin_round (gpointer data, int round)
{
  Training *training = data;

  (void) round;
  training->fed = 0;
}

/* The patches, again and again for learners that stream and want more. */
static gboolean
feed (Training *training, GError **error)
{
  const Progress *progress = &training->budget.progress;
  const SampleStream patches = { .read = read_patches,
                                 .begin = begin_round,
                                 .is_fixed = TRUE,
                                 .data = training };

  training->fed = 0;
  return learner_feed_stream (training->learner, &patches, progress, error)
         && learner_finish (training->learner, progress, error);
}

/* Whether @error, which is then cleared, is the end of the time and something
 * was learned. */
static gboolean
forgive_stop (const Training *training, GError **error)
{
  if (!training->budget.out_of_time || training->budget.interrupted
      || !g_error_matches (*error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED))
    return FALSE;
  g_clear_error (error);
  if (learner_status (training->learner)->iteration > 0)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
               "--time-limit %g: %s has not done one iteration; give it more "
               "time",
               training->compare->time_limit, training->contender->name);
  return FALSE;
}

static void
keep_result (Training *training, const LearnOptions *options)
{
  const Learner *learner = training->learner;
  LearnRun *run = training->run;
  g_auto (Mat) A = mat_new (learner->n, learner->k);
  g_autofree char *own =
    learn_describe_options (learner->class, options, learner->k);

  learner_dictionary (learner, &A);
  run->dictionary = learn_make_dictionary (
    learner, &A, training->compare->patch, COMPARE_CHANNELS, NULL);
  if (run->dictionary == NULL)
    tessera_abort_without_memory ();
  run->start = compare_init_name (options->init);
  run->iterations = learner_status (learner)->iteration;
  run->seconds = time_budget_seconds (&training->budget);
  run->out_of_time = training->budget.out_of_time;
  run->ready = TRUE;
  run->dictionary->options = g_strdup_printf (
    "--patch %d --iterations %d --max-patches %d --init %s %s",
    training->compare->patch, run->iterations, training->compare->Y.cols,
    run->start, own);
}

static gboolean
is_last_probed (const LearnRun *run)
{
  const GArray *curve = run->curve;

  return curve->len > 0
         && g_array_index (curve, CurvePoint, curve->len - 1).iteration
              == run->iterations;
}

static gboolean
train (Training *training, GError **error)
{
  LearnOptions options = compare_learn_options (
    training->compare, training->contender, training->seed);
  GError *stopped = NULL;

  time_budget_halt (&training->budget);
  if (!make_learner (training, &options, error))
    return FALSE;
  time_budget_go_on (&training->budget);
  if (!feed (training, &stopped) && !forgive_stop (training, &stopped)) {
    g_propagate_prefixed_error (error, stopped,
                                "%s: ", training->contender->name);
    return FALSE;
  }
  time_budget_halt (&training->budget);
  keep_result (training, &options);
  if (!is_last_probed (training->run))
    probe_learner (training);
  if (training->failed == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&training->failed));
  training->run->ready = FALSE;
  return FALSE;
}

static gboolean
learn_one (Training *training, const Progress *progress, GError **error)
{
  const LearnRun *run = training->run;
  gboolean ok;

  time_budget_begin (&training->budget, progress,
                     training->compare->time_limit);
  ok = train (training, error);
  time_budget_end (&training->budget);
  learner_free (training->learner);
  g_clear_error (&training->failed);
  if (ok)
    terminal_detail ("%s: %d iteration%s in %.1f s", training->contender->name,
                     run->iterations, PLURAL (run->iterations), run->seconds);
  return ok;
}

/* A program that fails does not end the comparison. */
static gboolean
learn_outside (const Compare *compare, Contender *contender, guint seed,
               const Progress *progress, GError **error)
{
  g_autoptr (GError) why = NULL;

  if (contender->failed != NULL
      || outside_learn (compare, contender, seed,
                        contender_run (contender, seed), progress, &why))
    return TRUE;
  if (g_error_matches (why, TESSERA_ERROR, TESSERA_ERROR_CANCELLED)) {
    g_propagate_error (error, g_steal_pointer (&why));
    return FALSE;
  }
  contender->failed = g_strdup (why->message);
  terminal_note ("%s failed: %s", contender->name, contender->failed);
  return TRUE;
}

/* ---- all of them ---- */

/* What is learned with one seed. */
typedef struct {
  Compare *compare;
  guint seed;
  GArray *probes;  /* Probe */
  GArray *numbers; /* guint: of the contenders that learn */
} LearnStage;

static Contender *
stage_contender (const LearnStage *learning, guint item)
{
  return compare_contender (learning->compare,
                            g_array_index (learning->numbers, guint, item));
}

/* Says who learns. */
static void
show_stage (Compare *compare, const Contender *contender, int number, int all)
{
  g_snprintf (compare->stage, sizeof compare->stage,
              "learning with %s, %d of %d", contender->name, number, all);
  progress_bar_set_label (&compare->bar, compare->stage);
}

static gboolean
learn_contender (Training *training, const Progress *progress, GError **error)
{
  Contender *contender = training->contender;

  if (contender->kind == CONTENDER_LEARNER)
    return learn_one (training, progress, error);
  if (contender->kind == CONTENDER_TRANSFORM)
    return compare_learn_transform (training->compare, training->run,
                                    training->seed, progress, error);
  return learn_outside (training->compare, contender, training->seed, progress,
                        error);
}

static gboolean
learn_item (gpointer data, guint item, GVariant **result,
            const Progress *progress, GError **error)
{
  const LearnStage *learning = data;
  Contender *contender = stage_contender (learning, item);
  Training training = { .compare = learning->compare,
                        .contender = contender,
                        .seed = learning->seed,
                        .run = contender_run (contender, learning->seed),
                        .probes = learning->probes };

  show_stage (learning->compare, contender, (int) item + 1,
              (int) learning->numbers->len);
  if (!learn_contender (&training, progress, error))
    return FALSE;
  *result = learn_run_to_variant (training.run, contender->failed);
  return TRUE;
}

static void
put_learned (gpointer data, guint item, GVariant *result, gboolean is_own)
{
  const LearnStage *learning = data;
  Contender *contender = stage_contender (learning, item);
  g_autofree char *failed = NULL;

  if (is_own)
    return;
  learn_run_from_variant (result, contender_run (contender, learning->seed),
                          &failed);
  if (failed == NULL || contender->failed != NULL)
    return;
  contender->failed = g_steal_pointer (&failed);
  terminal_note ("%s failed: %s", contender->name, contender->failed);
}

gboolean
compare_learn (Compare *compare, guint seed, const Progress *progress,
               GError **error)
{
  g_autoptr (GArray) probes = make_probes (compare);
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  LearnStage learning = { compare, seed, probes, numbers };
  const CompareStage stage = { learn_item, put_learned, &learning };

  for (guint i = 0; i < compare->contenders->len; i++)
    if (contender_learns (compare_contender (compare, i)))
      g_array_append_val (numbers, i);
  return compare_share_out (compare, numbers->len, &stage, progress, error);
}
