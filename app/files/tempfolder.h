/* tempfolder.h - a temporary folder that outlives the program at most until
 * the next one needs such a folder
 *
 * It is removed with the TempFolder.  If the program is killed before that,
 * the next temp_folder_new() of another process removes the folder: what has
 * the name, the owner and the permissions of such folders, and the marker that
 * was put into it, which its process no longer locks.  Nothing else in the
 * place of temporary files is touched, whatever it is called.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include <glib.h>

typedef struct TempFolder TempFolder;

/* Makes one that only its owner can enter.  NULL with @error set (FAILED) when
 * there is no place for it. */
TempFolder *temp_folder_new (GError **error);

/* Removes the folder and all that is in it.  @self may be NULL. */
void temp_folder_free (TempFolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TempFolder, temp_folder_free)

const char *temp_folder_path (const TempFolder *self);

/* Removes a folder and all that is in it.  Links are not followed. */
void temp_folder_remove_tree (const char *path);
