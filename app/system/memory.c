#include "app/system/memory.h"

#include "app/files/unfinished.h"
#include "app/exitstatus.h"

#include <malloc.h>
#include <string.h>
#include <sys/resource.h>

/* GLib calls this, among other things, before it aborts for want of memory or
 * of a thread. */
static void
on_message (const char *domain, GLogLevelFlags level, const char *message,
            gpointer data)
{
  if ((level & G_LOG_LEVEL_ERROR) == 0) {
    g_log_default_handler (domain, level, message, data);
    return;
  }
  if (strstr (message, "alloc") != NULL || strstr (message, "thread") != NULL)
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
