/* record.h - how each result in a folder was made
 *
 * The hidden folder ".tessera" of an output folder has a small text file for
 * each result: what it was made from, with which options, and a checksum of
 * the result itself.  With it, a run that was stopped goes on where it was, and
 * a result is made again when options or input have changed.
 *
 * A folder may come from anybody.  Below ".tessera" no link is followed and
 * only ordinary files are read; and a record has no say over a result that is
 * reached through a link.
 *
 * The record is written before the result takes its name.  Whatever ends the
 * program between the two, the next run sees by the checksum which of them
 * holds.
 */
#pragma once

#include "app/batch/plan.h"

#define RECORD_FOLDER ".tessera"

typedef enum {
  RESULT_MISSING,
  RESULT_CURRENT,  /* made from this input with these options */
  RESULT_OUTDATED, /* made by us, from something else */
  RESULT_FOREIGN,  /* not as we left it, or not ours */
  RESULT_LINKED    /* a link, or behind one: it may be anybody's */
} ResultState;

/* What is there in the place of a result. */
typedef struct {
  ResultState state;
  struct stat file; /* for CURRENT and OUTDATED */
  char *line;       /* for the record; NULL where it was not read */
} FoundResult;

void found_result_clear (FoundResult *found);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FoundResult, found_result_clear)

/* Whether names that differ only by case are the same in @folder, which
 * exists.  FALSE where that cannot be found out. */
gboolean record_folder_ignores_case (const char *folder);

/* What a result depends on: @recipe, which has the options, and the size and
 * time of the files that are read.  The caller owns it. */
char *record_describe (const BatchItem *item, const char *recipe);

/* What is there for @item in @folder.  @description is what
 * record_describe() says now.  Clear @found afterwards. */
void record_look_up (const char *folder, const BatchItem *item,
                     const char *description, FoundResult *found);

/* Notes that @bytes, about to be written as the output of @item in place of
 * @found, are the result of @description.  FALSE with @error set (FAILED,
 * CANCELLED). */
gboolean record_write (const char *folder, const BatchItem *item,
                       const char *description, GBytes *bytes,
                       const FoundResult *found, GError **error);
