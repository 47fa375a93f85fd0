/* error.h - the one error domain of the library
 *
 * Whoever detects an error words it: what went wrong, with which file, what to
 * do about it, in one line without a final stop.  Everyone above only passes
 * it on.  The codes are the exit codes of the program.
 */
#pragma once

#include <glib.h>

#define TESSERA_ERROR (tessera_error_quark ())

typedef enum {
  TESSERA_ERROR_FAILED = 1,      /* the system would not do it */
  TESSERA_ERROR_USAGE = 2,       /* the caller asked for nonsense */
  TESSERA_ERROR_INPUT = 3,       /* a file is broken or does not fit */
  TESSERA_ERROR_LIMIT = 4,       /* a limit, or the memory, is too small */
  TESSERA_ERROR_CANCELLED = 130, /* somebody stopped the work */
} TesseraError;

GQuark tessera_error_quark (void);

/* Sets @error and returns FALSE: for "return tessera_fail (...)". */
gboolean tessera_fail (GError **error, TesseraError code, const char *format,
                       ...) G_GNUC_PRINTF (3, 4);
