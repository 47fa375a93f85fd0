#include "dictlearn/builtin.h"

#include "base/embedded.h"
#include "dictlearn/initial.h"

#include <string.h>

#define BUILTIN_PATCH 10

/* From data/dictionaries/dictionaries.gresource.xml. */
extern GResource *dictionaries_get_resource (void);

Dictionary *
dictionary_cosines (int channels, GError **error)
{
  return dictionary_dct (BUILTIN_PATCH, channels, error);
}

static Dictionary *
dictionary_inside (const char *name, GError **error)
{
  g_autofree char *path =
    g_strdup_printf ("/tessera/dictionaries/%s.safetensors", name);
  g_autoptr (GBytes) bytes =
    embedded_file (dictionaries_get_resource, path);

  return dictionary_from_bytes (bytes, name, error);
}

Dictionary *
dictionary_learned (GError **error)
{
  return dictionary_inside ("learned", error);
}

Dictionary *
dictionary_learned_and_cosines (GError **error)
{
  g_autoptr (Dictionary) learned = dictionary_learned (error);
  g_autoptr (Dictionary) cosines = NULL;
  Dictionary *both;
  int first;

  if (learned == NULL)
    return NULL;
  first = learned->atoms.cols;
  cosines = dictionary_cosines (learned->channels, error);
  if (cosines == NULL)
    return NULL;
  both = dictionary_new (learned->patch, learned->channels,
                         first + cosines->atoms.cols, error);
  if (both == NULL)
    return NULL;
  for (int j = 0; j < both->atoms.cols; j++)
    memcpy (matf_at (&both->atoms, 0, j),
            j < first ? matf_at (&learned->atoms, 0, j)
                      : matf_at (&cosines->atoms, 0, j - first),
            (gsize) both->atoms.rows * sizeof (float));
  return both;
}

Dictionary *
dictionary_noise (GError **error)
{
  return dictionary_inside ("noise", error);
}

Dictionary *
dictionary_convolutional (GError **error)
{
  return dictionary_inside ("convolutional", error);
}
