/* output.h - files that are written whole or not at all
 *
 * A file is written under another name in the same folder, synced to the disk
 * and moved there: a crash, a full disk or Ctrl-C leaves the old file or none,
 * never half of one.  It keeps the permissions of the file it replaces, and a
 * link stays a link to the file it names.
 *
 * Standard output, devices and pipes are written to as they are.
 */
#pragma once

#include "app/files/unfinished.h"

#include <sys/stat.h>

/* Whether @path is standard output, a device or a pipe. */
gboolean output_is_stream (const char *path);

/* Finds out, before any work is done, whether @path could be written: FAILED
 * when there is a file already and @force is not given, or the folder is not
 * writable. */
gboolean output_check (const char *path, gboolean force, GError **error);

/* Finds out whether an output is one of the inputs, or the same as another
 * output: USAGE.  Links of any kind do not deceive it.
 * Both hold const char *. */
gboolean output_check_distinct (const GPtrArray *inputs,
                                const GPtrArray *outputs, GError **error);

/* Returns FALSE with @error set (FAILED, CANCELLED), and what was at @path is
 * still there.  May be called from any thread.  Where ranks share work, only
 * the first one writes (base/ranks.h). */
gboolean output_write (const char *path, GBytes *data, gboolean force,
                       GError **error);

/* A name in a folder that is open. */
typedef struct {
  int folder;
  const char *name;
  const char *path; /* for messages */
  UnfinishedMode mode;
  const struct stat *replaced; /* the one file that may be replaced, if it is
                                  still as it was then; NULL for any */
} OutputPlace;

/* The same for such a place.  No link is followed: one that has the name is
 * kept or replaced itself. */
gboolean output_write_at (const OutputPlace *place, GBytes *data,
                          GError **error);
