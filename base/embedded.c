#include "base/embedded.h"

/* GLib registers all resources when the first one is asked for.  A thread that
 * asks while another one is at that gets NULL, as of GLib 2.74, and asks
 * again. */
GBytes *
embedded_file (GResource *(*get_resource) (void), const char *path)
{
  GResource *resource = get_resource ();

  while (resource == NULL) {
    g_thread_yield ();
    resource = get_resource ();
  }
  return g_resource_lookup_data (resource, path, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                 NULL);
}
