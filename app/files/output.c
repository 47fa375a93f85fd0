#include "app/files/output.h"

#include "app/files/files.h"
#include "app/cli/interrupt.h"
#include "base/error.h"
#include "base/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many links in a row as Linux follows. */
#define MAX_LINKS 40

/* Sets "PATH: cannot be written: reason"; returns FALSE. */
static gboolean
set_write_error (GError **error, const char *path)
{
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_FAILED,
               "%s: cannot be written: %s", output_name (path),
               g_strerror (errno));
  return FALSE;
}

static gboolean
set_failed (GError **error, const char *path, const char *message)
{
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_FAILED, "%s: %s",
               output_name (path), message);
  return FALSE;
}

static gboolean
set_exists (GError **error, const char *path)
{
  return set_failed (error, path, "already exists; use --force to replace it");
}

/* ---- where it goes ---- */

/* What a symbolic link at @path points to; NULL if there is none. */
static char *
follow_link (const char *path)
{
  g_autofree char *text = g_file_read_link (path, NULL);
  g_autofree char *folder = NULL;

  if (text == NULL || g_path_is_absolute (text))
    return g_steal_pointer (&text);
  folder = g_path_get_dirname (path);
  return g_build_filename (folder, text, NULL);
}

/* Whether @path is a link that somebody else has put into a folder to which
 * everybody may write.  Linux does not follow such links, for they are traps;
 * here they are followed without it. */
static gboolean
is_foreign_link (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  struct stat link, around;

  if (lstat (path, &link) != 0 || !S_ISLNK (link.st_mode)
      || stat (folder, &around) != 0)
    return FALSE;
  return (around.st_mode & S_ISVTX) != 0 && (around.st_mode & S_IWOTH) != 0
         && link.st_uid != geteuid () && link.st_uid != around.st_uid;
}

/* Where the file really goes.  Unlike realpath(), this works for a file that
 * is not there yet.  NULL with @error set if a link must not be followed. */
static char *
resolve (const char *path, GError **error)
{
  g_autofree char *target = g_strdup (path);

  for (int i = 0; i < MAX_LINKS; i++) {
    g_autofree char *next = follow_link (target);

    if (next == NULL)
      break;
    if (is_foreign_link (target)) {
      set_failed (error, path,
                  "is a link that another user has put into a shared folder; "
                  "name another file");
      return NULL;
    }
    g_free (target);
    target = g_steal_pointer (&next);
  }
  return g_steal_pointer (&target);
}

gboolean
output_is_stream (const char *path)
{
  struct stat info;

  if (is_dash (path))
    return TRUE;
  return stat (path, &info) == 0
         && (S_ISCHR (info.st_mode) || S_ISFIFO (info.st_mode));
}

/* ---- checks ---- */

static gboolean
check_folder (const char *path, const char *target, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (target);
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_FAILED,
                 "%s: there is no folder '%s'; create it first", path, folder);
  else if (faccessat (AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_FAILED,
                 "%s: cannot write into the folder '%s': %s", path, folder,
                 g_strerror (errno));
  else
    return TRUE;
  return FALSE;
}

gboolean
output_check (const char *path, gboolean force, GError **error)
{
  g_autofree char *target = resolve (path, error);
  struct stat info;

  if (target == NULL)
    return FALSE;
  if (is_dash (path) && isatty (STDOUT_FILENO))
    return set_failed (error, path,
                       "is a terminal; redirect it or name a file");
  if (output_is_stream (path))
    return TRUE;
  if (stat (target, &info) == 0) {
    if (S_ISDIR (info.st_mode))
      return set_failed (error, path, "is a folder; name a file in it");
    if (!S_ISREG (info.st_mode))
      return set_failed (error, path, "is not an ordinary file");
    if (!force)
      return set_exists (error, path);
  } else if (errno == ELOOP) {
    return set_write_error (error, path);
  }
  return check_folder (path, target, error);
}

/* Device and inode, or nothing for what is not an ordinary file. */
static gboolean
identify (const char *path, int standard_fd, struct stat *info)
{
  int status = is_dash (path) ? fstat (standard_fd, info) : stat (path, info);

  return status == 0 && S_ISREG (info->st_mode);
}

static gboolean
same_inode (const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static gboolean
is_same_file (const char *input, const char *output)
{
  struct stat a, b;

  return identify (input, STDIN_FILENO, &a)
         && identify (output, STDOUT_FILENO, &b) && same_inode (&a, &b);
}

static gboolean
is_same_name (const char *path, const char *other)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *other_name = g_path_get_basename (other);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *other_folder = g_path_get_dirname (other);
  struct stat a, b;

  return g_str_equal (name, other_name) && stat (folder, &a) == 0
         && stat (other_folder, &b) == 0 && same_inode (&a, &b);
}

/* Files that are not there yet are the same if they have the same name in the
 * same folder. */
static gboolean
is_same_place (const char *path, const char *other)
{
  g_autofree char *target = resolve (path, NULL);
  g_autofree char *other_target = resolve (other, NULL);

  if (is_dash (path) || is_dash (other))
    return g_str_equal (path, other);
  return target != NULL && other_target != NULL
         && is_same_name (target, other_target) && !output_is_stream (path);
}

