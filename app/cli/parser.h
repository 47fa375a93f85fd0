/* parser.h - reads a command line by a table of options
 *
 * Long options take = or a space, short ones a space or nothing; -- ends the
 * options.
 */
#pragma once

#include "app/cli/option.h"

typedef struct {
  const char *usage; /* what follows the name of the program: "IN -o OUT" */
  const char *about; /* for the help, in front of the options */
  const GArray *options; /* Option */
  GHashTable *given; /* gets the last text of each option that was given, ""
                        for flags, under its long name; or NULL */
} Parser;

/* Reads the words behind @argv[0] into the values of the options.  Words that
 * are no options go to @rest, for g_strfreev(); it stays NULL if there are
 * none.  Returns FALSE with @error set (USAGE). */
gboolean parser_run (const Parser *parser, char **argv, char ***rest,
                     GError **error);

/* The help, which the caller owns.  Takes the name of the program from
 * g_get_prgname(). */
char *parser_help (const Parser *parser);
