/* comparelearn.c - contenders, and how well they do while they learn
 *
 * Every learner gets the same patches in the same order, and begins from the
 * same dictionary where it can.  Now and then the clock is halted and the
 * dictionary of the moment restores the probes: pictures that give no training
 * patches and do not test.
 */
#include "app/compare.h"

#include "app/atoms.h"
#include "app/budget.h"
#include "app/files.h"
#include "app/learned.h"
#include "app/picture.h"
#include "app/suggest.h"
#include "app/terminal.h"
#include "base/error.h"
#include "dictlearn/starts.h"

#include <math.h>
#include <string.h>

/* From one look at the probes to the next, iterations grow by this: looks are
 * even on a logarithmic axis, and few. */
#define PROBE_GROWTH 1.3

/* Probes are the middles of pictures. */
#define PROBE_SIDE 150

/* Patches handed over between two looks at the clock. */
#define BLOCK 512

const char *const compare_starts[] = { "dct", "pca", "data", "random", NULL };

static const StartKind start_kinds[] = { START_DCT, START_PCA, START_DATA,
                                         START_RANDOM };

/* ---- contenders ---- */

#define NAME_AS_PUBLISHED "online-paper"
#define NAME_COSINES "dct"
#define NAME_ENGINE "tessera"

const char *const *
compare_algorithm_names (void)
{
  static const char **names;

  if (g_once_init_enter (&names)) {
    GPtrArray *list = g_ptr_array_new ();

    for (int i = 0; learner_classes[i] != NULL; i++)
      g_ptr_array_add (list, (gpointer) learner_classes[i]->name);
    g_ptr_array_add (list, (gpointer) NAME_AS_PUBLISHED);
    g_ptr_array_add (list, (gpointer) NAME_COSINES);
    g_ptr_array_add (list, (gpointer) NAME_ENGINE);
    g_ptr_array_add (list, NULL);
    g_once_init_leave (&names, (const char **) g_ptr_array_free (list, FALSE));
  }
  return names;
}

void
compare_contender_clear (gpointer data)
{
  Contender *contender = data;

  g_free (contender->name);
  g_free (contender->file);
  dictionary_free (contender->dictionary);
  if (contender->curve != NULL)
    g_array_unref (contender->curve);
}

/* By protocol first: those that compete stand together. */
static void
make_methods (Compare *compare)
{
  for (Protocol p = 0; p < PROTOCOLS; p++)
    for (guint i = 0; i < compare->contenders->len; i++) {
      gboolean is_engine =
        compare_contender (compare, i)->kind == CONTENDER_ENGINE;
      Method method = { i, p };

      if (is_engine == (p == PROTOCOL_ENGINE))
        g_array_append_val (compare->methods, method);
    }
}

static void
add_algorithm (Compare *compare, const char *name)
{
  Contender contender = { .name = g_strdup (name) };

  if (g_str_equal (name, NAME_COSINES))
    contender.kind = CONTENDER_COSINES;
  else if (g_str_equal (name, NAME_ENGINE))
    contender.kind = CONTENDER_ENGINE;
  else {
    contender.as_published = g_str_equal (name, NAME_AS_PUBLISHED);
    contender.learner =
      learner_find (contender.as_published ? "online" : name);
  }
  if (contender.kind == CONTENDER_COSINES)
    contender.dictionary = dictionary_dct (compare->patch, COMPARE_CHANNELS);
  if (contender.kind == CONTENDER_LEARNER)
    contender.curve = g_array_new (FALSE, FALSE, sizeof (CurvePoint));
  else
    contender.ready = TRUE;
  g_array_append_val (compare->contenders, contender);
}

/* Names become names of files. */
static gboolean
check_name (const Compare *compare, const char *name, GError **error)
{
  if (*name == '\0' || strlen (name) > 40 || *name == '.'
      || strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                       "0123456789._+-")
           != strlen (name))
    return tessera_fail (
      error, TESSERA_ERROR_USAGE,
      "--dict %s=: a name has letters, digits, dots, dashes and "
      "underscores, 40 at most",
      name);
  for (guint i = 0; i < compare->contenders->len; i++)
    if (g_str_equal (compare_contender (compare, i)->name, name))
      return tessera_fail (error, TESSERA_ERROR_USAGE,
                           "--dict %s=: there is another of that name", name);
  return TRUE;
}

static gboolean
add_file (Compare *compare, const char *pair, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (pair, "=", 2);
  Contender contender = { .kind = CONTENDER_FILE, .ready = TRUE };
  g_autoptr (Dictionary) dictionary = NULL;

  if (parts[0] == NULL || parts[1] == NULL || *parts[1] == '\0')
    return tessera_fail (
      error, TESSERA_ERROR_USAGE,
      "--dict %s: write NAME=FILE, as in mine=mine.safetensors", pair);
  if (!check_name (compare, parts[0], error))
    return FALSE;
  dictionary = atoms_load (parts[1], error);
  if (dictionary == NULL)
    return FALSE;
  if (dictionary->patch != compare->patch
      || dictionary->channels != COMPARE_CHANNELS)
    return tessera_fail (
      error, TESSERA_ERROR_INPUT,
      "%s: has patches of %dx%dx%d, but %dx%dx%d are compared; "
      "use --patch to compare others",
      input_name (parts[1]), dictionary->patch, dictionary->patch,
      dictionary->channels, compare->patch, compare->patch, COMPARE_CHANNELS);
  contender.name = g_strdup (parts[0]);
  contender.file = g_strdup (parts[1]);
  contender.dictionary = g_steal_pointer (&dictionary);
  g_array_append_val (compare->contenders, contender);
  return TRUE;
}

