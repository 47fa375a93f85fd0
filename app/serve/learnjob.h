/* learnjob.h - learning a dictionary, and comparing them, as jobs
 *
 * Both run a command of this program in a folder of its own.
 */
#pragma once

#include "app/serve/jobqueue.h"
#include "app/serve/dictionarylist.h"
#include "app/serve/workfolder.h"

/* "tessera learn" from the training pictures, for so many seconds at the
 * most.  The dictionary is listed as @name; describes itself by
 * dictionary: its number. */
gpointer learn_job_new_learning (WorkFolder *folder,
                                 DictionaryList *dictionaries,
                                 const char *name, const char *algorithm,
                                 int seconds);

/* "tessera compare" with the pictures in the folder @pictures, so many seconds
 * for each algorithm.  Describes itself by report: the name under which the
 * report is published. */
gpointer learn_job_new_comparison (WorkFolder *folder, const char *pictures,
                                   int seconds);

extern const JobClass learn_job_class;
