#include "app/batch/batch.h"

#include "app/batch/record.h"
#include "app/batch/tally.h"
#include "app/cli/interrupt.h"
#include "app/cli/progressbar.h"
#include "app/cli/terminal.h"
#include "app/files/folder.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/ranks.h"

#include <string.h>

/* How often progress is shown, in microseconds. */
#define TICK (G_USEC_PER_SEC / 10)

/* Work for a picture beside what its size says: opening, syncing. */
#define BASIC_BYTES 20000

typedef struct {
  const Batch *batch;
  ThreadShare *share;
  gboolean stopped;     /* take no more; this and all below under the lock */
  int workers;          /* still at it */
  GQueue results;       /* BatchResult, to be printed */
  GPtrArray *handed_in; /* BatchResult, those that were */
  double total, worked; /* weights of the items to do, and of those done */
  GPtrArray *at_work;   /* Slot */
  GMutex lock;
  GCond changed;
} Run;

/* A worker, and how far it is with its item. */
typedef struct {
  Run *run;
  double weight, share; /* of the item, under the lock */
  GThread *thread;
} Slot;

static double
weight_of (const Batch *batch, guint number)
{
  return (double) batch_plan_item (batch->plan, number)->bytes + BASIC_BYTES;
}

/* ---- workers ---- */

static void
on_progress (double done, gpointer user_data)
{
  Slot *slot = user_data;

  g_mutex_lock (&slot->run->lock);
  slot->share = done;
  g_mutex_unlock (&slot->run->lock);
}

/* The number of the next item; FALSE when there is none. */
static gboolean
take (Slot *slot, guint *number)
{
  Run *run = slot->run;
  gboolean taken;

  *number = ranks_next_item ();
  g_mutex_lock (&run->lock);
  taken = !run->stopped && *number < run->batch->plan->items->len
          && !g_cancellable_is_cancelled (interrupt_cancellable ());
  if (taken) {
    slot->weight = weight_of (run->batch, *number);
    slot->share = 0;
  }
  g_mutex_unlock (&run->lock);
  return taken;
}

static void
hand_in (Slot *slot, BatchResult *result)
{
  Run *run = slot->run;

  g_mutex_lock (&run->lock);
  /* What was skipped took no time, and does not count. */
  if (result->state == BATCH_SKIPPED)
    run->total -= slot->weight;
  else
    run->worked += slot->weight;
  slot->weight = 0;
  g_queue_push_tail (&run->results, result);
  g_cond_signal (&run->changed);
  g_mutex_unlock (&run->lock);
}

static gpointer
run_worker (gpointer data)
{
  Slot *slot = data;
  Run *run = slot->run;
  Progress progress = { .report = on_progress,
                        .user_data = slot,
                        .cancellable = interrupt_cancellable () };
  guint number;

  while (take (slot, &number)) {
    BatchResult *result = g_new0 (BatchResult, 1);

    batch_take_turn (run->batch, number, run->share, &progress, result);
    hand_in (slot, result);
  }
  g_mutex_lock (&run->lock);
  run->workers--;
  g_cond_signal (&run->changed);
  g_mutex_unlock (&run->lock);
  return NULL;
}

/* Starts them; if the system refuses all, the calling thread does the work. */
static void
start_workers (Run *run, int count)
{
  run->workers = count;
  for (int i = 0; i < count; i++) {
    Slot *slot = g_new0 (Slot, 1);

    slot->run = run;
    g_ptr_array_add (run->at_work, slot);
    slot->thread = g_thread_try_new ("picture", run_worker, slot, NULL);
    if (slot->thread == NULL && i == 0)
      run_worker (slot);
    else if (slot->thread == NULL) {
      g_mutex_lock (&run->lock);
      run->workers--;
      g_mutex_unlock (&run->lock);
    }
  }
}

static void
join_and_free (gpointer data)
{
  Slot *slot = data;

  if (slot->thread != NULL)
    g_thread_join (slot->thread);
  g_free (slot);
}

static void
result_free (gpointer data)
{
  batch_result_clear (data);
  g_free (data);
}

/* ---- the calling thread ---- */

/* The share of the work that is done; called holding the lock. */
static double
share_done (const Run *run)
{
  double done = run->worked;

  for (guint i = 0; i < run->at_work->len; i++) {
    const Slot *slot = run->at_work->pdata[i];

    done += slot->weight * slot->share;
  }
  return run->total > 0 ? done / run->total : 1;
}

/* Waits for a result, or NULL after a while. */
static BatchResult *
await_result (Run *run, double *done, gboolean *finished)
{
  gint64 deadline = g_get_monotonic_time () + TICK;
  BatchResult *result;

  g_mutex_lock (&run->lock);
  while (g_queue_is_empty (&run->results) && run->workers > 0
         && g_cond_wait_until (&run->changed, &run->lock, deadline))
    ;
  result = g_queue_pop_head (&run->results);
  *done = share_done (run);
  *finished = result == NULL && run->workers == 0;
  g_mutex_unlock (&run->lock);
  return result;
}

