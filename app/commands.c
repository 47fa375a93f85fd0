#include "app/commands.h"

#define COMMANDS(ROW)                                                         \
  ROW (restore)                                                               \
  ROW (inpaint)                                                               \
  ROW (denoise)                                                               \
  ROW (find)                                                                  \
  ROW (serve)                                                                 \
  ROW (learn)                                                                 \
  ROW (corrupt)                                                               \
  ROW (score)                                                                 \
  ROW (compare)                                                               \
  ROW (dict)                                                                  \
  ROW (synth)                                                                 \
  ROW (completion)

#define DECLARE(name) extern const Command command_##name;
#define ADDRESS(name) &command_##name,

COMMANDS (DECLARE)

const Command *const commands[] = { COMMANDS (ADDRESS) NULL };
