/* test_parallel.c - every chunk once, progress by the caller, cancel works */
#include "base/error.h"
#include "base/parallel.h"
#include "tests/support.h"

#include <cblas.h>
#include <gio/gio.h>

enum { CHUNKS = 200 };

typedef struct {
  gint times[CHUNKS];
  gint busy[8]; /* by worker */
  GThread *caller;
  double last_report;
  GCancellable *cancellable;
} Record;

static void
count_chunk (int chunk, int worker, gpointer data)
{
  Record *record = data;

  g_assert_cmpint (worker, <, parallel_threads ());
  g_assert_true (
    g_atomic_int_compare_and_exchange (&record->busy[worker], 0, 1));
  g_usleep (50);
  g_atomic_int_inc (&record->times[chunk]);
  g_atomic_int_set (&record->busy[worker], 0);
}

static void
note_report (double done, gpointer data)
{
  Record *record = data;

  g_assert_true (g_thread_self () == record->caller);
  g_assert_cmpfloat (done, >=, record->last_report);
  g_assert_cmpfloat (done, <=, 1);
  record->last_report = done;
  if (done > 0.5 && record->cancellable != NULL)
    g_cancellable_cancel (record->cancellable);
}

static void
test_every_chunk_once (void)
{
  for (int threads = 1; threads <= 4; threads++) {
    Record record = { .caller = g_thread_self () };
    Progress progress = { .report = note_report, .user_data = &record };

    parallel_init (threads);
    g_assert_true (
      parallel_for (CHUNKS, count_chunk, &record, &progress, NULL));
    for (int i = 0; i < CHUNKS; i++)
      g_assert_cmpint (record.times[i], ==, 1);
    g_assert_cmpfloat (record.last_report, >, 0);
  }
}

