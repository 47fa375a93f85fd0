#include "app/system/program.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between two looks at the child, microseconds: short for programs that take
 * milliseconds, long for those that take minutes. */
#define SHORTEST_PAUSE 1000
#define LONGEST_PAUSE 50000

/* Of what the child wrote, as much is looked at and quoted. */
#define TAIL_BYTES 4096
#define QUOTED_CHARACTERS 200

/* Runs in the child. */
static void
set_up_child (gpointer data)
{
  (void) data;
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

static gboolean
start (const ProgramOptions *options, GPid *child, GError **error)
{
  g_autoptr (GError) why = NULL;
  int words = open (options->words, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                    0600);
  gboolean ok;

  if (words < 0)
    return tessera_fail (error, TESSERA_ERROR_FAILED, "%s: %s", options->words,
                         g_strerror (errno));
  ok = g_spawn_async_with_fds (
    NULL, options->argv, NULL,
    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD
      | G_SPAWN_STDOUT_TO_DEV_NULL,
    set_up_child, NULL, child, -1, -1, words, &why);
  close (words);
  return ok || tessera_fail (error, TESSERA_ERROR_FAILED, "%s", why->message);
}

static void
end (GPid child)
{
  kill (-child, SIGKILL);
  kill (child, SIGKILL); /* it may not have its own group yet */
  while (waitpid (child, NULL, 0) < 0 && errno == EINTR)
    ;
}

/* Waits, until it has ended, its time is over, or the work is cancelled. */
static gboolean
await (GPid child, double limit, gint64 began, int *status,
       const Progress *progress, GError **error)
{
  gulong pause = SHORTEST_PAUSE;

  for (;;) {
    pid_t ended = waitpid (child, status, WNOHANG);

    if (ended == child)
      return TRUE;
    if (ended < 0 && errno != EINTR)
      return tessera_fail (error, TESSERA_ERROR_FAILED, "cannot wait: %s",
                           g_strerror (errno));
    if (!progress_step (progress, 0, error)) {
      end (child);
      return FALSE;
    }
    if ((double) (g_get_monotonic_time () - began) > limit * G_USEC_PER_SEC) {
      end (child);
      return tessera_fail (error, TESSERA_ERROR_LIMIT,
                           "was ended after %g seconds", limit);
    }
    g_usleep (pause);
    pause = MIN (LONGEST_PAUSE, pause + pause / 4);
  }
}

/* The last line of a file that is not empty, made readable; NULL if there is
 * none. */
static char *
last_line (const char *path)
{
  g_autofree char *text = NULL;
  g_autofree char *valid = NULL;
  g_auto (GStrv) lines = NULL;
  gsize size;

  if (!g_file_get_contents (path, &text, &size, NULL))
    return NULL;
  valid = g_utf8_make_valid (text + (size > TAIL_BYTES ? size - TAIL_BYTES : 0),
                             -1);
  lines = g_strsplit (g_strchomp (valid), "\n", -1);
  for (guint i = g_strv_length (lines); i > 0; i--) {
    char *line = g_strstrip (lines[i - 1]);

    if (*line != '\0')
      return g_utf8_substring (
        line, 0, MIN (QUOTED_CHARACTERS, g_utf8_strlen (line, -1)));
  }
  return NULL;
}

static gboolean
judge (int status, const char *words, GError **error)
{
  g_autofree char *line = NULL;

  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return TRUE;
  line = last_line (words);
  if (WIFEXITED (status))
    return tessera_fail (error, TESSERA_ERROR_FAILED, "exit code %d%s%s",
                         WEXITSTATUS (status), line != NULL ? ": " : "",
                         line != NULL ? line : "");
  return tessera_fail (error, TESSERA_ERROR_FAILED, "ended by signal %d%s%s",
                       WTERMSIG (status), line != NULL ? ": " : "",
                       line != NULL ? line : "");
}

gboolean
program_run (const ProgramOptions *options, double *seconds,
             const Progress *progress, GError **error)
{
  gint64 began = g_get_monotonic_time ();
  GPid child;
  int status = 0;

  if (!start (options, &child, error)
      || !await (child, options->limit, began, &status, progress, error))
    return FALSE;
  *seconds = (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
  return judge (status, options->words, error);
}
