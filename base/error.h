/* error.h - the one error domain of the library
 *
 * The code that detects an error writes the message: what went wrong, with
 * which file, and what to do about it, in one line without a final full stop.
 * Callers only pass it on.  Domain and codes are the public ones.
 */
#pragma once

#include "include/tessera.h"

/* Sets @error and returns FALSE: for "return tessera_fail (...)". */
gboolean tessera_fail (GError **error, TesseraError code, const char *format,
                       ...) G_GNUC_PRINTF (3, 4);

/* Memory for @count elements of @size bytes, where the count comes from data:
 * unlike g_malloc(), this does not end the program when there is not enough.
 * NULL then, with @error set (MEMORY): "not enough memory for WHAT".  Free the
 * result with g_free(). */
gpointer tessera_alloc (gsize count, gsize size, const char *what,
                        GError **error);

/* Ends the program as g_malloc() does when it finds no memory, for libraries
 * that report it in their own way.  The message has this domain. */
#define TESSERA_MEMORY_DOMAIN "tessera-memory"
G_NORETURN void tessera_abort_without_memory (void);

/* The same, zeroed. */
gpointer tessera_alloc0 (gsize count, gsize size, const char *what,
                         GError **error);

#define tessera_try_new(type, count, what, error)                             \
  ((type *) tessera_alloc (MAX (1, (gsize) (count)), sizeof (type), (what),   \
                           (error)))
#define tessera_try_new0(type, count, what, error)                            \
  ((type *) tessera_alloc0 (MAX (1, (gsize) (count)), sizeof (type), (what),  \
                            (error)))
