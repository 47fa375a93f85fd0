/* unfinished.c - a file without a name, where the file system has that
 *
 * A file that is opened with O_TMPFILE has no name until it is linked to one:
 * whatever ends the program before, the system removes it.  linkat() does not
 * replace a file, so one that is to be replaced needs a hidden name for the
 * moment between linkat() and rename().  Other file systems need that name
 * from the start.
 */
#include "app/files/unfinished.h"

#include "app/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Names that are tried, should one of them be taken. */
#define NAME_TRIES 100

#define NAME_FORMAT ".tessera-%08x.tmp"

static GMutex lock;
static _Thread_local gboolean is_locker; /* this thread has the lock */
static int pending_folder = -1;          /* where it is, not ours to close */
static int pending_fd = -1;              /* of the file, -1 for none */
static char *pending;                    /* its name, NULL while it has none */

static void
take_lock (void)
{
  g_mutex_lock (&lock);
  is_locker = TRUE;
}

static void
leave_lock (void)
{
  is_locker = FALSE;
  g_mutex_unlock (&lock);
}

/* The name by which the system knows an open file. */
typedef char DescriptorPath[32];

static void
descriptor_path (int fd, DescriptorPath path)
{
  g_snprintf (path, sizeof (DescriptorPath), "/proc/self/fd/%d", fd);
}

/* A file in the folder without a name, or -1 if there can be none, or none
 * that could be given a name later. */
static int
open_nameless (void)
{
#ifdef O_TMPFILE
  int fd =
    openat (pending_folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  DescriptorPath path;

  if (fd < 0)
    return -1;
  descriptor_path (fd, path);
  if (faccessat (AT_FDCWD, path, F_OK, 0) == 0)
    return fd;
  close (fd);
#endif
  return -1;
}

/* Calls @make with hidden names until one of them is free, which becomes the
 * pending one.  Returns what @make does, -1 with errno set if it fails. */
static int
make_hidden (int (*make) (const char *name))
{
  int result = -1;

  for (int try = 0; result < 0 && try < NAME_TRIES; try++) {
    g_autofree char *name = g_strdup_printf (NAME_FORMAT, g_random_int ());

    result = make (name);
    if (result >= 0)
      pending = g_steal_pointer (&name);
    else if (errno != EEXIST)
      break;
  }
  return result;
}

static int
open_new (const char *name)
{
  return openat (pending_folder, name,
                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int
unfinished_open (int folder)
{
  take_lock ();
  pending_folder = folder;
  pending_fd = open_nameless ();
  if (pending_fd < 0)
    pending_fd = make_hidden (open_new);
  leave_lock ();
  return pending_fd;
}

/* ---- giving it its name ---- */

/* Gives the nameless file a name; EEXIST if that is taken. */
static int
link_pending (const char *name)
{
  DescriptorPath from;

  descriptor_path (pending_fd, from);
  return linkat (AT_FDCWD, from, pending_folder, name, AT_SYMLINK_FOLLOW);
}

/* rename() that fails with EEXIST instead of replacing a file. */
static int
rename_to_new (const char *name)
{
#ifdef RENAME_NOREPLACE
  if (renameat2 (pending_folder, pending, pending_folder, name,
                 RENAME_NOREPLACE)
      == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
#endif
  /* Not every file system can do that, but nearly all have hard links. */
  if (linkat (pending_folder, pending, pending_folder, name, 0) != 0)
    return -1;
  return unlinkat (pending_folder, pending, 0);
}

static int
move_pending (const char *name, UnfinishedMode mode)
{
  if (pending == NULL) {
    if (link_pending (name) == 0)
      return 0;
    if (errno != EEXIST || mode == KEEP_EXISTING
        || make_hidden (link_pending) != 0)
      return -1;
  }
  return mode == REPLACE_EXISTING
           ? renameat (pending_folder, pending, pending_folder, name)
           : rename_to_new (name);
}

/* Closes the file; it may turn out only now that it was not written. */
static int
close_pending (void)
{
  int status = pending_fd >= 0 ? close (pending_fd) : 0;

  pending_fd = -1;
  return status;
}

gboolean
unfinished_commit (const char *name, UnfinishedMode mode)
{
  int status, saved_errno;

  take_lock ();
  status = pending != NULL ? close_pending () : 0;
  if (status == 0)
    status = move_pending (name, mode);
  saved_errno = errno;
  if (status == 0) {
    close_pending ();
    g_clear_pointer (&pending, g_free);
  }
  leave_lock ();
  errno = saved_errno;
  return status == 0;
}

void
unfinished_discard (void)
{
  take_lock ();
  close_pending ();
  if (pending != NULL)
    unlinkat (pending_folder, pending, 0);
  g_clear_pointer (&pending, g_free);
  leave_lock ();
}

void
unfinished_exit (const char *message, int status)
{
  /* Never unlocked: nothing is made or moved after this.  The thread that has
   * the lock comes here when it lacks the memory for a name. */
  if (!is_locker)
    take_lock ();
  if (pending != NULL)
    unlinkat (pending_folder, pending, 0);
  terminal_last_words (message);
  _exit (status);
}
