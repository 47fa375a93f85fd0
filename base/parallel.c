/* parallel.c - threads that take chunks from a common counter
 *
 * Debian ships OpenBLAS in three flavours, and only one is safe as it comes:
 *   serial   calls from several threads at a time give wrong numbers, so we
 *            stay with one thread;
 *   openmp   openblas_set_num_threads() counts for the calling thread only,
 *            so every worker calls it;
 *   pthread  one call at the start is enough.
 */
#include "base/parallel.h"

#include <cblas.h>

enum { FLAVOUR_SERIAL, FLAVOUR_PTHREAD, FLAVOUR_OPENMP };

static int thread_count = 1;

/* Whether this thread is at work on a chunk. */
static _Thread_local gboolean inside;

void
parallel_init (int threads)
{
  openblas_set_num_threads (1);
  if (threads <= 0)
    threads = (int) g_get_num_processors ();
  if (openblas_get_parallel () == FLAVOUR_SERIAL)
    threads = 1;
  thread_count = threads;
}

int
parallel_threads (void)
{
  return thread_count;
}

const char *
parallel_blas_kernels (void)
{
  return openblas_get_corename ();
}

const char *
parallel_blas_name (void)
{
  static const char *const flavours[] = { "serial", "pthread", "openmp" };
  static char *name;
  int flavour = openblas_get_parallel ();

  if (g_once_init_enter (&name)) {
    /* The configuration starts with "OpenBLAS 0.3.21 ". */
    g_auto (GStrv) words = g_strsplit (openblas_get_config (), " ", 3);

    g_once_init_leave (
      &name, g_strdup_printf (
               "%s %s (%s, %s)", words[0],
               words[0] != NULL && words[1] != NULL ? words[1] : "",
               flavour >= 0 && flavour <= FLAVOUR_OPENMP ? flavours[flavour]
                                                         : "unknown flavour",
               openblas_get_corename ()));
  }
  return name;
}

/* ---- the loop ---- */

typedef struct {
  ParallelFunc func;
  gpointer data;
  int chunks;
  int helpers;  /* threads that may join the calling one */
  gint next;    /* first chunk that nobody has taken; atomic */
  gint done;    /* atomic */
  gint stopped; /* atomic */
} Job;

/* Threads are started once and wait for jobs; there is one job at a time. */
static struct {
  GMutex lock;
  GCond wake; /* there is a job */
  GCond rest; /* a thread has finished its part */
  Job *job;   /* NULL for none */
  gint jobs;  /* how many there were; atomic */
  int threads;
  int busy; /* threads at work on the job */
} pool;

/* Looks for the next job so often before going to sleep: jobs often follow one
 * another within microseconds, and waking takes longer. */
#define PATIENCE 2000

/* Takes one chunk and does it; FALSE when none is left. */
static gboolean
do_one_chunk (Job *job, int worker)
{
  gboolean was_inside = inside;
  int chunk;

  if (g_atomic_int_get (&job->stopped))
    return FALSE;
  chunk = g_atomic_int_add (&job->next, 1);
  if (chunk >= job->chunks)
    return FALSE;
  inside = TRUE;
  job->func (chunk, worker, job->data);
  inside = was_inside;
  g_atomic_int_inc (&job->done);
  return TRUE;
}

/* Waits for a job that is not the one numbered @seen. */
static void
await_job (gint seen)
{
  for (int i = 0; i < PATIENCE; i++)
    if (g_atomic_int_get (&pool.jobs) != seen)
      break;
  g_mutex_lock (&pool.lock);
  while (pool.jobs == seen)
    g_cond_wait (&pool.wake, &pool.lock);
}

static gpointer
run_worker (gpointer data)
{
  int number = GPOINTER_TO_INT (data);
  gint seen = 0;

  if (openblas_get_parallel () == FLAVOUR_OPENMP)
    openblas_set_num_threads (1);
  for (;;) {
    Job *job;

    await_job (seen); /* returns with the lock */
    seen = pool.jobs;
    job = pool.job;
    if (job != NULL && number <= job->helpers) {
      pool.busy++;
      g_mutex_unlock (&pool.lock);
      while (do_one_chunk (job, number))
        ;
      g_mutex_lock (&pool.lock);
      pool.busy--;
      g_cond_signal (&pool.rest);
    }
    g_mutex_unlock (&pool.lock);
  }
  return NULL;
}

/* Hands @job to the threads of the pool, started as needed.  A thread that the
 * system refuses leaves its chunks to the others. */
static void
open_job (Job *job)
{
  g_mutex_lock (&pool.lock);
  while (pool.threads < job->helpers) {
    GThread *thread = g_thread_try_new (
      "tessera", run_worker, GINT_TO_POINTER (pool.threads + 1), NULL);

    if (thread == NULL)
      break;
    g_thread_unref (thread);
    pool.threads++;
  }
  pool.job = job;
  g_atomic_int_inc (&pool.jobs);
  g_cond_broadcast (&pool.wake);
  g_mutex_unlock (&pool.lock);
}

/* Waits until no thread looks at the job any more. */
static void
close_job (void)
{
  g_mutex_lock (&pool.lock);
  pool.job = NULL;
  while (pool.busy > 0)
    g_cond_wait (&pool.rest, &pool.lock);
  g_mutex_unlock (&pool.lock);
}

gboolean
parallel_for (int chunks, ParallelFunc func, gpointer data,
              const Progress *progress, GError **error)
{
  Job job = { .func = func, .data = data, .chunks = chunks };
  gboolean ok;

  job.helpers = inside ? 0 : MAX (0, MIN (thread_count, chunks) - 1);
  if (job.helpers > 0)
    open_job (&job);
  do {
    double share =
      chunks > 0 ? (double) g_atomic_int_get (&job.done) / chunks : 1;

    ok = progress_step (progress, share, error);
    if (!ok)
      g_atomic_int_set (&job.stopped, TRUE);
  } while (do_one_chunk (&job, 0));
  if (job.helpers > 0)
    close_job ();
  return ok;
}
