/* workspace.h - where dictionaries are learned and compared
 *
 * These are commands of this program, run as processes of their own: they
 * take long, and can be stopped at once.  They find their pictures and leave
 * their results in a folder of the studio, which vanishes with it.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "base/progress.h"

typedef struct Studio Studio;

/* NULL with @error set (FAILED) when there is no place for the folder. */
Studio *studio_new (GError **error);
void studio_free (Studio *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Studio, studio_free)

/* Adds a picture to learn from and returns how many there are, or 0 with
 * @error set: INPUT when it is no picture, LIMIT when there are enough. */
guint studio_add_picture (Studio *self, GBytes *bytes, GError **error);
void studio_clear_pictures (Studio *self);
const char *studio_pictures (const Studio *self); /* the folder */

/* The folder of the photographs that come with the program, or NULL. */
char *studio_bundled (void);

/* A path in the studio that is not used yet, which the caller owns. */
char *studio_new_path (Studio *self, const char *ending);

/* Runs "tessera ARGUMENT..." (NULL at the end) and waits for it.  When it
 * fails, @error is what it said. */
gboolean studio_run (const char *const *arguments, const Progress *progress,
                     GError **error);

/* Lets the files of @folder, and no others, be read under the name that is
 * returned, which nobody guesses; the caller owns it. */
char *studio_publish (Studio *self, const char *folder);

/* A file of a published folder; NULL with @error set (INPUT). */
GBytes *studio_read (Studio *self, const char *id, const char *name,
                     GError **error);
