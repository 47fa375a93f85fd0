#include "base/error.h"

#include <stdlib.h>

GQuark
tessera_error_quark (void)
{
  return g_quark_from_static_string ("tessera-error-quark");
}

gboolean
tessera_fail (GError **error, TesseraError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_propagate_error (
    error, g_error_new_valist (TESSERA_ERROR, (int) code, format, args));
  va_end (args);
  return FALSE;
}

void
tessera_abort_without_memory (void)
{
  g_log (TESSERA_MEMORY_DOMAIN, G_LOG_LEVEL_ERROR, "not enough memory");
  abort ();
}

static gpointer
checked (gpointer memory, const char *what, GError **error)
{
  if (memory == NULL)
    tessera_fail (error, TESSERA_ERROR_MEMORY, "not enough memory for %s",
                  what);
  return memory;
}

gpointer
tessera_alloc (gsize count, gsize size, const char *what, GError **error)
{
  return checked (g_try_malloc_n (count, size), what, error);
}

gpointer
tessera_alloc0 (gsize count, gsize size, const char *what, GError **error)
{
  return checked (g_try_malloc0_n (count, size), what, error);
}
