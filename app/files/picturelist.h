/* picturelist.h - the pictures that arguments name: files, and whole folders
 */
#pragma once

#include <glib.h>

/* All files named in @arguments (NULL at the end), and all pictures in the
 * folders named there and in their folders, each once: files as they come,
 * those of a folder sorted by name.  Hidden files are left out, and so are,
 * with a note, folders in folders that cannot be read, and a folder "gray"
 * beside a folder "color", which has the same pictures.
 * Returns an array of char *, which the caller owns, or NULL with @error set
 * (INPUT) when something does not exist or there is no picture. */
GPtrArray *picture_list_find (char **arguments, GError **error);
