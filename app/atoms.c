#include "app/atoms.h"

#include "app/files.h"
#include "dictlearn/starts.h"

#define BUILTIN_PATCH 10
#define BUILTIN_CHANNELS 3

gboolean
atoms_is_builtin (const char *name)
{
  return g_str_equal (name, "builtin");
}

Dictionary *
atoms_builtin (void)
{
  return dictionary_dct (BUILTIN_PATCH, BUILTIN_CHANNELS);
}

Dictionary *
atoms_load (const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  if (atoms_is_builtin (name))
    return atoms_builtin ();
  bytes = file_read (name, error);
  if (bytes == NULL)
    return NULL;
  return dictionary_from_bytes (bytes, input_name (name), error);
}
