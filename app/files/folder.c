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

gboolean
folder_check_writable (const char *path, GError **error)
{
  if (faccessat (AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0)
    return TRUE;
  return refuse (error, path, "cannot write into this folder: %s",
                 g_strerror (errno));
}

int
folder_open (const char *path, GError **error)
{
  int fd = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    refuse (error, path, "cannot open this folder: %s", g_strerror (errno));
  return fd;
}

static int
open_path (int folder, const char *name)
{
  return openat (folder, name,
                 O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* "PATH: reason", where a folder below another could not be opened. */
static void
refuse_step (GError **error, int folder, const char *name, const char *path)
{
  int reason = errno;
  struct stat info;

  if (fstatat (folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0
      && S_ISLNK (info.st_mode))
    refuse (error, path, "is a link, which is not followed here; remove it");
  else
    refuse (error, path, "cannot open this folder: %s", g_strerror (reason));
}

/* One step down from @folder, which is closed.  @path is for messages. */
static int
step_down (int folder, const char *name, const char *path, FolderNeed need,
           GError **error)
{
  int next = -1;

  if (need == FOLDER_MUST_EXIST || mkdirat (folder, name, 0777) == 0
      || errno == EEXIST)
    next = open_path (folder, name);
  if (next < 0)
    refuse_step (error, folder, name, path);
  close (folder);
  return next;
}

int
folder_open_below (const char *root, const char *name, FolderNeed need,
                   GError **error)
{
  g_auto (GStrv) words = g_strsplit (name, G_DIR_SEPARATOR_S, -1);
  g_autoptr (GString) path = g_string_new (root);
  int fd = folder_open (root, error);

  for (int i = 0; fd >= 0 && words[i] != NULL; i++) {
    if (*words[i] == '\0' || g_str_equal (words[i], "."))
      continue;
    g_string_append_printf (path, G_DIR_SEPARATOR_S "%s", words[i]);
    fd = step_down (fd, words[i], path->str, need, error);
  }
  return fd;
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
