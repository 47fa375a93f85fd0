/* jobqueue.h - long work in the background, one job after another
 *
 * A queue has one thread, which does its jobs in the order in which they came.
 * All functions may be called from any thread.
 */
#pragma once

#include "base/progress.h"

#include <json-glib/json-glib.h>

/* A kind of work.  @data belongs to the job; a job that is done keeps it for
 * a while to be described, so @run frees everything large. */
typedef struct {
  gboolean (*run) (gpointer data, const Progress *progress, GError **error);

  /* Adds what a page wants to know about the result.  May be NULL; called
   * only when the job is done. */
  void (*describe) (gpointer data, JsonObject *json);

  void (*free) (gpointer data);

  /* What it is doing, for the caller to free, or NULL.  May be NULL; called
   * while the job runs, from any thread. */
  char *(*stage) (gpointer data);

  /* Adds what is known of the result while the job runs, from any thread.  May
   * be NULL. */
  void (*describe_so_far) (gpointer data, JsonObject *json);
} JobClass;

typedef struct JobQueue JobQueue;

JobQueue *job_queue_new (void);

/* Cancels all jobs and waits for the one that runs.  @self may be NULL. */
void job_queue_free (JobQueue *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobQueue, job_queue_free)

/* Appends a job for @owner and takes @data over, also when it fails.
 * Returns its number, or 0 with @error set (LIMIT) when the owner has an
 * unfinished job already or too many jobs wait. */
guint job_queue_add (JobQueue *self, const char *owner, const JobClass *class,
                     gpointer data, GError **error);

/* Asks a job to stop.  FALSE if there is no such job. */
gboolean job_queue_cancel (JobQueue *self, guint number);

/* Asks the unfinished job of @owner to stop. */
void job_queue_cancel_owner (JobQueue *self, const char *owner);

/* The state of a job:
 *
 *     state         waiting, running, done, failed or cancelled
 *     ahead         jobs in front of it that are not finished
 *     done          share of the work, 0 .. 1
 *     stage         what it is doing, null while unknown
 *     seconds       since it began
 *     seconds_left  null while unknown
 *     error         why it failed, else null
 *
 * and what the class says.  NULL if there is no such job: finished ones are
 * forgotten after a while. */
JsonObject *job_queue_describe (JobQueue *self, guint number);
