/* learn.c - dictionaries from samples of the caller, or from pictures */
#include "imaging/api/api.h"

#include "dictlearn/initial.h"
#include "dictlearn/learner.h"
#include "imaging/codec/codec.h"
#include "imaging/learning.h"
#include "imaging/patchsource.h"

#include <math.h>
#include <string.h>

#define DEFAULT_ALGORITHM "online"
#define DEFAULT_PATCH 10
#define DEFAULT_CHANNELS 3
#define DEFAULT_MAX_PATCHES 100000

/* Longest sample: learners hold several matrices of n x n. */
#define MOST_LENGTH 4096

/* Patches handed over at a time. */
#define BLOCK 512

struct TesseraLearner {
  TesseraContext *context;
  Learner *learner;
  int patch, channels; /* 0 where samples are not patches */
  TesseraProgressFunc progress;
  void *progress_data;
};

const char *
tessera_algorithm_name (int i)
{
  for (int j = 0; j <= i && learner_classes[j] != NULL; j++)
    if (j == i)
      return learner_classes[j]->name;
  return NULL;
}

const char *
tessera_algorithm_summary (int i)
{
  const char *name = tessera_algorithm_name (i);

  return name != NULL ? learner_find (name)->summary : NULL;
}

/* ---- options ---- */

/* A number that the caller has set, or the default. */
#define SET_OR(given, usual) ((given) != 0 ? (given) : (usual))

static gboolean
read_shape (const TesseraLearnOptions *o, TesseraLearner *self, int *n,
            GError **error)
{
  *n = o->length;
  if (o->length == 0) {
    self->patch = SET_OR (o->patch, DEFAULT_PATCH);
    self->channels = SET_OR (o->channels, DEFAULT_CHANNELS);
    if (!check_patch (self->patch, self->channels, error))
      return FALSE;
    *n = self->patch * self->patch * self->channels;
  }
  return (*n >= 1 && *n <= MOST_LENGTH)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "samples of length %d: give 1 to %d", *n,
                          MOST_LENGTH);
}

/* Samples that are not patches have no default noise floor. */
static LearnOptions
own_options (const TesseraLearnOptions *o, const LearnerClass *class,
             gboolean patches)
{
  LearnOptions own = learn_default_options ();

  own.atoms = o->atoms;
  own.iterations = o->iterations;
  own.iterations = learn_default_iterations (class, &own);
  own.tolerance = o->tolerance;
  own.threshold = o->threshold;
  own.density = SET_OR (o->density, own.density);
  own.shrink = o->shrink;
  own.noise_floor = SET_OR (o->noise_floor, patches ? own.noise_floor : 0);
  own.noise_floor = fmax (own.noise_floor, 0);
  own.window = SET_OR (o->window, own.window);
  own.first_samples = o->first_samples;
  own.stride = SET_OR (o->stride, own.stride);
  own.rate = o->rate;
  own.atoms_per_sample = SET_OR (o->atoms_per_sample, own.atoms_per_sample);
  own.hidden = SET_OR (o->hidden, own.hidden);
  own.predict_atoms = o->predict_atoms;
  own.exact_update = o->exact_update != 0;
  own.textbook = o->textbook != 0;
  own.seed = o->seed;
  return own;
}

static gboolean
start_from_cosines (const TesseraLearner *self, LearnOptions *own, Mat *start,
                    GError **error)
{
  g_autoptr (Dictionary) dct = NULL;

  if (self->patch == 0)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "there are cosines for patches only");
  dct = dictionary_dct (self->patch, self->channels, error);
  if (dct == NULL
      || !mat_try_new (start, dct->atoms.rows, dct->atoms.cols, error))
    return FALSE;
  mat_from_float (&dct->atoms, start);
  own->init = INIT_DCT;
  own->start = start;
  return TRUE;
}

