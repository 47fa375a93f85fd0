#include "app/files/tempfolder.h"

#include "app/files/files.h"
#include "base/error.h"

#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* While a tree of folders is removed. */
#define MOST_OPEN_FOLDERS 16

#define PREFIX "tessera-"
#define RANDOM_LETTERS "XXXXXX"

/* In the folder, and locked as long as its process lives. */
#define LOCK_NAME "lock"
#define MARKER "a temporary folder of tessera; it may be removed\n"

struct TempFolder {
  char *path;
  int lock_fd; /* -1 for none */
};

static int
remove_entry (const char *path, const struct stat *info, int type,
              struct FTW *level)
{
  (void) info, (void) type, (void) level;
  g_remove (path);
  return 0; /* go on */
}

void
temp_folder_remove_tree (const char *path)
{
  nftw (path, remove_entry, MOST_OPEN_FOLDERS,
        FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* ---- the marker ---- */

/* Marks the folder and locks it for as long as this process lives.  The file
 * gets its name when that is done: nobody takes the folder for one that is
 * left over.  Without a lock nobody ever clears the folder, which does no
 * harm. */
static int
lock_folder (const char *folder)
{
  g_autofree char *new = g_build_filename (folder, LOCK_NAME ".new", NULL);
  g_autofree char *path = g_build_filename (folder, LOCK_NAME, NULL);
  int fd = open (new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0
      && write_all (fd, MARKER, strlen (MARKER)) && rename (new, path) == 0)
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

/* Whether the open file is our marker, and no process locks it. */
static gboolean
is_free_marker (int fd, const struct stat *info)
{
  g_autoptr (GBytes) content = NULL;

  if (info->st_uid != geteuid () || info->st_size != strlen (MARKER))
    return FALSE;
  content = descriptor_read (fd, NULL);
  return content != NULL && g_bytes_get_size (content) == strlen (MARKER)
         && memcmp (g_bytes_get_data (content, NULL), MARKER, strlen (MARKER))
              == 0
         && flock (fd, LOCK_EX | LOCK_NB) == 0;
}

/* ---- folders of processes that are gone ---- */

/* "tessera-" and as many letters and digits as temp_folder_new() adds. */
static gboolean
is_our_name (const char *name)
{
  if (!g_str_has_prefix (name, PREFIX)
      || strlen (name) != strlen (PREFIX RANDOM_LETTERS))
    return FALSE;
  for (name += strlen (PREFIX); *name != '\0'; name++)
    if (!g_ascii_isalnum (*name))
      return FALSE;
  return TRUE;
}

/* Whether a folder was made here, by a process that is gone. */
static gboolean
is_left_over (const char *path)
{
  int folder = open (path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  int fd = -1;
  gboolean left_over;

  if (folder < 0)
    return FALSE;
  if (fstat (folder, &info) == 0 && info.st_uid == geteuid ()
      && (info.st_mode & 07777) == 0700)
    fd = file_open_plain (folder, LOCK_NAME, &info);
  close (folder);
  if (fd < 0)
    return FALSE;
  left_over = is_free_marker (fd, &info);
  close (fd);
  return left_over;
}

static gpointer
clear_left_over (gpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (g_get_tmp_dir (), 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (g_get_tmp_dir (), name, NULL);

    if (is_our_name (name) && is_left_over (path))
      temp_folder_remove_tree (path);
  }
  return data;
}

/* ---- a folder ---- */

TempFolder *
temp_folder_new (GError **error)
{
  static GOnce cleared = G_ONCE_INIT;
  g_autofree char *path =
    g_build_filename (g_get_tmp_dir (), PREFIX RANDOM_LETTERS, NULL);
  TempFolder *self;

  g_once (&cleared, clear_left_over, NULL);
  if (g_mkdtemp (path) == NULL) {
    tessera_fail (error, TESSERA_ERROR_FAILED,
                  "%s: cannot create a folder for temporary files",
                  g_get_tmp_dir ());
    return NULL;
  }
  self = g_new0 (TempFolder, 1);
  self->lock_fd = lock_folder (path);
  self->path = g_steal_pointer (&path);
  return self;
}

void
temp_folder_free (TempFolder *self)
{
  if (self == NULL)
    return;
  temp_folder_remove_tree (self->path);
  if (self->lock_fd >= 0)
    close (self->lock_fd);
  g_free (self->path);
  g_free (self);
}

const char *
temp_folder_path (const TempFolder *self)
{
  return self->path;
}
