#include "app/files/folder.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
refuse (GError **error, const char *path, const char *format, ...)
{
  g_autofree char *reason = NULL;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_FAILED, "%s: %s", path,
               reason);
  return FALSE;
}

static gboolean
check_existing (const char *path, gboolean force, GError **error)
{
  g_autoptr (GDir) dir = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return refuse (error, path, "is a file; name a folder");
  dir = g_dir_open (path, 0, NULL);
  if (dir == NULL || faccessat (AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0)
    return refuse (error, path, "cannot write into this folder: %s",
                   g_strerror (errno));
  if (!force && g_dir_read_name (dir) != NULL)
    return refuse (error, path,
                   "this folder is not empty; use --force to "
                   "replace files in it");
  return TRUE;
}

gboolean
folder_prepare (const char *path, gboolean force, FolderState *state,
                GError **error)
{
  *state = FOLDER_KEPT;
  if (mkdir (path, 0777) == 0) {
    *state = FOLDER_MADE;
    return TRUE;
  }
  if (errno == EEXIST)
    return check_existing (path, force, error);
  return refuse (error, path, "cannot create this folder: %s",
                 g_strerror (errno));
}

void
folder_undo (const char *path, FolderState state)
{
  if (state == FOLDER_MADE)
    rmdir (path);
}

gboolean
folder_make (const char *path, GError **error)
{
  if (g_mkdir_with_parents (path, 0777) == 0)
    return TRUE;
  return refuse (error, path, "cannot create this folder: %s",
                 g_strerror (errno));
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
folder_names (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  GPtrArray *names;
  const char *name;

  if (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOMEM))
    tessera_abort_without_memory ();
  if (dir == NULL)
    return NULL;
  names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (name[0] != '.')
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_name);
  return names;
}