static gboolean
start_from_atoms (const TesseraMatrix *atoms, int n, LearnOptions *own,
                  DoubleColumns *columns, GError **error)
{
  if (atoms == NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "the atoms to start from are not given");
  if (!double_columns_init (columns, atoms, n, "the start", error))
    return FALSE;
  own->init = INIT_GIVEN;
  own->start = &columns->mat;
  return TRUE;
}

static TesseraStart
usual_start (const LearnerClass *class, gboolean patches)
{
  if (class->init == INIT_DATA)
    return TESSERA_START_DATA;
  return patches ? TESSERA_START_DCT : TESSERA_START_PCA;
}

/* Sets the start in @own; @dct and @columns have room for it. */
static gboolean
choose_start (const TesseraLearner *self, const TesseraLearnOptions *o,
              const LearnerClass *class, int n, LearnOptions *own, Mat *dct,
              DoubleColumns *columns, GError **error)
{
  TesseraStart kind = o->start_kind;

  if (kind == TESSERA_START_USUAL)
    kind = usual_start (class, self->patch > 0);
  switch (kind) {
  case TESSERA_START_DCT:
    return start_from_cosines (self, own, dct, error);
  case TESSERA_START_GIVEN:
    return start_from_atoms (o->start, n, own, columns, error);
  case TESSERA_START_PCA:
    own->init = INIT_PCA;
    return TRUE;
  case TESSERA_START_DATA:
    own->init = INIT_DATA;
    return TRUE;
  case TESSERA_START_IDENTITY:
    own->init = INIT_IDENTITY;
    return TRUE;
  case TESSERA_START_RANDOM:
    own->init = INIT_RANDOM;
    return TRUE;
  case TESSERA_START_USUAL:
    break;
  }
  return tessera_fail (error, TESSERA_ERROR_USAGE, "there is no start %d",
                       (int) o->start_kind);
}

/* Makes self->learner. */
static gboolean
make_learner (TesseraLearner *self, const TesseraLearnOptions *o,
              GError **error)
{
  const char *name = o->algorithm != NULL ? o->algorithm : DEFAULT_ALGORITHM;
  const LearnerClass *class = learner_find (name);
  g_auto (DoubleColumns) columns = { 0 };
  g_auto (Mat) dct = { 0 };
  LearnOptions own;
  int n;

  if (class == NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "there is no algorithm called '%s'", name);
  if (o->atoms < 0 || o->atoms > DICTIONARY_MAX_ATOMS)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "%d atoms: give 1 to %d, or 0", o->atoms,
                         DICTIONARY_MAX_ATOMS);
  if (!read_shape (o, self, &n, error))
    return FALSE;
  own = own_options (o, class, self->patch > 0);
  own.planes = self->patch > 0 ? self->channels : 1;
  if (!choose_start (self, o, class, n, &own, &dct, &columns, error))
    return FALSE;
  self->learner = learner_new (name, n, &own, error);
  return self->learner != NULL;
}

/* ---- learners ---- */

static TesseraLearner *
new_learner (TesseraContext *context, const TesseraLearnOptions *o,
             GError **error)
{
  TesseraLearner *self = g_new0 (TesseraLearner, 1);

  self->context = context_ref (context);
  self->progress = o->progress;
  self->progress_data = o->progress_data;
  if (make_learner (self, o, error))
    return self;
  tessera_learner_free (self);
  return NULL;
}

TesseraLearner *
tessera_learner_new (TesseraContext *context,
                     const TesseraLearnOptions *options, GError **error)
{
  TesseraLearnOptions o = { 0 };

  return options_read (options, &o, sizeof o, error)
           ? new_learner (context, &o, error)
           : NULL;
}

void
tessera_learner_free (TesseraLearner *learner)
{
  if (learner == NULL)
    return;
  learner_free (learner->learner);
  tessera_context_free (learner->context);
  g_free (learner);
}

static gboolean
all_finite (const Mat *Y, GError **error)
{
  for (int j = 0; j < Y->cols; j++)
    for (int i = 0; i < Y->rows; i++)
      if (!isfinite (*mat_at (Y, i, j)))
        return tessera_fail (error, TESSERA_ERROR_INPUT,
                             "entry (%d, %d) of the samples is not finite", i,
                             j);
  return TRUE;
}

