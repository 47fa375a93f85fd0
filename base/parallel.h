/* parallel.h - parallel loops over chunks of work
 *
 * Work is cut into chunks whose number and borders do not depend on the number
 * of threads; each chunk writes only what belongs to it, and sums over chunks
 * are taken in their order.  That is why any number of threads gives the same
 * bytes.
 *
 * BLAS runs with one thread, inside a chunk and outside: two levels of threads
 * would compete for the cores.
 */
#pragma once

#include "base/progress.h"

/* Processes chunk number @chunk.  @worker, 0 .. parallel_threads() - 1, names
 * the workspace it may use: no two chunks run with the same one at a time. */
typedef void (*ParallelFunc) (int chunk, int worker, gpointer data);

/* Threads that wait for work.  Any thread may use them, one at a time; a
 * thread that finds them busy works alone. */
typedef struct ThreadPool ThreadPool;

/* @threads counts the calling thread; 0 is one per core.  They are started
 * when they are first needed.  The caller owns it. */
ThreadPool *thread_pool_new (int threads);

/* Ends the threads.  @pool may be NULL; it must not be in use. */
void thread_pool_free (ThreadPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThreadPool, thread_pool_free)

/* The number of threads, including the calling one. */
int thread_pool_size (const ThreadPool *pool);

/* State for parallel_leave(). */
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

/* For programs, not for the library: sets up BLAS for the life of the process,
 * and the number of threads, 0 for one per core, of all loops outside a scope.
 * Must not be called while such a loop runs. */
void parallel_init (int threads);

/* The number of threads that a loop of the calling thread uses, at least 1.
 * It is always 1 where BLAS must not be called from several threads. */
int parallel_threads (void);

/* The name of the kernels that OpenBLAS has chosen, for example "Haswell".
 * May be called before parallel_init(). */
const char *parallel_blas_kernels (void);

/* The name of the BLAS in use: version, flavour and core. */
const char *parallel_blas_name (void);

/* Calls @func for the chunks 0 .. @chunks - 1 and returns when all are done.
 * @progress may be NULL and sees the share of chunks that are done.
 * Called from inside a chunk, or with a single chunk, it starts no thread; but
 * see parallel_tasks().
 * FALSE with @error set, CANCELLED or what parallel_fail() was given; some
 * chunks were then left out. */
gboolean parallel_for (int chunks, ParallelFunc func, gpointer data,
                       const Progress *progress, GError **error);

/* For chunks that may take long: they ask every few milliseconds, and return
 * early once it is FALSE.  The loop, or one around it, has then been cancelled or
 * has failed; @error is set.  On the thread that began a loop this reports, as is
 * done between chunks.  Outside of any loop it is TRUE. */
gboolean parallel_goes_on (GError **error);

/* For chunks that cannot do their work: the loop whose chunk it is begins no
 * other one, and returns FALSE with @error, which is taken over; the first one
 * if several fail. */
void parallel_fail (GError *error);

/* Like parallel_for() for a few tasks that take long, of different lengths: a
 * thread that has none left to take helps with the loops inside those of
 * others.  Tasks are begun in order, so the longest should be the first. */
gboolean parallel_tasks (int tasks, ParallelFunc func, gpointer data,
                         const Progress *progress, GError **error);
