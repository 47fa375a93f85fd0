#include "app/serve/jobqueue.h"

#include "app/cli/jsonreport.h"
#include "app/serve/pace.h"
#include "base/error.h"

#include <math.h>

/* Jobs that may be unfinished, and finished ones that are remembered. */
#define MOST_UNFINISHED 32
#define MOST_FINISHED 32

typedef enum { WAITING, RUNNING, DONE, FAILED, CANCELLED } JobState;

static const char *const state_names[] = { "waiting", "running", "done",
                                           "failed", "cancelled" };

typedef struct {
  JobQueue *queue;
  guint number;
  char *owner;
  const JobClass *class;
  gpointer data;
  GCancellable *cancellable;

  JobState state;
  double done;
  Pace pace;
  gint64 started, ended; /* microseconds */
  char *error;
} Job;

struct JobQueue {
  GMutex lock; /* for all of it, and for the jobs */
  GCond wake;
  GPtrArray *jobs; /* Job, oldest first */
  gboolean closing;
  GThread *thread;
};

/* The numbers of all queues together, so that one names one job. */
static guint last_number; /* atomic */

static void
free_data (Job *job)
{
  if (job->data != NULL)
    job->class->free (job->data);
  job->data = NULL;
}

static void
job_free (Job *job)
{
  free_data (job);
  g_object_unref (job->cancellable);
  g_free (job->owner);
  g_free (job->error);
  g_free (job);
}

static gboolean
is_finished (const Job *job)
{
  return job->state != WAITING && job->state != RUNNING;
}

/* ---- the thread ---- */

static void
report (double done, gpointer user_data)
{
  Job *job = user_data;

  g_mutex_lock (&job->queue->lock);
  job->done = CLAMP (done, 0, 1);
  pace_note (&job->pace, g_get_monotonic_time (), job->done);
  g_mutex_unlock (&job->queue->lock);
}

/* The job to do next; NULL to end the thread.  Needs the lock. */
static Job *
await_job (JobQueue *self)
{
  for (;;) {
    if (self->closing)
      return NULL;
    for (guint i = 0; i < self->jobs->len; i++) {
      Job *job = self->jobs->pdata[i];

      if (job->state == WAITING)
        return job;
    }
    g_cond_wait (&self->wake, &self->lock);
  }
}

static void
finish (Job *job, gboolean ok, const GError *error)
{
  job->ended = g_get_monotonic_time ();
  if (ok)
    job->state = DONE;
  else if (g_error_matches (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED))
    job->state = CANCELLED;
  else {
    job->state = FAILED;
    job->error = g_strdup (error->message);
  }
  if (job->state != DONE)
    free_data (job);
}

static void
forget_old (JobQueue *self)
{
  guint finished = 0;

  for (guint i = self->jobs->len; i-- > 0;)
    if (is_finished (self->jobs->pdata[i]) && ++finished > MOST_FINISHED)
      g_ptr_array_remove_index (self->jobs, i);
}

