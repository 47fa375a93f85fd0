/* script.h - completion scripts for shells
 *
 * A script is made from the tables that the commands parse their options by,
 * so the two cannot differ.
 */
#pragma once

#include "app/cli/option.h"

typedef struct {
  const char *name, *summary;
  GArray *options;          /* Option */
  gboolean takes_arguments; /* otherwise there are only options */
  const char *const *words; /* what the argument may be; NULL for files */
} CompletedCommand;

/* What may follow an option. */
typedef enum {
  VALUE_NONE,   /* a flag */
  VALUE_FREE,   /* a number or a text, which cannot be completed */
  VALUE_WORD,   /* one of the choices */
  VALUE_LIST,   /* several of the choices, with commas */
  VALUE_FILE,   /* a file, or one of the choices if there are any */
  VALUE_FOLDER,
} ValueKind;

ValueKind completion_value_kind (const Option *option);

/* The choices of @option, with a space between. */
char *completion_words (const char *const *choices);

static inline const Option *
completion_option (const CompletedCommand *command, guint i)
{
  return &g_array_index (command->options, Option, i);
}

/* Appends the script to @text.  @commands are CompletedCommand. */
typedef void (*CompletionScript) (GString *text, const GPtrArray *commands);

void completion_bash (GString *text, const GPtrArray *commands);
void completion_zsh (GString *text, const GPtrArray *commands);
void completion_fish (GString *text, const GPtrArray *commands);
