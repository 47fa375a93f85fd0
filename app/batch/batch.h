/* batch.h - a folder of pictures, several at a time
 *
 * The calling thread prints and shows progress; others take turns.  A picture
 * that fails does not stop the rest.  The ranks of an MPI job take turns too;
 * the first one prints what the others did at the end.
 */
#pragma once

#include "app/batch/turn.h"

/* Makes the output folder and works through the plan.  FALSE with @error set:
 * INPUT if any picture failed, CANCELLED, FAILED. */
gboolean batch_run (const Batch *batch, GError **error);
