/* parallel.c - threads that take chunks from a common counter
 *
 * Debian ships OpenBLAS in three flavours, and only one is safe as it comes:
 *   serial   calls from several threads at a time give wrong numbers, so we
 *            stay with one thread;
 *   openmp   openblas_set_num_threads() counts for the calling thread only,
 *            so every thread calls it;
 *   pthread  one call is enough for all threads.
 */
#include "base/parallel.h"

#include <cblas.h>

enum { FLAVOUR_SERIAL, FLAVOUR_PTHREAD, FLAVOUR_OPENMP };

typedef struct Job Job;

/* What this thread is at work on. */
typedef struct {
  Job *job;           /* whose chunk it is; NULL outside of any */
  gboolean inside;    /* a chunk, in which loops have no threads */
  ThreadPool *shared; /* but those that are idle in this pool, if not NULL */
  int number;         /* of the worker */
} Place;

static _Thread_local Place here;

/* The pool of this thread's loops, between parallel_enter() and leave. */
static _Thread_local ThreadPool *current;
static _Thread_local gboolean entered;

/* The pool of loops outside of any scope; NULL for no threads. */
static ThreadPool *default_pool;

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

struct Job {
  Job *around; /* the job in whose chunk it was begun, or NULL */
  GThread *caller; /* who alone reports */
  const Progress *progress;
  ParallelFunc func;
  gpointer data;
  int chunks;
  int helpers;     /* threads that may join the calling one */
  gboolean inside; /* see Place */
  ThreadPool *shared;
  gint next;    /* first chunk not yet taken; atomic */
  gint done;    /* atomic */
  gint stopped; /* atomic; by @failure, which is set before */
  GError *failure; /* atomic */
  int busy;     /* helpers at work on it */
  Job *later;   /* the next that was posted, or NULL */
};

struct ThreadPool {
  int threads; /* including the calling one */
  GMutex lock;
  GCond wake; /* a job was posted, or the pool is ending */
  GCond rest; /* a thread has finished its part, or could help with a loop */
  Job *first; /* one job and, where it shares the threads, loops in it */
  gint jobs;  /* number of jobs so far; atomic */
  gboolean ended;
  GPtrArray *started; /* GThread */
};

typedef struct {
  ThreadPool *pool;
  int number;
} Worker;

/* Polls for the next job this many times before going to sleep: jobs often
 * follow one another within microseconds, and waking takes longer. */
#define PATIENCE 2000

/* Takes one chunk and processes it; FALSE when none is left. */
static gboolean
do_one_chunk (Job *job, int worker)
{
  Place before = here;
  int chunk;

  if (g_atomic_int_get (&job->stopped))
    return FALSE;
  chunk = g_atomic_int_add (&job->next, 1);
  if (chunk >= job->chunks)
    return FALSE;
  here = (Place){ job, job->inside, job->shared, worker };
  job->func (chunk, worker, job->data);
  here = before;
  g_atomic_int_inc (&job->done);
  return TRUE;
}

/* Waits for a job other than number @seen, or for the end of the pool; returns
 * holding the lock. */
static void
await_job (ThreadPool *pool, gint seen)
{
  for (int i = 0; i < PATIENCE; i++)
    if (g_atomic_int_get (&pool->jobs) != seen)
      break;
  g_mutex_lock (&pool->lock);
  while (pool->jobs == seen && !pool->ended)
    g_cond_wait (&pool->wake, &pool->lock);
}

/* The oldest job that has chunks left and room for one more thread; the lock
 * must be held. */
static Job *
find_job (const ThreadPool *pool)
{
  Job *job = pool->first;

  while (job != NULL
         && (job->busy >= job->helpers || g_atomic_int_get (&job->stopped)
             || g_atomic_int_get (&job->next) >= job->chunks))
    job = job->later;
  return job;
}

/* Processes chunks until there are none; called and left holding the lock. */
static void
help (ThreadPool *pool, int number)
{
  for (Job *job = find_job (pool); job != NULL; job = find_job (pool)) {
    job->busy++;
    g_mutex_unlock (&pool->lock);
    while (do_one_chunk (job, number))
      ;
    g_mutex_lock (&pool->lock);
    job->busy--;
    g_cond_broadcast (&pool->rest);
  }
}

