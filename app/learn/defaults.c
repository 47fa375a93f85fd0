#include "app/learn/defaults.h"

LearnOptions
learn_default_options (void)
{
  LearnOptions options = LEARN_DEFAULTS;

  options.iterations = 0; /* what is usual for the algorithm */
  options.window = 4000;
  options.stride = 100;
  options.density = 0.02;
  options.noise_floor = 3;
  return options;
}

char *
learn_describe_options (const LearnerClass *class, const LearnOptions *o,
                        int atoms)
{
  GString *text = g_string_new (NULL);

  if (!class->complete) {
    g_string_append_printf (
      text, "--atoms %d --atoms-per-patch %d%s%s", atoms, o->atoms_per_sample,
      o->exact_update ? " --exact" : "", o->textbook ? " --textbook" : "");
    return g_string_free (text, FALSE);
  }
  g_string_append_printf (
    text, o->threshold > 0 ? "--threshold %.10g" : "--density %.10g",
    o->threshold > 0 ? o->threshold : o->density);
  g_string_append_printf (
    text, " --shrink %.10g --floor %.10g --window %d --stride %d --rate %.10g",
    o->shrink, o->noise_floor, o->window, o->stride, o->rate);
  return g_string_free (text, FALSE);
}

Dictionary *
learn_make_dictionary (const Learner *learner, Mat *A, int patch, int channels)
{
  Dictionary *dictionary = dictionary_new (patch, channels, A->cols);

  mat_normalise_columns (A);
  mat_to_float (A, &dictionary->atoms);
  dictionary->algorithm = g_strdup (learner->class->name);
  dictionary->seed = learner->options.seed;
  dictionary->samples = learner_status (learner)->samples;
  return dictionary;
}
