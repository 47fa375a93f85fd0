/* command.h - what a command of the program is
 *
 * A new command is one file with its run function, the function's line here
 * and a row in the table of main.c.
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
} Command;

gboolean inpaint_run (char **argv, GError **error);
gboolean denoise_run (char **argv, GError **error);
gboolean learn_run (char **argv, GError **error);
gboolean synth_run (char **argv, GError **error);
gboolean corrupt_run (char **argv, GError **error);
gboolean score_run (char **argv, GError **error);
gboolean dict_run (char **argv, GError **error);
gboolean compare_run (char **argv, GError **error);
gboolean serve_run (char **argv, GError **error);
