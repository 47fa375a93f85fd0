/* program.h - run a program of somebody else, and wait for it
 *
 * The program runs without a shell, in a group of processes of its own, with
 * an empty standard input.  It is ended, with all that it started, when its
 * time is over, when the work is cancelled, and when this process ends.
 */
#pragma once

#include "base/progress.h"

typedef struct {
  char **argv;       /* NULL at the end; argv[0] is looked for in PATH */
  const char *words; /* file for what it writes to standard error */
  double limit;      /* seconds */
} ProgramOptions;

/* Runs it.  *@seconds is set to the time that it took.
 * FALSE with @error set: CANCELLED; LIMIT when its time was over; FAILED when
 * it cannot be started, was ended by a signal, or has an exit code other than
 * 0, with the last line that it wrote. */
gboolean program_run (const ProgramOptions *options, double *seconds,
                      const Progress *progress, GError **error);