static void
test_cancel (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Record record = { .caller = g_thread_self (), .cancellable = cancellable };
  Progress progress = { note_report, &record, cancellable };
  int done = 0;

  parallel_init (2);
  g_assert_false (
    parallel_for (CHUNKS, count_chunk, &record, &progress, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
  for (int i = 0; i < CHUNKS; i++)
    done += record.times[i];
  g_assert_cmpint (done, <, CHUNKS);
}

/* Asks for ever, in a loop in a chunk for the second of two. */
static void
ask_until_stopped (int chunk, int worker, gpointer data)
{
  g_autoptr (GError) error = NULL;

  (void) worker;
  if (chunk == 1 && data != NULL) {
    g_assert_true (parallel_for (1, ask_until_stopped, NULL, NULL, NULL));
    return;
  }
  while (parallel_goes_on (&error))
    g_usleep (50);
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
}

static void
cancel_later (double done, gpointer data)
{
  g_assert_cmpfloat (done, <, 1);
  if (++*(int *) data == 5)
    g_cancellable_cancel (g_cancellable_get_current ());
}

static void
test_chunks_ask (void)
{
  g_assert_true (parallel_goes_on (NULL));
  for (int threads = 1; threads <= 3; threads++) {
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    g_autoptr (GError) error = NULL;
    int reports = 0;
    Progress progress = { cancel_later, &reports, cancellable };

    g_cancellable_push_current (cancellable);
    parallel_init (threads);
    g_assert_false (
      parallel_for (2, ask_until_stopped, &progress, &progress, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
    g_cancellable_pop_current (cancellable);
  }
}

static void
fail_chunk (int chunk, int worker, gpointer data)
{
  GError *error = NULL;

  count_chunk (chunk, worker, data);
  if (chunk < 20)
    return;
  tessera_fail (&error, TESSERA_ERROR_MEMORY, "chunk");
  parallel_fail (error);
  g_assert_false (parallel_goes_on (NULL));
}

static void
test_chunk_fails (void)
{
  for (int threads = 1; threads <= 4; threads++) {
    g_autoptr (GError) error = NULL;
    Record record = { 0 };

    parallel_init (threads);
    g_assert_false (
      parallel_for (CHUNKS, fail_chunk, &record, NULL, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY);
    for (int i = 0; i < CHUNKS; i++)
      if (i <= 20 || i >= 20 + threads)
        g_assert_cmpint (record.times[i], ==, i <= 20);
  }
}

/* Two threads, each with loops of its own, share a pool. */
static gpointer
run_loops (gpointer data)
{
  ParallelScope scope;

  parallel_enter (&scope, data);
  for (int i = 0; i < 20; i++) {
    Record record = { .caller = g_thread_self () };
    Progress progress = { .report = note_report, .user_data = &record };

    g_assert_true (
      parallel_for (CHUNKS / 10, count_chunk, &record, &progress, NULL));
    for (int j = 0; j < CHUNKS / 10; j++)
      g_assert_cmpint (record.times[j], ==, 1);
  }
  parallel_leave (&scope);
  return NULL;
}

static void
test_shared_pool (void)
{
  g_autoptr (ThreadPool) pool = thread_pool_new (3);
  GThread *other = g_thread_new ("other", run_loops, pool);

  run_loops (pool);
  g_thread_join (other);
}

static void
test_scopes (void)
{
  g_autoptr (ThreadPool) pool = thread_pool_new (3);
  ParallelScope outer, inner;
  int blas;

  parallel_init (2);
  openblas_set_num_threads (2);
  blas = openblas_get_num_threads (); /* 1 where it has no threads */
  parallel_enter (&outer, pool);
  g_assert_cmpint (openblas_get_num_threads (), ==, 1);
  g_assert_cmpint (parallel_threads (), ==, blas == 1 ? 1 : 3);
  parallel_enter (&inner, NULL);
  g_assert_cmpint (parallel_threads (), ==, 1);
  parallel_leave (&inner);
  g_assert_cmpint (parallel_threads (), ==, blas == 1 ? 1 : 3);
  g_assert_cmpint (openblas_get_num_threads (), ==, 1);
  parallel_leave (&outer);
  g_assert_cmpint (parallel_threads (), ==, blas == 1 ? 1 : 2);
  g_assert_cmpint (openblas_get_num_threads (), ==, blas);
  parallel_init (2);
}

/* Tasks of different lengths, each with loops of its own. */
enum { TASKS = 5 };

typedef struct {
  Record records[TASKS];
  gint times[TASKS];
} TaskRecord;

static void
run_task (int task, int worker, gpointer data)
{
  TaskRecord *tasks = data;
  Record *record = &tasks->records[task];
  Progress progress = { .report = note_report, .user_data = record };

  (void) worker;
  record->caller = g_thread_self ();
  for (int i = 0; i <= task; i++) {
    record->last_report = 0;
    g_assert_true (parallel_for (CHUNKS / (task + 1), count_chunk, record,
                                 &progress, NULL));
  }
  g_atomic_int_inc (&tasks->times[task]);
}

static void
test_tasks (void)
{
  g_test_summary ("Every task once, and every chunk of the loops in it");
  for (int count = 1; count <= TASKS; count++)
    for (int threads = 1; threads <= 4; threads++) {
      TaskRecord tasks = { 0 };

      parallel_init (threads);
      g_assert_true (parallel_tasks (count, run_task, &tasks, NULL, NULL));
      for (int i = 0; i < TASKS; i++) {
        g_assert_cmpint (tasks.times[i], ==, i < count);
        for (int k = 0; k < CHUNKS; k++)
          g_assert_cmpint (tasks.records[i].times[k], ==,
                           i < count && k < CHUNKS / (i + 1) ? i + 1 : 0);
      }
    }
}

/* Two chunks that each wait for the other to begin. */
typedef struct {
  GMutex lock;
  GCond begun;
  int waiting;
} Meeting;

static void
meet (int chunk, int worker, gpointer data)
{
  Meeting *meeting = data;
  gint64 latest = g_get_monotonic_time () + 100 * G_USEC_PER_SEC;

  (void) chunk;
  (void) worker;
  g_mutex_lock (&meeting->lock);
  meeting->waiting++;
  g_cond_broadcast (&meeting->begun);
  while (meeting->waiting < 2)
    g_assert_true (
      g_cond_wait_until (&meeting->begun, &meeting->lock, latest));
  g_mutex_unlock (&meeting->lock);
}

static void
meet_in_loop (int task, int worker, gpointer data)
{
  (void) worker;
  if (task == 0)
    g_assert_true (parallel_for (2, meet, data, NULL, NULL));
}

static void
test_threads_join_loops (void)
{
  g_test_summary ("A thread without a task helps with loops in others");
  parallel_init (2);
  if (parallel_threads () == 1)
    return;
  for (int tasks = 1; tasks <= 2; tasks++)
    for (int i = 0; i < 50; i++) {
      Meeting meeting = { 0 };

      g_assert_true (
        parallel_tasks (tasks, meet_in_loop, &meeting, NULL, NULL));
      g_assert_cmpint (meeting.waiting, ==, 2);
      g_mutex_clear (&meeting.lock);
      g_cond_clear (&meeting.begun);
    }
}

static void
test_no_chunks (void)
{
  g_assert_true (parallel_for (0, count_chunk, NULL, NULL, NULL));
  g_assert_true (parallel_tasks (0, count_chunk, NULL, NULL, NULL));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/parallel/every-chunk-once", test_every_chunk_once);
  g_test_add_func ("/parallel/cancel", test_cancel);
  g_test_add_func ("/parallel/chunks-ask", test_chunks_ask);
  g_test_add_func ("/parallel/chunk-fails", test_chunk_fails);
  g_test_add_func ("/parallel/shared-pool", test_shared_pool);
  g_test_add_func ("/parallel/scopes", test_scopes);
  g_test_add_func ("/parallel/tasks", test_tasks);
  g_test_add_func ("/parallel/join-loops", test_threads_join_loops);
  g_test_add_func ("/parallel/no-chunks", test_no_chunks);
  return g_test_run ();
}
