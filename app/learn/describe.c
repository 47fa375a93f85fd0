#include "app/learn/describe.h"

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
  if (o->first_samples > 0)
    g_string_append_printf (text, " --first %d", o->first_samples);
  if (o->textbook)
    g_string_append (text, " --textbook");
  return g_string_free (text, FALSE);
}
