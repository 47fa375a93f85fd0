/* options.h - what a command is asked to do with a folder of pictures */
#pragma once

#include "app/cli/commandline.h"

typedef struct {
  gboolean recursive;     /* folders in folders too */
  gboolean skip_existing; /* keep whatever has the right name */
  gboolean strict;        /* files that are left out are a failure */
  const char *suffix;     /* put in front of the ending, or NULL */
  const char *format;     /* ending of all outputs, or NULL for that of the
                             input; before parsing "png" or NULL */
  int jobs;               /* pictures at a time; 0 for one per thread */
} BatchOptions;

/* Adds --recursive, --suffix, --format, --skip-existing, --strict and --jobs
 * to the options of a command. */
void batch_add_options (CommandLine *line, BatchOptions *options);
