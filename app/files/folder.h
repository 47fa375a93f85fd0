/* folder.h - what is in a folder, and folders that a command fills */
#pragma once

#include <glib.h>

typedef enum {
  FOLDER_KEPT, /* it was there before */
  FOLDER_MADE, /* and is to be removed again on failure */
} FolderState;

/* Makes @path a folder that may be written to.  FALSE with @error set
 * (FAILED) when it is no folder, or holds something and @force is not given:
 * results of different runs do not get mixed by accident. */
gboolean folder_prepare (const char *path, gboolean force, FolderState *state,
                         GError **error);

/* After a failure: removes the folder if folder_prepare() made it and it is
 * still empty. */
void folder_undo (const char *path, FolderState state);

/* Makes a folder and those it is in, if they are not there yet.  FALSE with
 * @error set (FAILED). */
gboolean folder_make (const char *path, GError **error);

/* Finds out whether files can be made in a folder.  FALSE with @error set
 * (FAILED). */
gboolean folder_check_writable (const char *path, GError **error);

/* Opens a folder for openat() and the like.  Returns a descriptor that the
 * caller closes, or -1 with @error set (FAILED). */
int folder_open (const char *path, GError **error);

/* What to do about a folder that is not there. */
typedef enum { FOLDER_MUST_EXIST, FOLDER_IS_MADE } FolderNeed;

/* Opens the folder @name, such as "a/b", below @root without following a link
 * on the way from there.  Returns as above. */
int folder_open_below (const char *root, const char *name, FolderNeed need,
                       GError **error);

/* The names in @folder in alphabetical order, without hidden ones: an array of
 * char * that the caller owns; NULL if the folder cannot be read. */
GPtrArray *folder_names (const char *folder);
