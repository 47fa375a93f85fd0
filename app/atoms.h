/* atoms.h - dictionaries by name
 *
 * The name "builtin" stands for the dictionary inside the program.
 */
#pragma once

#include "app/option.h"
#include "dictlearn/dictionary.h"

gboolean atoms_is_builtin (const char *name);

/* The dictionary that is used when none is named; the caller owns it. */
Dictionary *atoms_builtin (void);

/* Reads the dictionary @name, "builtin", "-" or a file.  NULL with @error set:
 * INPUT, LIMIT. */
Dictionary *atoms_load (const char *name, GError **error);

/* For a row of options: the name of a dictionary to write.  Insists on an
 * ending that names a format. */
gboolean atoms_option_output (const Option *option, const char *text,
                              GError **error);

/* The bytes of a dictionary file of that name. */
GBytes *atoms_encode (const Dictionary *dictionary, const char *path);
