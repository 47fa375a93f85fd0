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
#include <string.h>
#include <unistd.h>

/* What OpenBLAS calls the kernels it takes when it knows no better. */
#define LAST_RESORT "Prescott"
#define KERNELS_VARIABLE "OPENBLAS_CORETYPE"

enum { FLAVOUR_SERIAL, FLAVOUR_PTHREAD, FLAVOUR_OPENMP };

static int thread_count = 1;

/* The best kernels that this CPU can run, or NULL. */
static const char *
best_kernels (void)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return "Haswell";
#endif
  return NULL;
}

void
parallel_choose_kernels (char **argv)
{
  if (g_getenv (KERNELS_VARIABLE) != NULL || best_kernels () == NULL
      || strcmp (openblas_get_corename (), LAST_RESORT) != 0)
    return;
  g_setenv (KERNELS_VARIABLE, best_kernels (), TRUE);
  execv ("/proc/self/exe", argv);
  /* Still here: then slowly. */
}

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

typedef struct {
  ParallelFunc func;
  gpointer data;
  int chunks;
  gint next;    /* first chunk that nobody has taken; atomic */
  gint done;    /* atomic */
  gint stopped; /* atomic */
} Job;

typedef struct {
  Job *job;
  int number;
} Worker;

/* Takes one chunk and does it; FALSE when none is left. */
static gboolean
do_one_chunk (Job *job, int worker)
{
  int chunk;

  if (g_atomic_int_get (&job->stopped))
    return FALSE;
  chunk = g_atomic_int_add (&job->next, 1);
  if (chunk >= job->chunks)
    return FALSE;
  job->func (chunk, worker, job->data);
  g_atomic_int_inc (&job->done);
  return TRUE;
}

static gpointer
run_worker (gpointer data)
{
  Worker *worker = data;

  if (openblas_get_parallel () == FLAVOUR_OPENMP)
    openblas_set_num_threads (1);
  while (do_one_chunk (worker->job, worker->number))
    ;
  return NULL;
}

gboolean
parallel_for (int chunks, ParallelFunc func, gpointer data,
              const Progress *progress, GError **error)
{
  int helpers = MAX (0, MIN (thread_count, chunks) - 1);
  Job job = { .func = func, .data = data, .chunks = chunks };
  g_autofree Worker *workers = g_new (Worker, helpers + 1);
  g_autofree GThread **threads = g_new (GThread *, helpers + 1);
  gboolean ok;

  /* A thread that the system refuses leaves its chunks to the others. */
  for (int i = 0; i < helpers; i++) {
    workers[i] = (Worker){ &job, i + 1 };
    threads[i] = g_thread_try_new ("tessera", run_worker, &workers[i], NULL);
  }

  do {
    double share =
      chunks > 0 ? (double) g_atomic_int_get (&job.done) / chunks : 1;

    ok = progress_step (progress, share, error);
    if (!ok)
      g_atomic_int_set (&job.stopped, TRUE);
  } while (do_one_chunk (&job, 0));

  for (int i = 0; i < helpers; i++)
    if (threads[i] != NULL)
      g_thread_join (threads[i]);
  return ok;
}
