/* dictionarylist.h - the dictionaries that a page may choose from
 *
 * Those inside the program come first, then those that were loaded or learned.
 * None is ever removed, so pointers to them stay valid.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "dictlearn/dictionary.h"

#include <json-glib/json-glib.h>

typedef struct DictionaryList DictionaryList;

/* NULL with @error set: MEMORY. */
DictionaryList *dictionary_list_new (GError **error);
void dictionary_list_free (DictionaryList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DictionaryList, dictionary_list_free)

/* Takes @dictionary over.  Returns its number, or -1 with @error set (LIMIT)
 * when the list is full. */
int dictionary_list_add (DictionaryList *self, const char *name,
                         Dictionary *dictionary, GError **error);

/* NULL with @error set (INPUT) if there is none of that number. */
const Dictionary *dictionary_list_get (DictionaryList *self, int number,
                                       GError **error);

/* Whether that is the one which image_restore() works with unless another is
 * named.  It is shown by its convolutional part; the pursuit before that has
 * the next one. */
gboolean dictionary_list_is_builtin (int number);

/* { "dictionaries": [ { number, name, about }, ... ] } */
JsonObject *dictionary_list_describe (DictionaryList *self);
