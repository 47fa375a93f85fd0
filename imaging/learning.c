#include "imaging/learning.h"

LearnOptions
learn_default_options (void)
{
  LearnOptions options = LEARN_DEFAULTS;

  options.iterations = 0; /* the algorithm's default */
  options.window = 4000;
  options.stride = 100;
  options.density = 0.02;
  options.noise_floor = 3;
  return options;
}

guint64
learn_patches_of_round (const LearnerClass *class, const LearnOptions *o,
                        int n, guint64 max)
{
  guint64 enough = (guint64) MAX (MAX (o->window, o->first_samples), n)
                   + (guint64) o->iterations * (guint64) o->stride;

  if (!class->streams)
    return max;
  return max == 0 ? enough : MIN (enough, max);
}

gboolean
learn_read_patches (PatchSource *source, Mat *block, Mat *Y, GError **error)
{
  *Y = mat_columns (block, 0, patch_source_read (source, block));
  return patch_source_check (source, error);
}

Dictionary *
learn_make_dictionary (const Learner *learner, Mat *A, int patch, int channels,
                       GError **error)
{
  Dictionary *dictionary = dictionary_new (patch, channels, A->cols, error);

  if (dictionary == NULL)
    return NULL;
  mat_normalise_columns (A);
  mat_to_float (A, &dictionary->atoms);
  dictionary->algorithm = g_strdup (learner->class->name);
  dictionary->seed = learner->options.seed;
  dictionary->samples = learner_status (learner)->samples;
  return dictionary;
}
