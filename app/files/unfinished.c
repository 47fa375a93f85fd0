#include "app/files/unfinished.h"

#include "app/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Names that are tried, should one of them be taken. */
#define NAME_TRIES 100

static GMutex lock;
static char *pending; /* path of the file, NULL for none */

int
unfinished_open (const char *folder)
{
  int fd = -1;

  for (int try = 0; fd < 0 && try < NAME_TRIES; try++) {
    char *path =
      g_strdup_printf ("%s/.tessera-%08x.tmp", folder, g_random_int ());

    g_mutex_lock (&lock);
    fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
      pending = g_steal_pointer (&path);
    g_mutex_unlock (&lock);
    g_free (path);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  return fd;
}

/* rename() that fails with EEXIST instead of replacing a file. */
static int
rename_to_new (const char *from, const char *to)
{
#ifdef RENAME_NOREPLACE
  if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
#endif
  /* Not every file system can do that, but nearly all have hard links. */
  if (link (from, to) != 0)
    return -1;
  return unlink (from);
}

gboolean
unfinished_commit (const char *path, UnfinishedMode mode)
{
  int status;
  int saved_errno;

  g_mutex_lock (&lock);
  status = mode == REPLACE_EXISTING ? rename (pending, path)
                                    : rename_to_new (pending, path);
  saved_errno = errno;
  if (status == 0)
    g_clear_pointer (&pending, g_free);
  g_mutex_unlock (&lock);
  errno = saved_errno;
  return status == 0;
}

void
unfinished_discard (void)
{
  g_mutex_lock (&lock);
  if (pending != NULL)
    unlink (pending);
  g_clear_pointer (&pending, g_free);
  g_mutex_unlock (&lock);
}

void
unfinished_exit (const char *message, int status)
{
  /* Never unlocked: nothing is made or moved after this. */
  g_mutex_lock (&lock);
  if (pending != NULL)
    unlink (pending);
  terminal_last_words (message);
  _exit (status);
}
