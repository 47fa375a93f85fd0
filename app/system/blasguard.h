/* blasguard.h - makes OpenBLAS work where the address space is limited
 *
 * OpenBLAS takes a large buffer for each thread that calls it, and if it gets
 * none it tries again forever.  Nothing can be done about that once it
 * happens, so under a limit (ulimit -v) there must be room before.
 */
#pragma once

#include <glib.h>

/* To be called before the first use of BLAS.  Under a limit, @threads, 0 for
 * one per core, is lowered to what fits.  Returns FALSE with @error set
 * (LIMIT) when even one is too many. */
gboolean blas_guard_prepare (int *threads, GError **error);
