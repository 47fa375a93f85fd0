/* test_jobqueue.c - one job after the other, watched and stopped */
#include "app/serve/jobqueue.h"
#include "base/error.h"
#include "tests/support.h"

/* A job that waits to be let go, and notes what happens to it. */
typedef struct {
  GMutex lock;
  GCond changed;
  gboolean running, released, fails;
  int freed;
} Gate;

static Gate *
gate_new (gboolean released)
{
  Gate *gate = g_new0 (Gate, 1);

  g_mutex_init (&gate->lock);
  g_cond_init (&gate->changed);
  gate->released = released;
  return gate;
}

static void
gate_free (Gate *gate)
{
  g_mutex_clear (&gate->lock);
  g_cond_clear (&gate->changed);
  g_free (gate);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Gate, gate_free)

static void
gate_release (Gate *gate)
{
  g_mutex_lock (&gate->lock);
  gate->released = TRUE;
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
}

static void
gate_await_start (Gate *gate)
{
  g_mutex_lock (&gate->lock);
  while (!gate->running)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

static int
gate_freed (Gate *gate)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&gate->lock);

  return gate->freed;
}

/* Looks now and then whether it was cancelled. */
static gboolean
run_gate (gpointer data, const Progress *progress, GError **error)
{
  Gate *gate = data;
  gboolean ok = TRUE;

  g_mutex_lock (&gate->lock);
  gate->running = TRUE;
  g_cond_broadcast (&gate->changed);
  while (ok && !gate->released) {
    gint64 soon = g_get_monotonic_time () + G_USEC_PER_SEC / 100;

    g_cond_wait_until (&gate->changed, &gate->lock, soon);
    ok = progress_step (progress, 0.25, error);
  }
  g_mutex_unlock (&gate->lock);
  if (ok && gate->fails) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         "it is broken");
    return FALSE;
  }
  return ok;
}

static char *
name_gate (gpointer data)
{
  (void) data;
  return g_strdup ("waiting at the gate");
}

static void
describe_gate (gpointer data, JsonObject *json)
{
  (void) data;
  json_object_set_int_member (json, "answer", 42);
}

static void
note_free (gpointer data)
{
  Gate *gate = data;

  g_mutex_lock (&gate->lock);
  gate->freed++;
  g_mutex_unlock (&gate->lock);
}

static const JobClass gate_class = { .run = run_gate,
                                     .stage = name_gate,
                                     .describe = describe_gate,
                                     .free = note_free };

