/* start.c - the learner, and the dictionary that it starts from */
#include "app/learn/learn.h"

#include "app/files/dictionaryfile.h"
#include "app/files/files.h"
#include "app/cli/suggest.h"
#include "base/error.h"
#include "dictlearn/initial.h"
#include "imaging/learning.h"

const char *const learn_init_names[] = { "dct",      "pca",    "data",
                                         "identity", "random", NULL };

/* Whether the atoms of @dictionary have the shape of those to be learned. */
static gboolean
check_start (const Learn *learn, const Dictionary *dictionary, GError **error)
{
  int atoms = dictionary->atoms.cols;

  if (dictionary->patch != learn->patch
      || dictionary->channels != channels_of (learn))
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: has patches of %dx%dx%d, not %dx%dx%d; choose the same "
                 "with --patch and --grey",
                 input_name (learn->init), dictionary->patch,
                 dictionary->patch, dictionary->channels, learn->patch,
                 learn->patch, channels_of (learn));
  else if (class_of (learn)->complete && atoms != length_of (learn)
           && !(learn->algorithm == LEARN_UNSAID && learn->task != NULL))
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: has %d atoms, but %s learns %d; use --algorithm ksvd "
                 "or mod to continue from it",
                 input_name (learn->init), atoms, class_of (learn)->name,
                 length_of (learn));
  else if (learn->options.atoms != 0 && learn->options.atoms != atoms)
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "%s: has %d atoms, not %d; omit --atoms to continue from "
                 "it",
                 input_name (learn->init), atoms, learn->options.atoms);
  else
    return TRUE;
  return FALSE;
}

static Dictionary *
load_start (const Learn *learn, GError **error)
{
  gboolean exists = g_file_test (learn->init, G_FILE_TEST_EXISTS);
  g_autofree char *hint =
    exists ? NULL : suggest (learn->init, learn_init_names);

  if (hint == NULL)
    return dictionary_file_load (learn->init, error);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "--init %s: no such start and no such file; %s", learn->init,
               hint);
  return NULL;
}

static gboolean
take_start (const Dictionary *dictionary, Mat *start, GError **error)
{
  if (!mat_try_new (start, dictionary->atoms.rows, dictionary->atoms.cols,
                    error))
    return FALSE;
  mat_from_float (&dictionary->atoms, start);
  return TRUE;
}

static gboolean
start_from_file (Learn *learn, Mat *start, GError **error)
{
  g_autoptr (Dictionary) dictionary = load_start (learn, error);

  if (dictionary == NULL || !check_start (learn, dictionary, error))
    return FALSE;
  if (!take_start (dictionary, start, error))
    return FALSE;
  learn->options.atoms = dictionary->atoms.cols;
  learn->options.init = INIT_GIVEN;
  return TRUE;
}

static gboolean
start_from_cosines (Learn *learn, Mat *start, GError **error)
{
  g_autoptr (Dictionary) dct =
    dictionary_dct (learn->patch, channels_of (learn), error);

  if (dct == NULL || !take_start (dct, start, error))
    return FALSE;
  if (learn->options.atoms == 0 || learn->options.atoms == start->cols)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "--init dct: there are %d cosines for %d atoms; use --init "
               "data",
               start->cols, learn->options.atoms);
  return FALSE;
}

static gboolean
choose_start (Learn *learn, Mat *start, GError **error)
{
  learn->options.init = class_of (learn)->init;
  if (learn->init != NULL) {
    int kind = 0;

    while (learn_init_names[kind] != NULL
           && !g_str_equal (learn_init_names[kind], learn->init))
      kind++;
    if (learn_init_names[kind] == NULL)
      return start_from_file (learn, start, error);
    learn->options.init = (InitKind) kind;
  }
  return learn->options.init != INIT_DCT
         || start_from_cosines (learn, start, error);
}

/* Whether the algorithm can do what is asked for. */
static gboolean
check_algorithm (const Learn *learn, GError **error)
{
  const LearnerClass *class = class_of (learn);
  int atoms = learn->options.atoms;

  if (learn->algorithm == LEARN_UNSAID && learn->task != NULL)
    return TRUE;
  if (class->complete && atoms != 0 && atoms != length_of (learn))
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "--atoms %d: %s learns %d atoms, as many as a patch has "
                 "samples; omit --atoms or use --algorithm ksvd or mod",
                 atoms, class->name, length_of (learn));
  else if (!class->complete && learn->polish > 0)
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "--polish %d: needs an algorithm with a threshold, and %s "
                 "has none; omit it",
                 learn->polish, class->name);
  else
    return TRUE;
  return FALSE;
}

gboolean
learn_make_learner (Learn *learn, GError **error)
{
  g_auto (Mat) start = { 0 };

  learn->options.iterations =
    learn_default_iterations (class_of (learn), &learn->options);
  learn->options.planes = channels_of (learn);
  if (!check_algorithm (learn, error) || !choose_start (learn, &start, error))
    return FALSE;
  if (start.data != NULL)
    learn->options.start = &start;
  learn->learner = learner_new (class_of (learn)->name, length_of (learn),
                                &learn->options, error);
  learn->options.start = NULL;
  return learn->learner != NULL;
}

gboolean
learn_make_start (Learn *learn, Mat *A, GError **error)
{
  if (!choose_start (learn, A, error))
    return FALSE;
  if (A->data != NULL)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "--init %s: needs an --algorithm; without one use dct or a "
               "dictionary",
               learn->init);
  return FALSE;
}
