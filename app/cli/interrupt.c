/* interrupt.c - a thread that waits for signals
 *
 * The handlers only wake the thread, which may then do what a handler may not.
 * Blocking the signals and waiting with sigwait() would be simpler, but
 * OpenBLAS starts threads of its own when it is loaded, before we can block
 * anything, and a signal that one of them takes would just kill the program.
 */
#include "app/cli/interrupt.h"

#include "app/files/unfinished.h"
#include "app/exitstatus.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#define GRACE_SECONDS 1

static GCancellable *cancellable;
static gint is_patient; /* atomic */
static sem_t arrived;

static void
on_signal (int number)
{
  int saved_errno = errno;

  (void) number;
  sem_post (&arrived);
  errno = saved_errno;
}

static void
wait_for_signal (void)
{
  while (sem_wait (&arrived) != 0)
    ;
}

static void
wait_for_signal_or_deadline (void)
{
  struct timespec deadline;

  clock_gettime (CLOCK_REALTIME, &deadline);
  deadline.tv_sec += GRACE_SECONDS;
  while (sem_timedwait (&arrived, &deadline) != 0 && errno == EINTR)
    ;
}

/* @data is what the first signal cancels. */
static gpointer
watch (gpointer data)
{
  wait_for_signal ();
  g_cancellable_cancel (data);
  if (g_atomic_int_get (&is_patient))
    wait_for_signal ();
  else
    wait_for_signal_or_deadline ();
  unfinished_exit ("interrupted", exit_status (TESSERA_ERROR_CANCELLED));
}

/* A signal that is ignored, as under nohup, stays ignored. */
static void
handle_unless_ignored (int number)
{
  struct sigaction old;
  struct sigaction action = { .sa_handler = on_signal,
                              .sa_flags = SA_RESTART };

  if (sigaction (number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
    sigaction (number, &action, NULL);
}

void
interrupt_init (void)
{
  GThread *thread;

  cancellable = g_cancellable_new ();
  if (sem_init (&arrived, 0, 0) != 0)
    return;
  thread = g_thread_try_new ("interrupt", watch, cancellable, NULL);

  /* Without the thread signals end the program in the usual way. */
  if (thread == NULL)
    return;
  g_thread_unref (thread);
  handle_unless_ignored (SIGINT);
  handle_unless_ignored (SIGTERM);
  handle_unless_ignored (SIGHUP);
}

GCancellable *
interrupt_cancellable (void)
{
  return cancellable;
}

void
interrupt_be_patient (void)
{
  g_atomic_int_set (&is_patient, TRUE);
}

/* The thread keeps the old one. */
void
interrupt_begin_saving (void)
{
  cancellable = g_cancellable_new ();
}
