/* learnjob.h - learning a dictionary, and comparing them, as jobs
 *
 * Both run a command of this program in a studio.
 */
#pragma once

#include "app/serve/jobqueue.h"
#include "app/serve/dictionarylist.h"
#include "app/serve/workspace.h"

/* "tessera learn" from the pictures of the studio, for so many seconds at the
 * most.  The dictionary is put on the shelf as @name; describes itself by
 * dictionary: its number. */
gpointer study_new_learning (Studio *studio, Shelf *shelf, const char *name,
                             const char *algorithm, int seconds);

/* "tessera compare" with the pictures of @folder, so many seconds for each
 * algorithm.  Describes itself by report: the name under which the report is
 * published. */
gpointer study_new_comparison (Studio *studio, const char *folder,
                               int seconds);

extern const JobClass study_class;