gboolean
output_check_distinct (const GPtrArray *inputs, const GPtrArray *outputs,
                       GError **error)
{
  for (guint i = 0; i < outputs->len; i++) {
    const char *output = outputs->pdata[i];

    for (guint j = 0; j < inputs->len; j++)
      if (is_same_file (inputs->pdata[j], output)) {
        g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                     "%s: is also an input; write to another file",
                     output_name (output));
        return FALSE;
      }
    for (guint j = 0; j < i; j++)
      if (is_same_place (output, outputs->pdata[j])) {
        g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                     "%s: is given for two outputs; use two files",
                     output_name (output));
        return FALSE;
      }
  }
  return TRUE;
}

/* ---- writing ---- */

static gboolean
write_bytes (int fd, GBytes *data)
{
  gsize size;
  const void *bytes = g_bytes_get_data (data, &size);

  return write_all (fd, bytes, size);
}

/* Closes @fd, which may fail too.  If something did before, as @ok says, errno
 * stays with that. */
static gboolean
close_after (int fd, gboolean ok)
{
  int saved_errno = errno;

  if (close (fd) != 0 && ok)
    return FALSE;
  errno = saved_errno;
  return ok;
}

static gboolean
write_stream (const char *path, GBytes *data)
{
  int fd;

  if (is_dash (path))
    return write_bytes (STDOUT_FILENO, data);
  fd = open (path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  return fd >= 0 && close_after (fd, write_bytes (fd, data));
}

/* Gives the new file the owner, as far as we may, and the permissions of the
 * one that is there.  Comes before the first byte: a private file stays so. */
static gboolean
copy_permissions (int fd, const OutputPlace *place)
{
  struct stat info;

  if (fstatat (place->folder, place->name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT;
  if (!S_ISREG (info.st_mode))
    return TRUE;
  if (fchown (fd, info.st_uid, info.st_gid) != 0)
    info.st_mode &= (mode_t) ~(S_ISUID | S_ISGID);
  return fchmod (fd, info.st_mode & 07777) == 0;
}

static gboolean
write_pending (const OutputPlace *place, GBytes *data)
{
  int fd = unfinished_open (place->folder);

  return fd >= 0 && copy_permissions (fd, place) && write_bytes (fd, data)
         && fsync (fd) == 0;
}

/* After this the file survives a power cut under its final name.  Not every
 * file system can sync a folder, so a failure means nothing. */
static void
sync_folder (int folder)
{
  int fd = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return;
  fsync (fd);
  close (fd);
}

/* Whether what is there is what may be replaced. */
static gboolean
is_as_expected (const OutputPlace *place)
{
  const struct stat *expected = place->replaced;
  struct stat now;

  if (expected == NULL)
    return TRUE;
  return fstatat (place->folder, place->name, &now, AT_SYMLINK_NOFOLLOW) == 0
         && same_inode (expected, &now) && expected->st_size == now.st_size
         && expected->st_mtim.tv_sec == now.st_mtim.tv_sec
         && expected->st_mtim.tv_nsec == now.st_mtim.tv_nsec;
}

static gboolean
write_file (const OutputPlace *place, GBytes *data, GError **error)
{
  if (!write_pending (place, data))
    return set_write_error (error, place->path);
  if (g_cancellable_is_cancelled (interrupt_cancellable ())) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED,
                         "interrupted");
    return FALSE;
  }
  if (!is_as_expected (place))
    return set_exists (error, place->path);
  if (!unfinished_commit (place->name, place->mode))
    return errno == EEXIST ? set_exists (error, place->path)
                           : set_write_error (error, place->path);
  sync_folder (place->folder);
  return TRUE;
}

gboolean
output_write_at (const OutputPlace *place, GBytes *data, GError **error)
{
  static GMutex one_at_a_time; /* there is one unfinished file */
  gboolean ok;

  if (ranks_self () > 0)
    return TRUE;
  g_mutex_lock (&one_at_a_time);
  ok = write_file (place, data, error);
  if (!ok)
    unfinished_discard ();
  g_mutex_unlock (&one_at_a_time);
  return ok;
}

/* Writes to @target, which is no link; @path is what the user calls it. */
static gboolean
write_target (const char *path, const char *target, GBytes *data,
              UnfinishedMode mode, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (target);
  g_autofree char *name = g_path_get_basename (target);
  OutputPlace place = { .folder = open (folder, O_PATH | O_DIRECTORY
                                                  | O_CLOEXEC),
                        .name = name,
                        .path = path,
                        .mode = mode };
  gboolean ok;

  if (place.folder < 0)
    return set_write_error (error, path);
  ok = output_write_at (&place, data, error);
  close (place.folder);
  return ok;
}

gboolean
output_write (const char *path, GBytes *data, gboolean force, GError **error)
{
  g_autofree char *target = NULL;

  if (ranks_self () > 0)
    return TRUE;
  if (output_is_stream (path))
    return write_stream (path, data) || set_write_error (error, path);
  target = resolve (path, error);
  return target != NULL
         && write_target (path, target, data,
                          force ? REPLACE_EXISTING : KEEP_EXISTING, error);
}