static gboolean
check_reference (Compare *compare, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);

    if (compare->reference != NULL
        && g_str_equal (contender->name, compare->reference))
      return TRUE;
    g_ptr_array_add (names, contender->name);
  }
  if (compare->reference == NULL)
    return TRUE;
  g_ptr_array_add (names, NULL);
  hint = suggest (compare->reference, (const char *const *) names->pdata);
  return tessera_fail (error, TESSERA_ERROR_USAGE,
                       "--reference %s: nothing of that name is compared%s%s",
                       compare->reference, hint != NULL ? "; " : "",
                       hint != NULL ? hint : "");
}

gboolean
compare_make_contenders (Compare *compare, GError **error)
{
  for (int i = 0; compare->algorithms[i] != NULL; i++)
    add_algorithm (compare, compare->algorithms[i]);
  for (guint i = 0; i < compare->files->len; i++)
    if (!add_file (compare, compare->files->pdata[i], error))
      return FALSE;
  make_methods (compare);
  return check_reference (compare, error);
}

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

/* Probes suffer the first kind of damage.  One that cannot is left out. */
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
  Learner *learner;
  GArray *probes; /* Probe */
  Budget budget;
  int next_probe; /* iteration */
  GError *failed; /* while the probes were restored */
} Training;

/* Mean scores of the probes, restored by @treatment. */
static gboolean
restore_probes (Training *training, const Treatment *treatment,
                CurvePoint *point)
{
  const GArray *probes = training->probes;
  Remedy remedy = compare_damage (training->compare, 0)->remedy;
  Progress quiet = { .cancellable = training->budget.shown->cancellable };
  double psnr = 0, ssim = 0;

  for (guint i = 0; i < probes->len; i++) {
    const Probe *probe = &g_array_index (probes, Probe, i);
    ImageScore score;
    g_autoptr (Image) restored = compare_restore (
      &probe->damaged, remedy, treatment, &quiet, &training->failed);

    if (restored == NULL
        || !image_score (probe->clean, restored, NULL, &score,
                         &training->failed))
      return FALSE;
    psnr += score.psnr;
    ssim += score.ssim;
  }
  point->psnr[treatment->protocol] = psnr / probes->len;
  point->ssim[treatment->protocol] = ssim / probes->len;
  return TRUE;
}

static void
probe (Training *training, const Dictionary *dictionary, int iteration)
{
  const Compare *compare = training->compare;
  CurvePoint point = { .iteration = iteration,
                       .seconds = budget_seconds (&training->budget) };
  gboolean ok = training->failed == NULL && training->probes->len > 0;

  for (Protocol p = 0; ok && p < PROTOCOL_ENGINE; p++) {
    Treatment treatment = { dictionary, p, compare_atoms_per_patch (compare),
                            .quick = TRUE };

    ok = restore_probes (training, &treatment, &point);
  }
  if (ok)
    g_array_append_val (training->contender->curve, point);
}

static void
probe_learner (Training *training)
{
  const Learner *learner = training->learner;
  g_auto (Mat) A = mat_new (learner->n, learner->k);
  g_autoptr (Dictionary) dictionary = NULL;

  learner_dictionary (learner, &A);
  dictionary = learned_dictionary (learner, &A, training->compare->patch,
                                   COMPARE_CHANNELS);
  probe (training, dictionary, learner_status (learner)->iteration);
}

static void
observe (const Learner *learner, gpointer data)
{
  Training *training = data;
  int iteration = learner_status (learner)->iteration;

  if (iteration < training->next_probe)
    return;
  budget_halt (&training->budget);
  training->next_probe =
    MAX (iteration + 1, (int) ceil (iteration * PROBE_GROWTH));
  probe_learner (training);
  budget_go_on (&training->budget);
}

/* The settings of the paper's experiment: p1 = p2 = 500, T = 2000, full
 * whitening, a step a patch, 10 % non-zeros, the warm start of Algorithm 4. */
static LearnOptions
options_as_published (void)
{
  LearnOptions options = LEARN_DEFAULTS;

  options.init = START_IDENTITY;
  options.iterations = 2000;
  options.window = 500;
  options.stride = 1;
  options.density = 0.1;
  options.shrink = 0.99;
  return options;
}

