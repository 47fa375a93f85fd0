/* contenders.c - what is compared, and how it learns */
#include "app/compare/compare.h"

#include "app/files/dictionaryfile.h"
#include "app/files/files.h"
#include "app/cli/suggest.h"
#include "base/error.h"
#include "dictlearn/initial.h"
#include "imaging/learning.h"

#include <math.h>
#include <string.h>

/* ---- settings ---- */

const char *const compare_init_names[] = { "dct", "pca", "data", "random",
                                           NULL };

static const InitKind start_kinds[] = { INIT_DCT, INIT_PCA, INIT_DATA,
                                        INIT_RANDOM };

const char *
compare_init_name (InitKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (start_kinds); i++)
    if (start_kinds[i] == kind)
      return compare_init_names[i];
  return "identity";
}

/* Algorithms 3 and 5 of the paper behind this program, with its settings for
 * pictures: p1 = p2 = 500, T = 2000, full whitening, one step per patch, no
 * rho, the warm start of Algorithm 4.  It gives no threshold for pictures;
 * this one leaves the tenth of the codes that it restores with.  Algorithm 2
 * is the same for batches, whitened once. */
static LearnOptions
complete_as_published (int n)
{
  LearnOptions options = LEARN_DEFAULTS;

  (void) n;
  options.textbook = TRUE;
  options.init = INIT_IDENTITY;
  options.iterations = 2000;
  options.first_samples = 500;
  options.window = 500;
  options.stride = 1;
  options.density = 0.1;
  options.shrink = 0.99;
  return options;
}

/* What the main script of the authors' published program does: batches of 500,
 * no whitening, a random start, and a threshold that has no end.  It begins at
 * a hundredth of the largest code by the random start, whose atoms are about
 * sqrt (n) long there and have length one here. */
static LearnOptions
as_in_authors_program (int n)
{
  LearnOptions options = complete_as_published (n);

  options.init = INIT_RANDOM;
  options.noise_floor = INFINITY;
  options.threshold = 1e-6 / 255;
  options.shrink_from = 0.01 * sqrt (n);
  return options;
}

/* As in textbooks: starts from samples, and replaces only unused atoms. */
static LearnOptions
ksvd_as_published (int n)
{
  LearnOptions options = LEARN_DEFAULTS;

  (void) n;
  options.init = INIT_DATA;
  options.iterations = 0; /* as usual */
  options.textbook = TRUE;
  return options;
}

/* Learners with their published settings. */
static const struct {
  const char *name, *learner;
  LearnOptions (*options) (int n);
} published[] = { { "online-paper", "online", complete_as_published },
                  { "minibatch-paper", "minibatch", complete_as_published },
                  { "authors-program", "minibatch", as_in_authors_program },
                  { "ksvd-paper", "ksvd", ksvd_as_published } };

LearnOptions
compare_learn_options (const Compare *compare, const Contender *contender,
                       guint seed)
{
  LearnOptions o = contender->published != NULL
                     ? contender->published (compare_length (compare))
                     : learn_default_options ();

  if (contender->published == NULL)
    o.init = start_kinds[compare->init];
  if (!contender->learner->complete) {
    o.atoms = compare->atoms;
    o.atoms_per_sample = MIN (compare->train_atoms, compare_length (compare));
    /* There are only n cosines. */
    if (compare->atoms > 0 && compare->atoms != compare_length (compare)
        && o.init == INIT_DCT)
      o.init = INIT_DATA;
  }
  if (compare->iterations > 0)
    o.iterations = compare->iterations;
  else if (compare->time_limit > 0)
    o.iterations = G_MAXINT;
  else
    o.iterations = learn_default_iterations (contender->learner, &o);
  o.window = MIN (o.window, compare->Y.cols);
  o.first_samples = MIN (o.first_samples, compare->Y.cols);
  o.planes = COMPARE_CHANNELS;
  o.predict_atoms = compare->atoms_per_patch;
  o.seed = compare_seed (compare, seed);
  return o;
}

/* ---- contenders ---- */

#define NAME_COSINES "dct"
#define NAME_ENGINE "tessera"
#define NAME_TRANSFORM "transform"

