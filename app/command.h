/* command.h - what a command of the program is
 *
 * A new command is one file that defines "const Command command_NAME", and
 * one row of the table in commands.c.
 */
#pragma once

#include <glib.h>

/* Does the whole command.  @argv[0] is the command's name.
 * Returns FALSE with @error set, always in the domain TESSERA_ERROR. */
typedef gboolean (*CommandFunc) (char **argv, GError **error);

typedef struct {
  const char *name;
  const char *summary; /* one line for the list of commands */
  CommandFunc run;
  gboolean is_shared; /* all ranks of an MPI job run it, not just the first;
                         see app/system/launch.h */
} Command;
