/* launch.h - the ranks of an MPI job
 *
 * "make MPI=1" builds a program that "mpirun -n N" starts N times.  Commands
 * that are shared run on all ranks (base/ranks.h); the first one alone writes
 * files and messages.  Other commands run on the first rank only.  Without
 * mpirun, and in a program that was built without MPI, nothing of this is
 * noticed.
 */
#pragma once

#include <glib.h>

/* To be called once, before the command.  FALSE if this rank has nothing to
 * do. */
gboolean launch_begin (gboolean is_shared);

/* To be called at the end, with the exit status of this rank and what went
 * wrong, NULL for nothing.  If all ranks have come to their end, @status
 * becomes that of the first rank that failed, and the result is whether it is
 * this one, which is to print @message.  A rank that fails while others work
 * says which one it is, and ends all of them. */
gboolean launch_finish (int *status, const char *message);

/* "Open MPI 4.1.4\n", or "" without MPI. */
const char *launch_version (void);
