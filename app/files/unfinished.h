/* unfinished.h - the unfinished file, which must not outlive the program
 *
 * There is at most one.  It is made in the folder of the file it will become,
 * without a name where the file system can do that, and either takes that
 * file's place or is removed, also when the program ends early.
 * Every function may be called from any thread.
 */
#pragma once

#include <glib.h>

typedef enum { KEEP_EXISTING, REPLACE_EXISTING } UnfinishedMode;

/* Makes an empty file, without a name or with a hidden, unused one, in the
 * folder that the descriptor @folder stands for, which stays open until the
 * file has its place or is removed.  Returns a descriptor to write to, which
 * is not the caller's to close, or -1 with errno set. */
int unfinished_open (int folder);

/* Closes the file and gives it its @name in the same folder, in one step.  A
 * link of that name is replaced, not followed.  Returns FALSE with errno set,
 * EEXIST when there is a file called @name that is to be kept; the pending
 * file is then still there. */
gboolean unfinished_commit (const char *name, UnfinishedMode mode);

/* Removes the file, if there is one. */
void unfinished_discard (void);

/* Removes the file, if there is one, says "tessera: MESSAGE" and ends the
 * program.  Needs no memory. */
G_NORETURN void unfinished_exit (const char *message, int status);