static LearnOptions
options_of (const Compare *compare, const Contender *contender)
{
  LearnOptions o = contender->as_published ? options_as_published ()
                                           : learned_usual_options ();

  if (!contender->as_published)
    o.init = start_kinds[compare->init];
  if (!contender->learner->complete) {
    o.atoms = compare->atoms;
    o.atoms_per_sample = MIN (compare->train_atoms, compare_length (compare));
    /* There are n cosines and no more. */
    if (compare->atoms > 0 && compare->atoms != compare_length (compare)
        && o.init == START_DCT)
      o.init = START_DATA;
  }
  if (compare->iterations > 0)
    o.iterations = compare->iterations;
  else if (compare->time_limit > 0)
    o.iterations = G_MAXINT;
  else
    o.iterations = learned_iterations (contender->learner, &o);
  o.window = MIN (o.window, compare->Y.cols);
  o.seed = compare->line.seed;
  return o;
}

static const char *
start_name (StartKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (start_kinds); i++)
    if (start_kinds[i] == kind)
      return compare_starts[i];
  return "identity";
}

static gboolean
make_learner (Training *training, LearnOptions *options, GError **error)
{
  const Compare *compare = training->compare;
  g_autoptr (Dictionary) cosines = NULL;
  g_auto (Mat) start = { 0 };

  if (options->init == START_DCT) {
    cosines = dictionary_dct (compare->patch, COMPARE_CHANNELS);
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

/* The patches, again and again for learners that stream and want more. */
static gboolean
feed (Training *training, GError **error)
{
  const Mat *Y = &training->compare->Y;
  const Progress *progress = &training->budget.progress;

  do
    for (int first = 0; first < Y->cols && !learner_done (training->learner);
         first += BLOCK) {
      Mat block = mat_columns (Y, first, MIN (BLOCK, Y->cols - first));

      if (!progress_step (progress, learner_share (training->learner), error)
          || !learner_feed (training->learner, &block, progress, error))
        return FALSE;
    }
  while (training->learner->class->streams && training->learner->started
         && !learner_done (training->learner));
  return learner_finish (training->learner, progress, error);
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
  Contender *contender = training->contender;
  g_auto (Mat) A = mat_new (learner->n, learner->k);
  g_autofree char *own =
    learned_describe (learner->class, options, learner->k);

  learner_dictionary (learner, &A);
  contender->dictionary = learned_dictionary (
    learner, &A, training->compare->patch, COMPARE_CHANNELS);
  contender->start = start_name (options->init);
  contender->iterations = learner_status (learner)->iteration;
  contender->seconds = budget_seconds (&training->budget);
  contender->out_of_time = training->budget.out_of_time;
  contender->ready = TRUE;
  contender->dictionary->options = g_strdup_printf (
    "--patch %d --iterations %d --max-patches %d --init %s %s",
    training->compare->patch, contender->iterations, training->compare->Y.cols,
    contender->start, own);
}

static gboolean
is_last_probed (const Contender *contender)
{
  const GArray *curve = contender->curve;

  return curve->len > 0
         && g_array_index (curve, CurvePoint, curve->len - 1).iteration
              == contender->iterations;
}

static gboolean
train (Training *training, GError **error)
{
  LearnOptions options = options_of (training->compare, training->contender);
  GError *stopped = NULL;

  budget_halt (&training->budget);
  if (!make_learner (training, &options, error))
    return FALSE;
  budget_go_on (&training->budget);
  if (!feed (training, &stopped) && !forgive_stop (training, &stopped)) {
    g_propagate_prefixed_error (error, stopped,
                                "%s: ", training->contender->name);
    return FALSE;
  }
  budget_halt (&training->budget);
  keep_result (training, &options);
  if (!is_last_probed (training->contender))
    probe_learner (training);
  if (training->failed == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&training->failed));
  training->contender->ready = FALSE;
  return FALSE;
}

static gboolean
learn_one (const Compare *compare, Contender *contender, GArray *probes,
           const Progress *progress, GError **error)
{
  Training training = { .compare = compare,
                        .contender = contender,
                        .probes = probes };
  gboolean ok;

  budget_begin (&training.budget, progress, compare->time_limit);
  ok = train (&training, error);
  budget_end (&training.budget);
  learner_free (training.learner);
  g_clear_error (&training.failed);
  if (ok)
    terminal_detail ("%s: %d iterations in %.1f s", contender->name,
                     contender->iterations, contender->seconds);
  return ok;
}

static guint
count_learners (const Compare *compare)
{
  guint count = 0;

  for (guint i = 0; i < compare->contenders->len; i++)
    count += compare_contender (compare, i)->kind == CONTENDER_LEARNER;
  return count;
}

gboolean
compare_learn (Compare *compare, const Progress *progress, GError **error)
{
  g_autoptr (GArray) probes = make_probes (compare);
  double all = count_learners (compare), done = 0;

  for (guint i = 0; i < compare->contenders->len; i++) {
    Contender *contender = compare_contender (compare, i);
    ProgressPart part = { progress, done / all, (done + 1) / all };
    Progress partial = progress_part (&part);

    if (contender->kind != CONTENDER_LEARNER)
      continue;
    if (!learn_one (compare, contender, probes, &partial, error))
      return FALSE;
    done++;
  }
  return TRUE;
}
