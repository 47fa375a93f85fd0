/* identity.h - files by what they are, not by what they are called
 *
 * A set of identities is a GHashTable that owns its keys.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>

GHashTable *identities_new (void);

/* TRUE if it was not there yet. */
gboolean identity_add (GHashTable *set, const struct stat *info);

gboolean identity_is_in (GHashTable *set, const struct stat *info);