static gpointer
run_worker (gpointer data)
{
  g_autofree Worker *worker = data;
  ThreadPool *pool = worker->pool;
  gboolean ended;
  gint seen = 0;

  current = pool;
  entered = TRUE;
  if (openblas_get_parallel () == FLAVOUR_OPENMP)
    openblas_set_num_threads (1);
  do {
    await_job (pool, seen);
    help (pool, worker->number);
    seen = pool->jobs;
    ended = pool->ended;
    g_mutex_unlock (&pool->lock);
  } while (!ended);
  return NULL;
}

/* Starts the threads that @job lacks.  If the system refuses one, the others
 * do its chunks. */
static void
start_threads (ThreadPool *pool, const Job *job)
{
  while ((int) pool->started->len < job->helpers) {
    Worker *worker = g_new (Worker, 1);
    GThread *thread;

    *worker = (Worker){ pool, (int) pool->started->len + 1 };
    thread = g_thread_try_new ("tessera", run_worker, worker, NULL);
    if (thread == NULL) {
      g_free (worker);
      return;
    }
    g_ptr_array_add (pool->started, thread);
  }
}

/* Hands @job to the threads of @pool.  FALSE when they are busy with another
 * one that does not share them with it. */
static gboolean
open_job (ThreadPool *pool, Job *job)
{
  Job **end = &pool->first;
  gboolean ours;

  g_mutex_lock (&pool->lock);
  ours = pool->first == NULL || here.shared == pool;
  if (ours) {
    start_threads (pool, job);
    while (*end != NULL)
      end = &(*end)->later;
    *end = job;
    g_atomic_int_inc (&pool->jobs);
    g_cond_broadcast (&pool->wake);
    g_cond_broadcast (&pool->rest);
  }
  g_mutex_unlock (&pool->lock);
  return ours;
}

/* Waits until no thread looks at the job any more, and meanwhile helps with
 * loops in its chunks. */
static void
close_job (ThreadPool *pool, Job *job)
{
  Job **place = &pool->first;

  g_mutex_lock (&pool->lock);
  while (job->busy > 0) {
    if (job->shared != NULL)
      help (pool, here.number);
    if (job->busy > 0)
      g_cond_wait (&pool->rest, &pool->lock);
  }
  while (*place != job)
    place = &(*place)->later;
  *place = job->later;
  g_mutex_unlock (&pool->lock);
}

static ThreadPool *
own_pool (void)
{
  return entered ? current : default_pool;
}

/* Hands @job to other threads, if it may have any: a loop in a chunk has only
 * those that the chunk shares.  FALSE for none. */
static gboolean
share_job (Job *job, int helpers)
{
  ThreadPool *pool = own_pool ();

  if (pool == NULL || helpers <= 0 || (here.inside && here.shared != pool))
    return FALSE;
  job->helpers = helpers;
  return open_job (pool, job);
}

/* Ends @job with @failure, which is taken over; the first one counts. */
static void
fail_job (Job *job, GError *failure)
{
  if (!g_atomic_pointer_compare_and_exchange (&job->failure, NULL, failure))
    g_error_free (failure);
  g_atomic_int_set (&job->stopped, TRUE);
}

/* Reports how far @job is, unless it is another thread that does; FALSE once it
 * was cancelled or has failed. */
static gboolean
step_job (Job *job)
{
  Progress quiet = { .cancellable = job->progress != NULL
                                      ? job->progress->cancellable
                                      : NULL };
  gboolean reports = job->caller == g_thread_self ();
  double share = job->chunks > 0
                   ? (double) g_atomic_int_get (&job->done) / job->chunks
                   : 1;
  GError *cancelled = NULL;

  if (!progress_step (reports ? job->progress : &quiet, share, &cancelled))
    fail_job (job, cancelled);
  return !g_atomic_int_get (&job->stopped);
}

gboolean
parallel_goes_on (GError **error)
{
  for (Job *job = here.job; job != NULL; job = job->around)
    if (!step_job (job)) {
      if (error != NULL)
        *error = g_error_copy (g_atomic_pointer_get (&job->failure));
      return FALSE;
    }
  return TRUE;
}

void
parallel_fail (GError *error)
{
  g_return_if_fail (here.job != NULL);

  fail_job (here.job, error);
}

/* Processes chunks until none is left.  The threads of a pool keep their
 * numbers in all of its jobs. */
