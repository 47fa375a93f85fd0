/* parallel.h - the one file that knows threads
 *
 * Work is cut into chunks whose number and borders do not depend on the number
 * of threads; each chunk writes only what belongs to it, and whoever sums over
 * chunks does so in their order.  That is why any number of threads gives the
 * same bytes.
 *
 * BLAS runs with one thread, inside a chunk and outside: two levels of threads
 * fight each other.
 */
#pragma once

#include "base/progress.h"

/* Does chunk number @chunk.  @worker, 0 .. parallel_threads() - 1, names the
 * workspace it may use: no two chunks run with the same one at a time. */
typedef void (*ParallelFunc) (int chunk, int worker, gpointer data);

/* Sets up BLAS and the number of threads; @threads = 0 means one a core.
 * To be called once, before anything else of the library. */
void parallel_init (int threads);

/* The number of threads in use, at least 1.  It is 1 whatever was asked for
 * where BLAS may not be called from several threads. */
int parallel_threads (void);

/* The name of the kernels that OpenBLAS has taken, "Haswell" say.  May be
 * called before parallel_init(). */
const char *parallel_blas_kernels (void);

/* The name of the BLAS in use: version, flavour and core. */
const char *parallel_blas_name (void);

/* To be called by one thread at a time, the one that has the work done.
 *
 * Calls @func for the chunks 0 .. @chunks - 1 and returns when all are done.
 * @progress may be NULL and sees the share of chunks that are done.
 * Called from inside a chunk, or with a single chunk, it starts no thread.
 * FALSE only when it was cancelled; some chunks were then left out. */
gboolean parallel_for (int chunks, ParallelFunc func, gpointer data,
                       const Progress *progress, GError **error);
