/* workfolder.h - where dictionaries are learned and compared
 *
 * These are commands of this program, run as processes of their own: they
 * take long, and can be stopped at once.  Their pictures and results are in a
 * temporary folder, which is removed with the WorkFolder.  When the server is
 * killed, so are they, and the next server removes its folder.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "base/progress.h"

typedef struct WorkFolder WorkFolder;

/* NULL with @error set (FAILED) when there is no place for the folder. */
WorkFolder *work_folder_new (GError **error);
void work_folder_free (WorkFolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WorkFolder, work_folder_free)

/* Adds a picture to learn from and returns how many there are, or 0 with
 * @error set: INPUT when it is no picture, LIMIT when there are enough. */
guint work_folder_add_picture (WorkFolder *self, GBytes *bytes,
                               GError **error);
void work_folder_clear_pictures (WorkFolder *self);
const char *work_folder_pictures (const WorkFolder *self); /* the folder */

/* The folder of the photographs that come with the program, or NULL. */
char *work_folder_bundled (void);

/* A path in the folder that is not used yet, which the caller owns. */
char *work_folder_new_path (WorkFolder *self, const char *ending);

/* Who is told what a program does. */
typedef struct {
  const Progress *progress;
  void (*stage) (const char *stage, gpointer data);
  gpointer data;
} WorkWatch;

/* Runs "tessera ARGUMENT..." (NULL at the end) and waits for it.  When it
 * fails, @error is what it said. */
gboolean work_folder_run (const char *const *arguments, const WorkWatch *watch,
                          GError **error);

/* Lets the files of @folder, and no others, be read under the returned name,
 * which cannot be guessed; the caller owns it. */
char *work_folder_publish (WorkFolder *self, const char *folder);

/* A file of a published folder; NULL with @error set (INPUT). */
GBytes *work_folder_read (WorkFolder *self, const char *id, const char *name,
                          GError **error);