static void
stop (Run *run)
{
  g_mutex_lock (&run->lock);
  run->stopped = TRUE;
  g_mutex_unlock (&run->lock);
}

/* Prints results until all workers have ended. */
static gboolean
watch (Run *run, BatchTally *tally, GError **error)
{
  gboolean ok = TRUE, finished;
  ProgressBar bar;
  Progress progress = progress_bar_start (&bar, run->batch->label);

  do {
    double done;
    BatchResult *result = await_result (run, &done, &finished);

    if (result != NULL) {
      ok = ok && batch_tally_add (tally, result, error);
      g_ptr_array_add (run->handed_in, result);
    }
    if (!ok)
      stop (run);
    if (progress.report != NULL)
      progress.report (done, progress.user_data);
  } while (!finished);
  progress_bar_stop (&bar);
  return ok;
}

/* ---- other ranks ---- */

/* Whether all ranks have found the same pictures.  None begins before all have
 * looked. */
static gboolean
check_plans (const BatchPlan *plan, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < plan->items->len; i++)
    g_string_append_printf (names, "%s\n%s\n",
                            batch_plan_item (plan, i)->input,
                            batch_plan_item (plan, i)->output);
  return ranks_agree (names->str)
         || tessera_fail (error, TESSERA_ERROR_INPUT,
                          "the machines see different pictures; let all of "
                          "them see the same folders");
}

/* Whether no result takes the place of another because the disk takes their
 * names for one. */
static gboolean
check_case (const Batch *batch, GError **error)
{
  const BatchItem *pair[2];

  if (!batch_plan_find_case_pair (batch->plan, pair))
    return TRUE;
  if (record_folder_ignores_case (batch->folder))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "%s and %s would both become %s, for the case of "
                         "letters does not count there; work on them in two "
                         "runs",
                         pair[0]->input, pair[1]->input, pair[1]->output);
  terminal_note ("the names of %s and %s differ only by case; not every disk "
                 "can hold both",
                 pair[0]->output, pair[1]->output);
  return TRUE;
}

/* A folder that no result can go to is noticed before any work is done. */
static gboolean
prepare_folder (const char *path, GError **error)
{
  return folder_make (path, error) && folder_check_writable (path, error);
}

/* All ranks get the string of @rank. */
static char *
exchange_text (const char *text, int rank)
{
  gsize size = strlen (text) + 1;
  char *copy;

  ranks_broadcast (&size, sizeof size, rank);
  copy = g_malloc0 (size);
  if (rank == ranks_self ())
    memcpy (copy, text, size);
  ranks_broadcast (copy, size, rank);
  return copy;
}

/* The first rank adds up what the others have done. */
static gboolean
add_other_ranks (BatchTally *tally, const GPtrArray *own, GError **error)
{
  gboolean ok = TRUE;

  ranks_begin ();
  for (int rank = 1; rank < ranks_count (); rank++) {
    guint count = own->len;

    ranks_broadcast (&count, sizeof count, rank);
    for (guint i = 0; i < count; i++) {
      BatchResult result = { .text = "", .json = "" };

      if (rank == ranks_self ())
        result = *(const BatchResult *) own->pdata[i];
      result.text = exchange_text (result.text, rank);
      result.json = exchange_text (result.json, rank);
      ranks_broadcast (&result.state, sizeof result.state, rank);
      if (ranks_self () == 0)
        ok = ok && batch_tally_add (tally, &result, error);
      batch_result_clear (&result);
    }
  }
  ranks_end ();
  return ok;
}

gboolean
batch_run (const Batch *batch, GError **error)
{
  int threads = parallel_threads ();
  int jobs = batch->options->jobs > 0 ? batch->options->jobs : threads;
  Run run = { .batch = batch };
  BatchTally tally;
  gboolean ok, told;

  if (!check_plans (batch->plan, error)
      || !prepare_folder (batch->folder, error)
      || (batch->mask_folder != NULL
          && !prepare_folder (batch->mask_folder, error))
      || !check_case (batch, error))
    return FALSE;
  jobs = MIN (jobs, (int) batch->plan->items->len);
  ranks_start_items ();
  batch_tally_start (&tally, batch);
  told = !ranks_is_first () || batch_tally_left_out (&tally, error);
  run.stopped = !told;
  g_mutex_init (&run.lock);
  g_cond_init (&run.changed);
  run.share = thread_share_new (jobs, threads);
  run.at_work = g_ptr_array_new_with_free_func (join_and_free);
  run.handed_in = g_ptr_array_new_with_free_func (result_free);
  for (guint i = 0; i < batch->plan->items->len; i++)
    run.total += weight_of (batch, i);
  start_workers (&run, jobs);
  ok = watch (&run, &tally, told ? error : NULL) && told;
  ok = add_other_ranks (&tally, run.handed_in, ok ? error : NULL) && ok;
  g_ptr_array_unref (run.at_work);
  g_ptr_array_unref (run.handed_in);
  thread_share_free (run.share);
  g_mutex_clear (&run.lock);
  g_cond_clear (&run.changed);
  return ok && (!ranks_is_first () || batch_tally_finish (&tally, error));
}
