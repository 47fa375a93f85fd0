#include "app/files/files.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file of the largest accepted picture is smaller. */
#define MAX_BYTES ((gsize) 1 << 30)

#define FIRST_BYTES ((gsize) 1 << 16)

static void
ignore (int number)
{
  (void) number;
}

void
files_init (void)
{
  /* Opened the wrong way round, so that using them fails as it should. */
  static const int flags[] = { O_WRONLY, O_RDONLY, O_RDONLY };
  /* A handler, unlike SIG_IGN, is not passed on to programs we start. */
  struct sigaction action = { .sa_handler = ignore, .sa_flags = SA_RESTART };

  sigaction (SIGXFSZ, &action, NULL);
  for (int fd = 0; fd < (int) G_N_ELEMENTS (flags); fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", flags[fd]) < 0)
      return;
}

gboolean
is_dash (const char *path)
{
  return g_str_equal (path, "-");
}

const char *
input_name (const char *path)
{
  return is_dash (path) ? "standard input" : path;
}

const char *
output_name (const char *path)
{
  return is_dash (path) ? "standard output" : path;
}

/* ---- reading ---- */

static void
set_read_error (GError **error)
{
  int code = errno == ENOMEM ? TESSERA_ERROR_MEMORY : TESSERA_ERROR_INPUT;

  g_set_error (error, TESSERA_ERROR, code, "cannot be read: %s",
               g_strerror (errno));
}

static GBytes *
refuse_size (GError **error)
{
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
               "larger than %" G_GSIZE_FORMAT " MiB, which no picture or "
               "dictionary needs",
               MAX_BYTES >> 20);
  return NULL;
}

/* How much to make room for at first: the size of a file, and one byte more to
 * see its end.  Pipes and devices do not know theirs. */
static gsize
guess_size (int fd)
{
  struct stat info;

  if (fstat (fd, &info) != 0 || !S_ISREG (info.st_mode))
    return FIRST_BYTES;
  return (gsize) MIN (info.st_size, (off_t) MAX_BYTES) + 1;
}

/* Doubles @room, but to no more than what shows that a file is too large.
 * FALSE with errno set when there is not enough memory. */
static gboolean
grow (guint8 **data, gsize *room)
{
  gsize wanted = MIN (2 * *room, MAX_BYTES + 1);
  guint8 *larger = g_try_realloc (*data, wanted);

  if (larger == NULL) {
    errno = ENOMEM;
    return FALSE;
  }
  *data = larger;
  *room = wanted;
  return TRUE;
}

static gssize
read_some (int fd, guint8 *data, gsize size)
{
  gssize got;

  do
    got = read (fd, data, size);
  while (got < 0 && errno == EINTR);
  return got;
}

GBytes *
descriptor_read (int fd, GError **error)
{
  gsize size = 0, room = guess_size (fd);
  g_autofree guint8 *data = NULL;
  gssize got;

  if (room > MAX_BYTES)
    return refuse_size (error);
  data = g_try_malloc (room);
  got = data != NULL ? 1 : -1;
  while (got > 0 && size <= MAX_BYTES) {
    got = size < room || grow (&data, &room)
            ? read_some (fd, data + size, room - size)
            : -1;
    if (got > 0)
      size += (gsize) got;
  }
  if (got < 0) {
    set_read_error (error);
    return NULL;
  }
  if (size > MAX_BYTES)
    return refuse_size (error);
  return g_bytes_new_take (g_steal_pointer (&data), size);
}

static GBytes *
read_stdin (GError **error)
{
  if (!isatty (STDIN_FILENO))
    return descriptor_read (STDIN_FILENO, error);
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                       "is a terminal; pipe a picture into it or name "
                       "a file");
  return NULL;
}

static GBytes *
read_path (const char *path, GError **error)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  GBytes *bytes;

  if (fd < 0) {
    set_read_error (error);
    return NULL;
  }
  bytes = descriptor_read (fd, error);
  close (fd);
  return bytes;
}

int
file_open_plain (int folder, const char *name, struct stat *info)
{
  int fd = openat (folder, name,
                   O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

  if (fd >= 0 && fstat (fd, info) == 0 && S_ISREG (info->st_mode))
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

GBytes *
file_read (const char *path, GError **error)
{
  GBytes *bytes =
    is_dash (path) ? read_stdin (error) : read_path (path, error);

  if (bytes == NULL)
    g_prefix_error (error, "%s: ", input_name (path));
  return bytes;
}

/* ---- writing ---- */

gboolean
write_all (int fd, const void *data, gsize size)
{
  const guint8 *rest = data;

  while (size > 0) {
    gssize written = write (fd, rest, size);

    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return FALSE;
    rest += written;
    size -= (gsize) written;
  }
  return TRUE;
}

static gboolean
set_stdout_error (GError **error)
{
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_FAILED,
               "standard output: cannot be written: %s", g_strerror (errno));
  return FALSE;
}

gboolean
stdout_write (const void *data, gsize size, GError **error)
{
  return write_all (STDOUT_FILENO, data, size) || set_stdout_error (error);
}

gboolean
stdout_close (GError **error)
{
  return close (STDOUT_FILENO) == 0 || set_stdout_error (error);
}
