/* test_parallel.c - every chunk once, progress by the caller, cancel works */
#include "base/error.h"
#include "base/parallel.h"
#include "tests/support.h"

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

static void
test_no_chunks (void)
{
  g_assert_true (parallel_for (0, count_chunk, NULL, NULL, NULL));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/parallel/every-chunk-once", test_every_chunk_once);
  g_test_add_func ("/parallel/cancel", test_cancel);
  g_test_add_func ("/parallel/no-chunks", test_no_chunks);
  return g_test_run ();
}
