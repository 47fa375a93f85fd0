#include "app/learn/defaults.h"

LearnOptions
learned_usual_options (void)
{
  LearnOptions options = LEARN_DEFAULTS;

  options.iterations = 0; /* what is usual for the algorithm */
  options.window = 4000;
  options.stride = 100;
  options.density = 0.02;
  options.noise = 3;
  return options;
}

char *
learned_describe (const LearnerClass *class, const LearnOptions *o, int atoms)
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
    o->shrink, o->noise, o->window, o->stride, o->rate);
  return g_string_free (text, FALSE);
}

Dictionary *
learned_dictionary (const Learner *learner, Mat *A, int patch, int channels)
{
  Dictionary *dictionary = dictionary_new (patch, channels, A->cols);

  mat_normalise_columns (A);
  mat_to_float (A, &dictionary->atoms);
  dictionary->algorithm = g_strdup (learner->class->name);
  dictionary->seed = learner->options.seed;
  dictionary->samples = learner_status (learner)->samples;
  return dictionary;
}
