/* dictionaryfile.h - dictionaries by name
 *
 * The names "builtin", "cosines", "learned", "convolutional" and "noise" stand
 * for dictionaries inside the program, see dictlearn/builtin.h.
 */
#pragma once

#include "app/cli/option.h"
#include "dictlearn/dictionary.h"

/* These names, NULL at the end. */
extern const char *const dictionary_file_names[];

/* Whether @name is the one that is used when none is named. */
gboolean dictionary_file_is_builtin (const char *name);

/* Whether @name asks for cosines and nothing that was learned. */
gboolean dictionary_file_is_cosines (const char *name);

/* Reads the dictionary @name: one of those inside, "-" or a file.  NULL with
 * @error set: INPUT, LIMIT. */
Dictionary *dictionary_file_load (const char *name, GError **error);

/* The same for a file that may hold a matrix of known layout. */
Dictionary *dictionary_file_load_as (const char *name, DictionaryLayout layout,
                                     GError **error);

/* For a row of options: the name of a dictionary to write.  Insists on an
 * ending that names a format. */
gboolean dictionary_file_option_output (const Option *option, const char *text,
                                        GError **error);

/* The bytes of a dictionary file of that name.  NULL with @error set: MEMORY. */
GBytes *dictionary_file_encode (const Dictionary *dictionary, const char *path,
                                GError **error);
