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
