/* embedded.h - files inside the program or the library, as GResource */
#pragma once

#include <gio/gio.h>

/* The file @path, for g_bytes_unref(); NULL if there is none.  @get_resource is
 * what glib-compile-resources generated.  May be called from any thread. */
GBytes *embedded_file (GResource *(*get_resource) (void), const char *path);