const char *const *
compare_algorithm_names (void)
{
  static const char **names;

  if (g_once_init_enter (&names)) {
    GPtrArray *list = g_ptr_array_new ();

    for (int i = 0; learner_names[i] != NULL; i++)
      g_ptr_array_add (list, (gpointer) learner_names[i]);
    for (gsize i = 0; i < G_N_ELEMENTS (published); i++)
      g_ptr_array_add (list, (gpointer) published[i].name);
    g_ptr_array_add (list, (gpointer) NAME_TRANSFORM);
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
  g_free (contender->failed);
  g_strfreev (contender->command);
  for (guint i = 0; i < contender->run_count; i++) {
    dictionary_free (contender->runs[i].dictionary);
    g_clear_pointer (&contender->runs[i].curve, g_array_unref);
  }
  g_free (contender->runs);
}

char *
compare_dictionary_file (const Compare *compare, const Contender *contender,
                         guint seed)
{
  if (seed == 0)
    return g_strconcat (contender->name, ".safetensors", NULL);
  return g_strdup_printf ("%s-seed%" G_GUINT64_FORMAT ".safetensors",
                          contender->name, compare_seed (compare, seed));
}

/* Adds @contender, which is taken over.  What does not learn is ready, with
 * @dictionary, which is taken over too and may be NULL. */
static void
add (Compare *compare, Contender *contender, Dictionary *dictionary)
{
  gboolean learns = contender_learns (contender);

  contender->run_count = learns ? compare->seeds->len : 1;
  contender->runs = g_new0 (LearnRun, contender->run_count);
  for (guint i = 0; i < contender->run_count; i++)
    if (contender->kind == CONTENDER_LEARNER)
      contender->runs[i].curve =
        g_array_new (FALSE, FALSE, sizeof (CurvePoint));
  contender->runs[0].ready = !learns;
  contender->runs[0].dictionary = dictionary;
  g_array_append_vals (compare->contenders, contender, 1);
}

/* Whether such contenders restore by that protocol. */
static gboolean
fits (const Compare *compare, ContenderKind kind, Protocol protocol)
{
  if (kind == CONTENDER_ENGINE)
    return protocol == PROTOCOL_ENGINE;
  if (kind == CONTENDER_RESTORER)
    return protocol == PROTOCOL_OUTSIDE;
  return compare_lays (compare, protocol);
}

/* By protocol first, so that competing methods are adjacent. */
static void
make_methods (Compare *compare)
{
  for (Protocol p = 0; p < PROTOCOLS; p++)
    for (guint i = 0; i < compare->contenders->len; i++) {
      Method method = { i, p };

      if (fits (compare, compare_contender (compare, i)->kind, p))
        g_array_append_val (compare->methods, method);
    }
}

static void
find_learner (Contender *contender)
{
  const char *name = contender->name;

  for (gsize i = 0; i < G_N_ELEMENTS (published); i++)
    if (g_str_equal (name, published[i].name)) {
      contender->published = published[i].options;
      name = published[i].learner;
    }
  contender->learner = learner_find (name);
}

static void
add_algorithm (Compare *compare, const char *name)
{
  Contender contender = { .name = g_strdup (name) };
  Dictionary *cosines = NULL;

  if (g_str_equal (name, NAME_COSINES))
    contender.kind = CONTENDER_COSINES;
  else if (g_str_equal (name, NAME_ENGINE))
    contender.kind = CONTENDER_ENGINE;
  else if (g_str_equal (name, NAME_TRANSFORM))
    contender.kind = CONTENDER_TRANSFORM;
  else
    find_learner (&contender);
  if (contender.kind == CONTENDER_COSINES) {
    cosines = dictionary_dct (compare->patch, COMPARE_CHANNELS, NULL);
    if (cosines == NULL)
      tessera_abort_without_memory ();
  }
  add (compare, &contender, cosines);
}

/* Names become names of files. */
static gboolean
check_name (const Compare *compare, const char *option, const char *name,
            GError **error)
{
  if (*name == '\0' || strlen (name) > 40 || *name == '.'
      || strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                       "0123456789._+-")
           != strlen (name))
    return tessera_fail (
      error, TESSERA_ERROR_USAGE,
      "%s %s=: a name consists of letters, digits, dots, dashes and "
      "underscores, 40 at most",
      option, name);
  for (guint i = 0; i < compare->contenders->len; i++)
    if (g_str_equal (compare_contender (compare, i)->name, name))
      return tessera_fail (error, TESSERA_ERROR_USAGE,
                           "%s %s=: the name is used twice", option, name);
  return TRUE;
}

static gboolean
add_file (Compare *compare, const char *pair, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (pair, "=", 2);
  Contender contender = { .kind = CONTENDER_FILE };
  g_autoptr (Dictionary) dictionary = NULL;

  if (parts[0] == NULL || parts[1] == NULL || *parts[1] == '\0')
    return tessera_fail (
      error, TESSERA_ERROR_USAGE,
      "--dict %s: write NAME=FILE, as in mine=mine.safetensors", pair);
  if (!check_name (compare, "--dict", parts[0], error))
    return FALSE;
  dictionary = dictionary_file_load (parts[1], error);
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
  add (compare, &contender, g_steal_pointer (&dictionary));
  return TRUE;
}

static gboolean
add_outside (Compare *compare, const char *pair, const char *option,
             ContenderKind kind, GError **error)
{
  Contender contender = { .kind = kind };

  if (!outside_parse (pair, option, &contender.name, &contender.command,
                      error))
    return FALSE;
  if (!check_name (compare, option, contender.name, error)) {
    compare_contender_clear (&contender);
    return FALSE;
  }
  add (compare, &contender, NULL);
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
                       "--reference %s: no such method is compared%s%s",
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
  for (guint i = 0; i < compare->learners->len; i++)
    if (!add_outside (compare, compare->learners->pdata[i], "--learner",
                      CONTENDER_OUTSIDE_LEARNER, error))
      return FALSE;
  for (guint i = 0; i < compare->restorers->len; i++)
    if (!add_outside (compare, compare->restorers->pdata[i], "--restorer",
                      CONTENDER_RESTORER, error))
      return FALSE;
  make_methods (compare);
  return check_reference (compare, error);
}