static gpointer
work (gpointer data)
{
  JobQueue *self = data;
  Job *job;

  g_mutex_lock (&self->lock);
  while ((job = await_job (self)) != NULL) {
    Progress progress = { report, job, job->cancellable };
    g_autoptr (GError) error = NULL;
    gboolean ok;

    job->state = RUNNING;
    job->started = g_get_monotonic_time ();
    job->pace = pace_begin (job->started);
    g_mutex_unlock (&self->lock);
    ok = job->class->run (job->data, &progress, &error);
    g_mutex_lock (&self->lock);
    finish (job, ok, error);
    forget_old (self);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

JobQueue *
job_queue_new (void)
{
  JobQueue *self = g_new0 (JobQueue, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  self->jobs = g_ptr_array_new_with_free_func ((GDestroyNotify) job_free);
  self->thread = g_thread_new ("jobs", work, self);
  return self;
}

void
job_queue_free (JobQueue *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->closing = TRUE;
  for (guint i = 0; i < self->jobs->len; i++)
    g_cancellable_cancel (((Job *) self->jobs->pdata[i])->cancellable);
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  g_ptr_array_unref (self->jobs);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->wake);
  g_free (self);
}

/* ---- for others ---- */

/* Needs the lock, as do the functions below. */
static Job *
find_unfinished (JobQueue *self, const char *owner)
{
  for (guint i = 0; i < self->jobs->len; i++) {
    Job *job = self->jobs->pdata[i];

    if (!is_finished (job) && g_str_equal (job->owner, owner))
      return job;
  }
  return NULL;
}

static Job *
find_number (JobQueue *self, guint number)
{
  for (guint i = 0; i < self->jobs->len; i++) {
    Job *job = self->jobs->pdata[i];

    if (job->number == number)
      return job;
  }
  return NULL;
}

static guint
count_unfinished (JobQueue *self, const Job *before)
{
  guint count = 0;

  for (guint i = 0; i < self->jobs->len && self->jobs->pdata[i] != before; i++)
    count += is_finished (self->jobs->pdata[i]) ? 0 : 1;
  return count;
}

static gboolean
may_add (JobQueue *self, const char *owner, GError **error)
{
  const char *why = NULL;

  if (find_unfinished (self, owner) != NULL)
    why = "a job is already running; wait for it or cancel it";
  else if (count_unfinished (self, NULL) >= MOST_UNFINISHED)
    why = "too many jobs are waiting; try again later";
  if (why != NULL)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT, why);
  return why == NULL;
}

guint
job_queue_add (JobQueue *self, const char *owner, const JobClass *class,
               gpointer data, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  Job *job;

  if (!may_add (self, owner, error)) {
    class->free (data);
    return 0;
  }
  job = g_new0 (Job, 1);
  job->queue = self;
  job->number = 1 + (guint) g_atomic_int_add (&last_number, 1);
  job->owner = g_strdup (owner);
  job->class = class;
  job->data = data;
  job->cancellable = g_cancellable_new ();
  g_ptr_array_add (self->jobs, job);
  forget_old (self);
  g_cond_signal (&self->wake);
  return job->number;
}

/* One that waits is finished at once, one that runs stops by itself. */
static void
cancel (Job *job)
{
  g_cancellable_cancel (job->cancellable);
  if (job->state == WAITING) {
    job->state = CANCELLED;
    free_data (job);
  }
}

gboolean
job_queue_cancel (JobQueue *self, guint number)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  Job *job = find_number (self, number);

  if (job != NULL)
    cancel (job);
  return job != NULL;
}

void
job_queue_cancel_owner (JobQueue *self, const char *owner)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  Job *job = find_unfinished (self, owner);

  if (job != NULL)
    cancel (job);
}

static gint64
elapsed (const Job *job)
{
  if (job->started == 0)
    return 0;
  return (is_finished (job) ? job->ended : g_get_monotonic_time ())
         - job->started;
}

JsonObject *
job_queue_describe (JobQueue *self, guint number)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  Job *job = find_number (self, number);
  g_autofree char *stage = NULL;
  JsonObject *json;
  gint64 left;

  if (job == NULL)
    return NULL;
  json = json_object_new ();
  if (job->state == RUNNING && job->class->stage != NULL)
    stage = job->class->stage (job->data);
  left = job->state == RUNNING
           ? pace_seconds_left (&job->pace, g_get_monotonic_time (), job->done)
           : -1;
  json_report_set_text (json, "state", state_names[job->state]);
  json_report_set_count (json, "ahead", count_unfinished (self, job));
  json_report_set_number (json, "done", job->state == DONE ? 1 : job->done);
  json_report_set_text (json, "stage", stage);
  json_report_set_number (json, "seconds",
                          (double) elapsed (job) / G_USEC_PER_SEC);
  json_report_set_number (json, "seconds_left",
                          left >= 0 ? (double) left : NAN);
  json_report_set_text (json, "error", job->error);
  if (job->state == DONE && job->class->describe != NULL)
    job->class->describe (job->data, json);
  if (job->state == RUNNING && job->class->describe_so_far != NULL)
    job->class->describe_so_far (job->data, json);
  return json;
}
