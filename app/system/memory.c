#include "app/system/memory.h"

#include "app/files/unfinished.h"
#include "app/exitstatus.h"
#include "base/error.h"

#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* GLib calls this, among other things, before it aborts: for lack of memory or
 * of a thread.  Its messages have no codes; bugs aside, it aborts for nothing
 * else. */
static void
on_message (const char *domain, GLogLevelFlags level, const char *message,
            gpointer data)
{
  if ((level & G_LOG_LEVEL_ERROR) == 0) {
    g_log_default_handler (domain, level, message, data);
    return;
  }
  if (g_strcmp0 (domain, "GLib") == 0
      || g_strcmp0 (domain, TESSERA_MEMORY_DOMAIN) == 0)
    unfinished_exit ("not enough memory", exit_status (TESSERA_ERROR_MEMORY));
  unfinished_exit (message, exit_status (TESSERA_ERROR_FAILED));
}

MEMORY_NO_SANITIZER gboolean
memory_is_limited (void)
{
  struct rlimit space;

  return getrlimit (RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

void
memory_init (void)
{
  g_log_set_default_handler (on_message, NULL);
#ifdef M_ARENA_MAX
  /* By default each thread sets aside 64 MB of addresses for its own use. */
  if (memory_is_limited ())
    mallopt (M_ARENA_MAX, 1);
#endif
}

/* ---- how much there is ---- */

/* The number in a file, or the largest one if there is none: "max" means that
 * there is no limit. */
static guint64
read_limit (const char *path)
{
  g_autofree char *text = NULL;
  guint64 value = G_MAXUINT64;

  if (!g_file_get_contents (path, &text, NULL, NULL)
      || !g_ascii_string_to_unsigned (g_strstrip (text), 10, 0, G_MAXUINT64,
                                      &value, NULL))
    return G_MAXUINT64;
  return value;
}

/* The least limit of the cgroup @group and of those that it is in, in files
 * called @name below @folder. */
static guint64
limit_of_group (const char *folder, const char *group, const char *name)
{
  g_autofree char *path = g_strdup (group);
  guint64 least = G_MAXUINT64;

  for (;;) {
    g_autofree char *file = g_build_filename (folder, path, name, NULL);
    char *slash = strrchr (path, '/');

    least = MIN (least, read_limit (file));
    if (slash == NULL)
      return least;
    *slash = '\0';
  }
}

/* A line of /proc/self/cgroup is NUMBER:CONTROLLERS:GROUP.  Version 2 has no
 * controllers there, version 1 has a tree for each. */
static guint64
limit_of_line (const char *root, const char *line)
{
  g_auto (GStrv) parts = g_strsplit (line, ":", 3);
  g_autofree char *folder = g_strconcat (root, "/sys/fs/cgroup", NULL);
  g_auto (GStrv) controllers = NULL;

  if (g_strv_length (parts) < 3)
    return G_MAXUINT64;
  if (*parts[1] == '\0')
    return limit_of_group (folder, parts[2], "memory.max");
  controllers = g_strsplit (parts[1], ",", -1);
  if (!g_strv_contains ((const char *const *) controllers, "memory"))
    return G_MAXUINT64;
  g_free (folder);
  folder = g_strconcat (root, "/sys/fs/cgroup/memory", NULL);
  return limit_of_group (folder, parts[2], "memory.limit_in_bytes");
}

gsize
memory_size (const char *root)
{
  guint64 least =
    (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);
  g_autofree char *file = g_strconcat (root, "/proc/self/cgroup", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (file, &text, NULL, NULL))
    return least;
  lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    least = MIN (least, limit_of_line (root, lines[i]));
  return least;
}