gboolean
tessera_learner_feed (TesseraLearner *learner, const TesseraMatrix *samples,
                      GError **error)
{
  g_auto (DoubleColumns) Y = { 0 };
  const Progress *progress;
  gboolean ok;
  Call call;

  g_return_val_if_fail (learner != NULL && samples != NULL, FALSE);

  if (!double_columns_init (&Y, samples, learner->learner->n, "the samples",
                            error)
      || !all_finite (&Y.mat, error))
    return FALSE;
  progress = call_begin (&call, learner->context, learner->progress,
                         learner->progress_data);
  ok = learner_feed (learner->learner, &Y.mat, progress, error);
  call_end (&call);
  return ok;
}

gboolean
tessera_learner_done (const TesseraLearner *learner)
{
  g_return_val_if_fail (learner != NULL, TRUE);

  return learner_done (learner->learner);
}

gboolean
tessera_learner_finish (TesseraLearner *learner, GError **error)
{
  const Progress *progress;
  gboolean ok;
  Call call;

  g_return_val_if_fail (learner != NULL, FALSE);

  progress = call_begin (&call, learner->context, learner->progress,
                         learner->progress_data);
  ok = learner_finish (learner->learner, progress, error);
  if (ok)
    call_complete (&call);
  call_end (&call);
  return ok;
}

gboolean
tessera_learner_status (const TesseraLearner *learner,
                        TesseraLearnStatus *status, GError **error)
{
  const LearnStatus *own;
  TesseraLearnStatus filled = { 0 };

  g_return_val_if_fail (learner != NULL && status != NULL, FALSE);

  own = learner_status (learner->learner);
  filled.iterations = own->iteration;
  filled.samples = own->samples;
  filled.objective = own->objective;
  filled.density = own->density;
  filled.threshold = own->threshold;
  filled.change = own->change;
  return report_write (&filled, sizeof filled, status, error);
}

/* ---- results ---- */

/* The atoms of length one; empty, with @error set, before there are any. */
static Mat
learned_atoms (const TesseraLearner *self, GError **error)
{
  Mat A = { 0 };

  if (learner_status (self->learner)->iteration == 0) {
    tessera_fail (error, TESSERA_ERROR_USAGE, "nothing has been learned yet");
    return A;
  }
  if (!mat_try_new (&A, self->learner->n, self->learner->k, error))
    return A;
  learner_dictionary (self->learner, &A);
  mat_normalise_columns (&A);
  return A;
}

TesseraDictionary *
tessera_learner_dictionary (const TesseraLearner *learner, GError **error)
{
  g_auto (Mat) A = { 0 };

  g_return_val_if_fail (learner != NULL, NULL);

  if (learner->patch == 0) {
    tessera_fail (error, TESSERA_ERROR_USAGE,
                  "the samples are not patches; ask for the atoms");
    return NULL;
  }
  A = learned_atoms (learner, error);
  return A.data != NULL ? learn_make_dictionary (
           learner->learner, &A, learner->patch, learner->channels, error)
                        : NULL;
}

gboolean
tessera_learner_get_atoms (const TesseraLearner *learner,
                           const TesseraMatrix *atoms, GError **error)
{
  g_auto (Mat) A = { 0 };
  g_auto (MatF) single = { 0 };

  g_return_val_if_fail (learner != NULL && atoms != NULL, FALSE);

  A = learned_atoms (learner, error);
  if (A.data == NULL
      || !matrix_check (atoms, A.rows, A.cols, "the place for atoms", error))
    return FALSE;
  single = matf_new (A.rows, A.cols);
  mat_to_float (&A, &single);
  for (int j = 0; j < A.cols; j++)
    matrix_set_column (atoms, j, matf_at (&single, 0, j));
  return TRUE;
}

/* ---- pictures ---- */

