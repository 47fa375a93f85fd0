/* tally.h - what is said about a folder of pictures, and the sum of it */
#pragma once

#include "app/batch/turn.h"

typedef struct {
  const Batch *batch;
  gint64 started;  /* microseconds */
  guint counts[4]; /* by BatchState */
} BatchTally;

void batch_tally_start (BatchTally *tally, const Batch *batch);

/* Prints a line for each file that is left out.  FALSE as below. */
gboolean batch_tally_left_out (const BatchTally *tally, GError **error);

/* Counts a result and prints its line.  FALSE with @error set when standard
 * output cannot be written. */
gboolean batch_tally_add (BatchTally *tally, const BatchResult *result,
                          GError **error);

/* Prints the sum.  FALSE with @error set: CANCELLED if the run was stopped,
 * else INPUT if a picture failed, or a file was left out that may not be. */
gboolean batch_tally_finish (const BatchTally *tally, GError **error);
