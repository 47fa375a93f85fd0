/* file.c - whole files; GLib does the work */
#include "imaging/api/api.h"

/* Permissions of a new file, before the umask applies. */
#define FILE_MODE 0666

GBytes *
read_whole_file (const char *path, GError **error)
{
  g_autoptr (GError) trouble = NULL;
  char *data;
  gsize size;

  if (g_file_get_contents (path, &data, &size, &trouble))
    return g_bytes_new_take (data, size);
  tessera_fail (error,
                g_error_matches (trouble, G_FILE_ERROR, G_FILE_ERROR_NOMEM)
                  ? TESSERA_ERROR_MEMORY
                  : TESSERA_ERROR_INPUT,
                "%s", trouble->message);
  return NULL;
}

gboolean
write_whole_file (const char *path, GBytes *bytes, GError **error)
{
  g_autoptr (GError) trouble = NULL;
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  return g_file_set_contents_full (
           path, data != NULL ? data : "", (gssize) size,
           G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
           FILE_MODE, &trouble)
         || tessera_fail (error, TESSERA_ERROR_FAILED, "%s", trouble->message);
}
