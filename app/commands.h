/* commands.h - all commands of the program */
#pragma once

#include "app/command.h"

/* In the order of the help, NULL at the end. */
extern const Command *const commands[];