static guint
add (JobQueue *queue, const char *owner, Gate *gate)
{
  g_autoptr (GError) error = NULL;
  guint number = job_queue_add (queue, owner, &gate_class, gate, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (number, >, 0);
  return number;
}

static void
assert_state (JobQueue *queue, guint number, const char *state)
{
  g_autoptr (JsonObject) json = job_queue_describe (queue, number);

  g_assert_nonnull (json);
  g_assert_cmpstr (json_object_get_string_member (json, "state"), ==, state);
}

/* Waits for a job to be neither waiting nor running. */
static JsonObject *
await_end (JobQueue *queue, guint number)
{
  for (;;) {
    JsonObject *json = job_queue_describe (queue, number);
    const char *state = json_object_get_string_member (json, "state");

    if (!g_str_equal (state, "waiting") && !g_str_equal (state, "running"))
      return json;
    json_object_unref (json);
    g_usleep (1000);
  }
}

static void
test_in_order (void)
{
  g_autoptr (Gate) first = gate_new (FALSE);
  g_autoptr (Gate) second = gate_new (TRUE);
  g_autoptr (JobQueue) queue = job_queue_new ();
  guint a = add (queue, "a", first), b = add (queue, "b", second);
  g_autoptr (JsonObject) running = NULL;
  g_autoptr (JsonObject) waiting = NULL;
  g_autoptr (JsonObject) done = NULL;

  gate_await_start (first);
  assert_state (queue, a, "running");
  running = job_queue_describe (queue, a);
  g_assert_cmpstr (json_object_get_string_member (running, "stage"), ==,
                   "waiting at the gate");
  waiting = job_queue_describe (queue, b);
  g_assert_cmpstr (json_object_get_string_member (waiting, "state"), ==,
                   "waiting");
  g_assert_cmpint (json_object_get_int_member (waiting, "ahead"), ==, 1);
  g_assert_true (json_object_get_null_member (waiting, "stage"));
  g_assert_false (json_object_has_member (waiting, "answer"));
  gate_release (first);
  done = await_end (queue, b);
  g_assert_cmpstr (json_object_get_string_member (done, "state"), ==, "done");
  g_assert_cmpint (json_object_get_int_member (done, "answer"), ==, 42);
  g_assert_cmpfloat (json_object_get_double_member (done, "done"), ==, 1);
  assert_state (queue, a, "done");
  g_clear_pointer (&queue, job_queue_free);
  g_assert_cmpint (gate_freed (first), ==, 1);
  g_assert_cmpint (gate_freed (second), ==, 1);
}

static void
test_failure (void)
{
  g_autoptr (Gate) gate = gate_new (TRUE);
  g_autoptr (JobQueue) queue = job_queue_new ();
  g_autoptr (JsonObject) json = NULL;

  gate->fails = TRUE;
  json = await_end (queue, add (queue, "a", gate));
  g_assert_cmpstr (json_object_get_string_member (json, "state"), ==,
                   "failed");
  g_assert_cmpstr (json_object_get_string_member (json, "error"), ==,
                   "it is broken");
  g_assert_false (json_object_has_member (json, "answer"));
  g_assert_cmpint (gate_freed (gate), ==, 1);
}

/* One that waits is gone at once, one that runs stops by itself. */
static void
test_cancel (void)
{
  g_autoptr (Gate) first = gate_new (FALSE);
  g_autoptr (Gate) second = gate_new (FALSE);
  g_autoptr (JobQueue) queue = job_queue_new ();
  guint a = add (queue, "a", first), b = add (queue, "b", second);
  g_autoptr (JsonObject) json = NULL;

  gate_await_start (first);
  job_queue_cancel_owner (queue, "b");
  assert_state (queue, b, "cancelled");
  g_assert_cmpint (gate_freed (second), ==, 1);
  g_assert_true (job_queue_cancel (queue, a));
  json = await_end (queue, a);
  g_assert_cmpstr (json_object_get_string_member (json, "state"), ==,
                   "cancelled");
  g_assert_false (second->running);
  g_assert_false (job_queue_cancel (queue, 0));
}

static void
assert_refused (JobQueue *queue, const char *owner)
{
  g_autoptr (Gate) gate = gate_new (TRUE);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (job_queue_add (queue, owner, &gate_class, gate, &error),
                    ==, 0);
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT);
  g_assert_cmpint (gate_freed (gate), ==, 1);
}

/* One unfinished job per owner, and so many of all; what is refused is freed,
 * and freeing the queue ends all of them. */
static void
test_limits (void)
{
  g_autoptr (GPtrArray) gates =
    g_ptr_array_new_with_free_func ((GDestroyNotify) gate_free);
  g_autoptr (JobQueue) queue = job_queue_new ();
  const int most = 32;

  for (int i = 0; i < most; i++) {
    g_autofree char *owner = g_strdup_printf ("owner %d", i);

    g_ptr_array_add (gates, gate_new (FALSE));
    add (queue, owner, gates->pdata[i]);
    assert_refused (queue, owner);
  }
  assert_refused (queue, "one more");
  g_clear_pointer (&queue, job_queue_free);
  for (int i = 0; i < most; i++)
    g_assert_cmpint (gate_freed (gates->pdata[i]), ==, 1);
}

/* Finished jobs are forgotten, the oldest first. */
static void
test_memory (void)
{
  g_autoptr (GPtrArray) gates =
    g_ptr_array_new_with_free_func ((GDestroyNotify) gate_free);
  g_autoptr (JobQueue) queue = job_queue_new ();
  guint first = 0, last = 0;

  for (int i = 0; i < 40; i++) {
    g_autoptr (JsonObject) json = NULL;

    g_ptr_array_add (gates, gate_new (TRUE));
    last = add (queue, "a", gates->pdata[i]);
    if (i == 0)
      first = last;
    json = await_end (queue, last);
  }
  g_assert_null (job_queue_describe (queue, first));
  assert_state (queue, last, "done");
  g_clear_pointer (&queue, job_queue_free);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/jobqueue/order", test_in_order);
  g_test_add_func ("/jobqueue/failure", test_failure);
  g_test_add_func ("/jobqueue/cancel", test_cancel);
  g_test_add_func ("/jobqueue/limits", test_limits);
  g_test_add_func ("/jobqueue/memory", test_memory);
  return g_test_run ();
}
