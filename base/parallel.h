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

/* Threads that wait for work.  Any thread may have work done by them; one at
 * a time does, and who comes while they are busy works alone. */
typedef struct ThreadPool ThreadPool;

/* @threads with the one that has the work done, 0 for one per core.  They are
 * started when they are first needed.  The caller owns it. */
ThreadPool *thread_pool_new (int threads);

/* Ends the threads.  @pool may be NULL, and nobody may be using it. */
void thread_pool_free (ThreadPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThreadPool, thread_pool_free)

/* The number of threads, with the one that has the work done. */
int thread_pool_size (const ThreadPool *pool);

/* What parallel_leave() needs to know. */
typedef struct {
  ThreadPool *outer;
  gboolean was_entered;
} ParallelScope;

/* Between these two, loops of the calling thread run in @pool (NULL for this
 * thread alone), and OpenBLAS uses one thread per call.  OpenBLAS has one such
 * setting for the process; it is put back when the last thread has left.
 * Scopes may be nested, also by several threads at once. */
void parallel_enter (ParallelScope *scope, ThreadPool *pool);
void parallel_leave (const ParallelScope *scope);

/* For programs whose process is theirs: sets up BLAS for good, and the number
 * of threads, 0 for one per core, of all loops outside of a scope.  Not while
 * such a loop runs. */
void parallel_init (int threads);

/* The number of threads that a loop of the calling thread uses, at least 1.
 * It is 1 whatever was asked for where BLAS may not be called from several
 * threads. */
int parallel_threads (void);

/* The name of the kernels that OpenBLAS has taken, "Haswell" say.  May be
 * called before parallel_init(). */
const char *parallel_blas_kernels (void);

/* The name of the BLAS in use: version, flavour and core. */
const char *parallel_blas_name (void);

/* Calls @func for the chunks 0 .. @chunks - 1 and returns when all are done.
 * @progress may be NULL and sees the share of chunks that are done.
 * Called from inside a chunk, or with a single chunk, it starts no thread.
 * FALSE only when it was cancelled; some chunks were then left out. */
gboolean parallel_for (int chunks, ParallelFunc func, gpointer data,
                       const Progress *progress, GError **error);
