/* atoms.h - dictionaries by name
 *
 * The name "builtin" stands for the dictionary inside the program.
 */
#pragma once

#include "dictlearn/dictionary.h"

gboolean atoms_is_builtin (const char *name);

/* The dictionary that is used when none is named; the caller owns it. */
Dictionary *atoms_builtin (void);

/* Reads the dictionary @name, "builtin", "-" or a file.  NULL with @error set:
 * INPUT, LIMIT. */
Dictionary *atoms_load (const char *name, GError **error);
