/* turn.h - one picture of a folder: from its file to its result
 *
 * Decides whether there is anything to do, has the command do it, and puts
 * record and result in place.  Any thread, and any process that has made the
 * same plan, may take a turn; what it has to say is in the BatchResult.
 */
#pragma once

#include "app/batch/plan.h"
#include "app/batch/threadshare.h"
#include "base/progress.h"

#include <json-glib/json-glib.h>

/* A turn, as the command sees it. */
typedef struct {
  const BatchItem *item;
  const Progress *progress;
  JsonObject *json; /* to be filled in: the result for programs */
  GString *text;    /* and for people, one line */
  ThreadShare *share;
  ThreadClaim claim;
  GBytes *mask; /* to be set where item->mask_result is: its content */
} BatchTurn;

/* Asks for threads once the size of the picture is known, and gives them back
 * before it is encoded. */
void batch_turn_claim (BatchTurn *turn, gsize pixels);
void batch_turn_release (BatchTurn *turn);

/* Makes the result, the content of item->output.  NULL with @error set.
 * Called by several threads at a time. */
typedef GBytes *(*BatchFunc) (BatchTurn *turn, gpointer data, GError **error);

/* A folder of work.  All of it stays as it is while turns are taken. */
typedef struct {
  const BatchPlan *plan;
  const BatchOptions *options;
  const CommandLine *line;
  const char *folder; /* where results and records go */
  const char *mask_folder; /* and those of masks; NULL for none */
  const char *label;  /* for the progress bar: "repairing" */
  const char *recipe; /* command_line_recipe() */
  BatchFunc work;
  gpointer data;
} Batch;

typedef enum {
  BATCH_DONE,
  BATCH_SKIPPED,
  BATCH_FAILED,
  BATCH_STOPPED /* interrupted: nothing was done */
} BatchState;

typedef struct {
  guint number; /* of the item */
  BatchState state;
  char *text; /* one line for people; the message of a failure */
  char *json; /* one line for programs */
} BatchResult;

/* Takes a turn.  @share may be NULL.  Clear the result afterwards. */
void batch_take_turn (const Batch *batch, guint number, ThreadShare *share,
                      const Progress *progress, BatchResult *result);
void batch_result_clear (BatchResult *result);
