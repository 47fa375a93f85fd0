/* error.h - the one error domain of the library
 *
 * Whoever detects an error words it: what went wrong, with which file, what to
 * do about it, in one line without a final stop.  Everyone above only passes
 * it on.  Domain and codes are those that users of the library see.
 */
#pragma once

#include "include/tessera.h"

/* Sets @error and returns FALSE: for "return tessera_fail (...)". */
gboolean tessera_fail (GError **error, TesseraError code, const char *format,
                       ...) G_GNUC_PRINTF (3, 4);

/* Memory for @count elements of @size bytes, where data says how many: unlike
 * g_malloc(), this does not end the program when there is not enough.  NULL
 * then, with @error set (MEMORY): "not enough memory for WHAT".  What is
 * returned is for g_free(). */
gpointer tessera_alloc (gsize count, gsize size, const char *what,
                        GError **error);

#define tessera_try_new(type, count, what, error)                             \
  ((type *) tessera_alloc (MAX (1, (gsize) (count)), sizeof (type), (what),   \
                           (error)))