typedef struct {
  Learner *learner;
  const Progress *progress;
  char *last; /* why the last picture was skipped */
  PatchSource *source;
  Mat block;
} Reading;

/* Reading pictures may take long before there is anything to learn from. */
static Image *
load_picture (const char *path, gpointer data, GError **error)
{
  const Reading *reading = data;

  if (!progress_step (reading->progress, learner_share (reading->learner),
                      error))
    return NULL;
  return tessera_image_read (path, NULL, error);
}

static void
note_skipped (const char *path, const char *why, gpointer data)
{
  Reading *reading = data;

  (void) path;
  g_free (reading->last);
  reading->last = g_strdup (why);
}

static gboolean
read_patches (gpointer data, Mat *Y, GError **error)
{
  Reading *reading = data;

  return learn_read_patches (reading->source, &reading->block, Y, error);
}

static gboolean
check_round (gpointer data, GError **error)
{
  const Reading *reading = data;

  return patch_source_used (reading->source) > 0
         || tessera_fail (error, TESSERA_ERROR_INPUT,
                          "no picture can be used: %s",
                          reading->last != NULL ? reading->last
                                                : "there is none");
}

static void
begin_round (gpointer data, int round)
{
  Reading *reading = data;

  patch_source_begin (reading->source, round);
}

static gboolean
feed (Reading *reading, GError **error)
{
  const SampleStream patches = { .read = read_patches,
                                 .check_round = check_round,
                                 .begin = begin_round,
                                 .data = reading };
  gboolean ok;

  reading->block = mat_new (reading->learner->n, BLOCK);
  ok = learner_feed_stream (reading->learner, &patches, reading->progress,
                            error);
  mat_clear (&reading->block);
  return ok;
}

/* Runs the learner to the end. */
static gboolean
learn_from (TesseraLearner *self, GPtrArray *pictures,
            const TesseraLearnOptions *o, GError **error)
{
  Call call;
  Reading reading = { self->learner,
                      call_begin (&call, self->context, self->progress,
                                  self->progress_data),
                      NULL, NULL, { 0 } };
  PatchSourceOptions options = {
    .patch = self->patch,
    .channels = self->channels,
    .step = SET_OR (o->step, 1),
    .max_patches = learn_patches_of_round (
      self->learner->class, &self->learner->options, self->learner->n,
      SET_OR (o->max_patches, DEFAULT_MAX_PATCHES)),
    .seed = o->seed,
    .load = load_picture,
    .skipped = note_skipped,
    .data = &reading
  };
  g_autoptr (PatchSource) source =
    patch_source_new (pictures, &options, error);
  gboolean ok;

  reading.source = source;
  ok = source != NULL && feed (&reading, error)
       && learner_finish (self->learner, reading.progress, error);
  if (ok)
    call_complete (&call);
  call_end (&call);
  g_free (reading.last);
  return ok;
}

TesseraDictionary *
tessera_learn_from_files (TesseraContext *context, const char *const *paths,
                          size_t count, const TesseraLearnOptions *options,
                          GError **error)
{
  TesseraLearnOptions o = { 0 };
  g_autoptr (GPtrArray) pictures = g_ptr_array_new ();
  TesseraDictionary *dictionary = NULL;
  TesseraLearner *learner;

  g_return_val_if_fail (paths != NULL || count == 0, NULL);

  if (!options_read (options, &o, sizeof o, error))
    return NULL;
  if (o.length != 0 || o.step < 0) {
    tessera_fail (error, TESSERA_ERROR_USAGE,
                  "for pictures, set no length, and a step of 1 or "
                  "more");
    return NULL;
  }
  for (gsize i = 0; i < count; i++)
    g_ptr_array_add (pictures, (gpointer) paths[i]);
  learner = new_learner (context, &o, error);
  if (learner != NULL && learn_from (learner, pictures, &o, error))
    dictionary = tessera_learner_dictionary (learner, error);
  tessera_learner_free (learner);
  return dictionary;
}
