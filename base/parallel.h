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

/* To be called first thing in main(), with its @argv.
 *
 * OpenBLAS chooses its kernels when it is loaded, by the model of the CPU, and
 * takes the slowest for a model that is younger than itself: a fifth of the
 * speed.  Where that has happened on a CPU with AVX2 or AVX-512, this starts
 * the program anew with the right kernels named in OPENBLAS_CORETYPE.  Does
 * nothing where that variable is set. */
void parallel_choose_kernels (char **argv);

/* Sets up BLAS and the number of threads; @threads = 0 means one a core.
 * To be called once, before anything else of the library. */
void parallel_init (int threads);

/* The number of threads in use, at least 1.  It is 1 whatever was asked for
 * where BLAS may not be called from several threads. */
int parallel_threads (void);

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
