#include "app/system/launch.h"

#ifndef TESSERA_MPI

gboolean
launch_begin (gboolean is_shared)
{
  (void) is_shared;
  return TRUE;
}

gboolean
launch_finish (int *status, const char *message)
{
  (void) status;
  return message != NULL;
}

const char *
launch_version (void)
{
  return "";
}

#else

#include "app/cli/terminal.h"
#include "base/ranks.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

/* How long a rank that failed waits for the others to end too, as they do
 * where all have found the same mistake. */
#define PATIENCE (5 * G_USEC_PER_SEC)
#define POLL 5000 /* microseconds */

/* How long a rank spins before it sleeps, and how long it sleeps at a time:
 * microseconds. */
#define SPIN 200
#define NAP 50

/* MPI counts in int. */
#define MOST_BYTES ((gsize) 1 << 30)

static RanksLink mpi; /* count is 0 before there is a job */
static int kept_stderr = -1;

/* What mpirun tells the processes that it starts: the number of the rank. */
static const char *const rank_names[] = { "OMPI_COMM_WORLD_RANK",
                                          "PMIX_RANK" };

static const char *
find_rank (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rank_names); i++)
    if (g_getenv (rank_names[i]) != NULL)
      return g_getenv (rank_names[i]);
  return NULL;
}

/* Waits as little as MPI itself does if the others are about to come, and
 * leaves the processor to them if they are not: where ranks outnumber cores,
 * one that spins keeps away those that it waits for. */
static void
await (MPI_Request *request)
{
  gint64 began = g_get_monotonic_time ();
  int done = FALSE;

  for (MPI_Test (request, &done, MPI_STATUS_IGNORE); !done;
       MPI_Test (request, &done, MPI_STATUS_IGNORE))
    if (g_get_monotonic_time () - began > SPIN)
      g_usleep (NAP);
}

static void
broadcast (gpointer data, gsize size, int from)
{
  for (gsize done = 0; done < size; done += MOST_BYTES) {
    MPI_Request request;

    MPI_Ibcast ((char *) data + done, (int) MIN (MOST_BYTES, size - done),
                MPI_BYTE, from, MPI_COMM_WORLD, &request);
    await (&request);
  }
}

/* Returns once all ranks are here. */
static void
meet (void)
{
  MPI_Request request;

  MPI_Ibarrier (MPI_COMM_WORLD, &request);
  await (&request);
}

/* ---- a counter that all ranks share ---- */

static MPI_Win window;
static gboolean has_window;
static int *counter;
static GMutex one_at_a_time; /* MPI is told that its calls are serialised */

/* It is in the memory of the first rank, which need not take part. */
static void
start_items (void)
{
  meet ();
  if (!has_window) {
    MPI_Win_allocate (mpi.self == 0 ? sizeof (int) : 0, sizeof (int),
                      MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &window);
    MPI_Win_lock_all (0, window);
    has_window = TRUE;
  }
  if (mpi.self == 0)
    *counter = 0;
  MPI_Win_sync (window);
  meet ();
}

static guint
next_item (void)
{
  const int one = 1;
  int number;

  g_mutex_lock (&one_at_a_time);
  MPI_Fetch_and_op (&one, &number, MPI_INT, 0, 0, MPI_SUM, window);
  MPI_Win_flush (0, window);
  g_mutex_unlock (&one_at_a_time);
  return (guint) number;
}

static void
free_counter (void)
{
  if (!has_window)
    return;
  MPI_Win_unlock_all (window);
  MPI_Win_free (&window);
}

/* ---- */

/* Ranks other than the first are not heard. */
static void
be_silent (void)
{
  int nowhere = open ("/dev/null", O_WRONLY | O_CLOEXEC);

  kept_stderr = fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (nowhere < 0)
    return;
  dup2 (nowhere, STDOUT_FILENO);
  dup2 (nowhere, STDERR_FILENO);
  close (nowhere);
}

static void
be_heard (void)
{
  if (kept_stderr >= 0)
    dup2 (kept_stderr, STDERR_FILENO);
}

gboolean
launch_begin (gboolean is_shared)
{
  const char *rank = find_rank ();
  int provided;

  if (rank == NULL)
    return TRUE;
  if (!is_shared) {
    gboolean is_first = atoi (rank) == 0;

    /* Processes that this one starts are no ranks. */
    for (gsize i = 0; i < G_N_ELEMENTS (rank_names); i++)
      g_unsetenv (rank_names[i]);
    return is_first;
  }
  MPI_Init_thread (NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank (MPI_COMM_WORLD, &mpi.self);
  MPI_Comm_size (MPI_COMM_WORLD, &mpi.count);
  mpi.broadcast = broadcast;
  mpi.start_items = start_items;
  mpi.next_item = next_item;
  ranks_set_link (&mpi);
  if (mpi.self > 0)
    be_silent ();
  return TRUE;
}

/* Whether all ranks have come to their end.  Without a mistake of its own, a
 * rank waits as long as it takes. */
static gboolean
await_others (gboolean failed)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE;
  MPI_Request request;
  int done = FALSE;

  MPI_Ibarrier (MPI_COMM_WORLD, &request);
  while (!done) {
    MPI_Test (&request, &done, MPI_STATUS_IGNORE);
    if (done || (failed && g_get_monotonic_time () > deadline))
      break;
    g_usleep (POLL);
  }
  return done;
}

gboolean
launch_finish (int *status, const char *message)
{
  int first = 0;
  g_autofree int *all = NULL;

  if (mpi.count == 0)
    return message != NULL;
  if (!await_others (*status != 0)) {
    g_autofree char *text =
      g_strdup_printf ("rank %d of %d: %s", mpi.self, mpi.count, message);

    be_heard ();
    terminal_error (text);
    MPI_Abort (MPI_COMM_WORLD, *status);
  }
  all = g_new (int, mpi.count);
  MPI_Allgather (status, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  free_counter ();
  MPI_Finalize ();
  while (first < mpi.count - 1 && all[first] == 0)
    first++;
  *status = all[first];
  if (all[first] == 0 || first != mpi.self)
    return FALSE;
  be_heard ();
  return TRUE;
}

const char *
launch_version (void)
{
  return "Open MPI " G_STRINGIFY (OMPI_MAJOR_VERSION) "." G_STRINGIFY (
    OMPI_MINOR_VERSION) "." G_STRINGIFY (OMPI_RELEASE_VERSION) "\n";
}

#endif
