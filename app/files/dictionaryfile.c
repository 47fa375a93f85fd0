#include "app/files/dictionaryfile.h"

#include "app/files/files.h"
#include "app/files/output.h"
#include "base/error.h"
#include "dictlearn/builtin.h"

#define BUILTIN "builtin"
#define LEARNED "learned"
#define COSINES "cosines"
#define CONVOLUTIONAL "convolutional"
#define NOISE "noise"

const char *const dictionary_file_names[] = { BUILTIN, COSINES, LEARNED,
                                              CONVOLUTIONAL, NOISE, NULL };

gboolean
dictionary_file_is_builtin (const char *name)
{
  return g_str_equal (name, BUILTIN);
}

gboolean
dictionary_file_is_cosines (const char *name)
{
  return g_str_equal (name, COSINES);
}

Dictionary *
dictionary_file_load (const char *name, GError **error)
{
  return dictionary_file_load_as (name, LAYOUT_AUTO, error);
}

Dictionary *
dictionary_file_load_as (const char *name, DictionaryLayout layout,
                         GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  if (dictionary_file_is_builtin (name) || dictionary_file_is_cosines (name))
    return dictionary_cosines (3, error);
  if (g_str_equal (name, CONVOLUTIONAL))
    return dictionary_convolutional (error);
  if (g_str_equal (name, NOISE))
    return dictionary_noise (error);
  if (g_str_equal (name, LEARNED))
    return dictionary_learned (error);
  bytes = file_read (name, error);
  if (bytes == NULL)
    return NULL;
  return dictionary_from_layout (bytes, input_name (name), layout, error);
}

typedef GBytes *(*Writer) (const Dictionary *dictionary, GError **error);

static Writer
writer_for (const char *path)
{
  if (g_str_has_suffix (path, ".npy"))
    return dictionary_to_npy;
  if (g_str_has_suffix (path, ".safetensors") || output_is_stream (path))
    return dictionary_to_safetensors;
  return NULL;
}

gboolean
dictionary_file_option_output (const Option *option, const char *text,
                               GError **error)
{
  if (!option_file (option, text, error))
    return FALSE;
  if (writer_for (text) != NULL)
    return TRUE;
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                       "the extension must be .safetensors or .npy");
  return FALSE;
}

GBytes *
dictionary_file_encode (const Dictionary *dictionary, const char *path,
                        GError **error)
{
  return writer_for (path) (dictionary, error);
}
