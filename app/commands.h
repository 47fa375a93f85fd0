/* commands.h - all commands of the program */
#pragma once

#include "app/command.h"

/* In the order of the help, NULL at the end. */
extern const Command *const commands[];

/* Whether all ranks of an MPI job run @command, or just the first one; see
 * app/system/launch.h. */
gboolean command_is_shared (const Command *command);
