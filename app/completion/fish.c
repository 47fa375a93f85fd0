/* fish.c - completion for fish: one "complete" per option */
#include "app/completion/script.h"

#include <string.h>

/* @string in single quotes. */
static void
append_quoted (GString *text, const char *string)
{
  g_string_append_c (text, '\'');
  for (const char *c = string; *c != '\0'; c++)
    g_string_append_printf (text, "%s%c",
                            strchr ("'\\", *c) != NULL ? "\\" : "", *c);
  g_string_append_c (text, '\'');
}

static void
append_value (GString *text, const Option *option)
{
  g_autofree char *words =
    option->choices != NULL ? completion_words (option->choices) : NULL;

  switch (completion_value_kind (option)) {
  case VALUE_NONE:
    break;
  case VALUE_FREE:
    g_string_append (text, " -x");
    break;
  case VALUE_WORD:
    g_string_append_printf (text, " -x -a '%s'", words);
    break;
  case VALUE_LIST:
    g_string_append_printf (
      text, " -x -a '(__fish_complete_list , \"string split \\\\  %s\")'",
      words);
    break;
  case VALUE_FILE:
    g_string_append (text, " -r -F");
    if (words != NULL)
      g_string_append_printf (text, " -a '%s'", words);
    break;
  case VALUE_FOLDER:
    g_string_append (text, " -x -a '(__fish_complete_directories)'");
    break;
  }
}

/* "complete ... -n 'the command is NAME'" */
static void
append_start (GString *text, const char *name)
{
  g_string_append_printf (
    text, "complete -c tessera -n '__fish_seen_subcommand_from %s'", name);
}

static void
append_option (GString *text, const char *name, const Option *option)
{
  append_start (text, name);
  g_string_append_printf (text, " -l %s", option->name);
  if (option->short_name != 0)
    g_string_append_printf (text, " -s %c", option->short_name);
  append_value (text, option);
  g_string_append (text, " -d ");
  append_quoted (text, option->help);
  g_string_append_c (text, '\n');
}

static void
append_argument (GString *text, const CompletedCommand *command)
{
  if (!command->takes_arguments)
    return;
  append_start (text, command->name);
  if (command->words != NULL) {
    g_autofree char *words = completion_words (command->words);

    g_string_append_printf (text, " -a '%s'\n", words);
  } else {
    g_string_append (text, " -F\n");
  }
}

static void
append_command (GString *text, const CompletedCommand *command)
{
  g_string_append_printf (text,
                          "\ncomplete -c tessera -n __fish_use_subcommand "
                          "-a %s -d ",
                          command->name);
  append_quoted (text, command->summary);
  g_string_append_c (text, '\n');
  append_argument (text, command);
  for (guint j = 0; j < command->options->len; j++)
    append_option (text, command->name, completion_option (command, j));
}

void
completion_fish (GString *text, const GPtrArray *commands)
{
  g_string_append (text,
                   "# fish completion for tessera, made by "
                   "\"tessera completion fish\"\n"
                   "\n"
                   "complete -c tessera -f\n"
                   "complete -c tessera -n __fish_use_subcommand -s h -l help "
                   "-d 'show the help and exit'\n"
                   "complete -c tessera -n __fish_use_subcommand -l version "
                   "-d 'show the version and exit'\n");
  for (guint i = 0; i < commands->len; i++)
    append_command (text, commands->pdata[i]);
}