static gboolean
run_job (Job *job, gboolean shared, GError **error)
{
  int number = shared ? here.number : 0;

  do
    step_job (job);
  while (do_one_chunk (job, number));
  if (shared)
    close_job (own_pool (), job);
  if (job->failure == NULL)
    return TRUE;
  g_propagate_error (error, job->failure);
  return FALSE;
}

static Job
job_new (ParallelFunc func, gpointer data, int chunks,
         const Progress *progress)
{
  return (Job){ .around = here.job,
                .caller = g_thread_self (),
                .progress = progress,
                .func = func,
                .data = data,
                .chunks = chunks,
                .inside = TRUE };
}

gboolean
parallel_for (int chunks, ParallelFunc func, gpointer data,
              const Progress *progress, GError **error)
{
  Job job = job_new (func, data, chunks, progress);
  int helpers = MIN (parallel_threads (), chunks) - 1;

  return run_job (&job, share_job (&job, helpers), error);
}

gboolean
parallel_tasks (int tasks, ParallelFunc func, gpointer data,
                const Progress *progress, GError **error)
{
  Job job = job_new (func, data, tasks, progress);

  job.shared = own_pool ();
  if (share_job (&job, parallel_threads () - 1))
    return run_job (&job, TRUE, error);
  /* As if there were no loop around the tasks. */
  job.inside = here.inside;
  job.shared = NULL;
  return run_job (&job, FALSE, error);
}

/* ---- pools ---- */

static void
join (gpointer thread)
{
  g_thread_join (thread);
}

ThreadPool *
thread_pool_new (int threads)
{
  ThreadPool *pool = g_new0 (ThreadPool, 1);

  if (threads <= 0)
    threads = (int) g_get_num_processors ();
  pool->threads = openblas_get_parallel () == FLAVOUR_SERIAL ? 1 : threads;
  g_mutex_init (&pool->lock);
  g_cond_init (&pool->wake);
  g_cond_init (&pool->rest);
  pool->started = g_ptr_array_new_with_free_func (join);
  return pool;
}

void
thread_pool_free (ThreadPool *pool)
{
  if (pool == NULL)
    return;
  g_mutex_lock (&pool->lock);
  pool->ended = TRUE;
  g_cond_broadcast (&pool->wake);
  g_mutex_unlock (&pool->lock);
  g_ptr_array_unref (pool->started);
  g_mutex_clear (&pool->lock);
  g_cond_clear (&pool->wake);
  g_cond_clear (&pool->rest);
  g_free (pool);
}

int
thread_pool_size (const ThreadPool *pool)
{
  return pool->threads;
}

int
parallel_threads (void)
{
  const ThreadPool *pool = own_pool ();

  return pool != NULL ? thread_pool_size (pool) : 1;
}

void
parallel_init (int threads)
{
  openblas_set_num_threads (1);
  thread_pool_free (default_pool);
  default_pool = thread_pool_new (threads);
}

/* ---- scopes ---- */

/* How many scopes there are, and the number of threads that OpenBLAS had
 * before the first. */
static GMutex scope_lock;
static int scopes, blas_threads;

/* A lock that the thread holding it may take again. */
static GRecMutex serial_lock;

void
parallel_enter (ParallelScope *scope, ThreadPool *pool)
{
  if (openblas_get_parallel () == FLAVOUR_SERIAL)
    g_rec_mutex_lock (&serial_lock);
  g_mutex_lock (&scope_lock);
  if (scopes++ == 0)
    blas_threads = openblas_get_num_threads ();
  if (scopes == 1 || openblas_get_parallel () == FLAVOUR_OPENMP)
    openblas_set_num_threads (1);
  g_mutex_unlock (&scope_lock);
  *scope = (ParallelScope){ current, entered };
  current = pool;
  entered = TRUE;
}

void
parallel_leave (const ParallelScope *scope)
{
  gboolean outermost = !scope->was_entered;

  current = scope->outer;
  entered = scope->was_entered;
  g_mutex_lock (&scope_lock);
  if (--scopes == 0
      || (outermost && openblas_get_parallel () == FLAVOUR_OPENMP))
    openblas_set_num_threads (blas_threads);
  g_mutex_unlock (&scope_lock);
  if (openblas_get_parallel () == FLAVOUR_SERIAL)
    g_rec_mutex_unlock (&serial_lock);
}
