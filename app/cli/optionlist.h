/* optionlist.h - options whose value is a list: "50,100,200"
 *
 * The option's value points to where the list goes, which must be NULL or a
 * list to be replaced.  Each element is within min .. max, there is at least
 * one and at most OPTION_LIST_MAX.
 */
#pragma once

#include "app/cli/option.h"

#define OPTION_LIST_MAX 64

/* Into a GArray * of int or of double, for g_array_unref(). */
gboolean option_int_list (const Option *option, const char *text,
                          GError **error);
gboolean option_real_list (const Option *option, const char *text,
                           GError **error);

/* Seeds, none twice, into a GArray * of guint64. */
gboolean option_seed_list (const Option *option, const char *text,
                           GError **error);

/* Words among the choices, none twice, into a char ** for g_strfreev(). */
gboolean option_word_list (const Option *option, const char *text,
                           GError **error);
