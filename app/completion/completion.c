/* completion.c - print a script that completes the program's words */
#include "app/cli/commandline.h"
#include "app/commands.h"
#include "app/completion/script.h"
#include "app/files/files.h"
#include "base/error.h"

static const char about[] =
  "Examples:\n"
  "  source <(tessera completion bash)\n"
  "  tessera completion zsh > ~/.zfunc/_tessera\n"
  "  tessera completion fish > ~/.config/fish/completions/tessera.fish\n"
  "\n"
  "Prints a script that completes commands, options and their values in a\n"
  "shell.  \"make install\" puts all three where the shells look for them.";

/* In the same order. */
static const char *const shells[] = { "bash", "zsh", "fish", NULL };
static const CompletionScript scripts[] = { completion_bash, completion_zsh,
                                            completion_fish };

/* ---- what the scripts have in common ---- */

ValueKind
completion_value_kind (const Option *option)
{
  if (option->value_name == NULL || option->may_be_bare)
    return VALUE_NONE;
  if (option->parse == option_choice)
    return VALUE_WORD;
  if (g_str_equal (option->value_name, "FOLDER"))
    return VALUE_FOLDER;
  if (option->role != NO_FILE
      || (option->parse == option_file && option->choices != NULL))
    return VALUE_FILE;
  return option->choices != NULL ? VALUE_LIST : VALUE_FREE;
}

char *
completion_words (const char *const *choices)
{
  return g_strjoinv (" ", (char **) choices);
}

/* ---- the tables of all commands ---- */

static void
completed_command_free (gpointer data)
{
  CompletedCommand *command = data;

  g_clear_pointer (&command->options, g_array_unref);
  g_free (command);
}

/* Takes over the table, which otherwise ends with the command. */
static void
read_description (const CommandLine *line, gpointer data)
{
  CompletedCommand *command = data;

  command->options = g_array_ref (line->options);
  command->takes_arguments = line->max_arguments > 0;
  command->words = line->words;
}

static gboolean
describe (const Command *command, GPtrArray *list, GError **error)
{
  CompletedCommand *described = g_new0 (CompletedCommand, 1);
  char *argv[] = { (char *) command->name, NULL };
  gboolean ok;

  described->name = command->name;
  described->summary = command->summary;
  g_ptr_array_add (list, described);
  command_line_describe_to (read_description, described);
  ok = command->run (argv, error);
  command_line_describe_to (NULL, NULL);
  return ok;
}

static GPtrArray *
describe_all (GError **error)
{
  g_autoptr (GPtrArray) list =
    g_ptr_array_new_with_free_func (completed_command_free);

  for (int i = 0; commands[i] != NULL; i++)
    if (!describe (commands[i], list, error))
      return NULL;
  return g_steal_pointer (&list);
}

/* ---- the command ---- */

static gboolean
print (const char *shell, GError **error)
{
  g_autoptr (GPtrArray) list = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  int number = 0;
  const Option option = { .parse = option_choice,
                          .value = &number,
                          .choices = shells };

  if (!option.parse (&option, shell, error)) {
    g_prefix_error (error, "%s: the shell ", shell);
    return FALSE;
  }
  list = describe_all (error);
  if (list == NULL)
    return FALSE;
  scripts[number](text, list);
  return stdout_write (text->str, text->len, error);
}

static gboolean
run (char **argv, GError **error)
{
  g_auto (CommandLine) line = { 0 };

  command_line_init (&line);
  line.usage = "SHELL";
  line.about = about;
  line.min_arguments = line.max_arguments = 1;
  line.words = shells;
  if (!command_line_parse (&line, argv, error))
    return FALSE;
  return line.answered || print (line.arguments[0], error);
}

const Command command_completion = {
  .name = "completion",
  .summary = "print a script that completes words in a shell",
  .run = run
};
