/* zsh.c - completion for zsh: specifications for its _arguments
 *
 * The script can be a file _tessera in the path of functions, or be sourced.
 */
#include "app/completion/script.h"

#include <string.h>

static const char head[] =
  "#compdef tessera\n"
  "# zsh completion for tessera, made by \"tessera completion zsh\"\n"
  "\n";

static const char body[] =
  "\n"
  "_tessera_named () {\n"
  "  _alternative \"names:name:($*)\" 'files:file:_files'\n"
  "}\n"
  "\n"
  "_tessera () {\n"
  "  local curcontext=\"$curcontext\" state line\n"
  "  _arguments -C '(- *)'{-h,--help}'[show the help and exit]' \\\n"
  "    '(- *)--version[show the version and exit]' \\\n"
  "    '1:command:_tessera_commands' '*:: :->rest'\n"
  "  [[ $state == rest ]] || return\n"
  "  curcontext=\"${curcontext%:*}-$words[1]:\"\n"
  "  (( $+functions[_tessera_$words[1]] )) && _tessera_$words[1]\n"
  "}\n"
  "\n"
  "if [[ $funcstack[1] == _tessera ]]; then\n"
  "  _tessera \"$@\"\n"
  "else\n"
  "  compdef _tessera tessera\n"
  "fi\n";

/* @text for a place inside of single quotes, with @special escaped. */
static void
append_quoted (GString *text, const char *string, const char *special)
{
  for (const char *c = string; *c != '\0'; c++)
    if (*c == '\'')
      g_string_append (text, "'\\''");
    else
      g_string_append_printf (text, "%s%c",
                              strchr (special, *c) != NULL ? "\\" : "", *c);
}

static void
append_action (GString *text, const Option *option)
{
  g_autofree char *words =
    option->choices != NULL ? completion_words (option->choices) : NULL;

  switch (completion_value_kind (option)) {
  case VALUE_WORD:
    g_string_append_printf (text, "(%s)", words);
    break;
  case VALUE_LIST:
    g_string_append_printf (text, "_sequence compadd - %s", words);
    break;
  case VALUE_FOLDER:
    g_string_append (text, "_files -/");
    break;
  case VALUE_FILE:
    if (words != NULL)
      g_string_append_printf (text, " _tessera_named %s", words);
    else
      g_string_append (text, "_files");
    break;
  case VALUE_NONE:
  case VALUE_FREE:
    g_string_append_c (text, ' ');
    break;
  }
}

static void
append_option (GString *text, const Option *option)
{
  gboolean is_flag = option->value_name == NULL;

  if (option->short_name != 0)
    g_string_append_printf (text, "    '(-%c --%s)'{-%c%s,--%s%s}'",
                            option->short_name, option->name,
                            option->short_name, is_flag ? "" : "+",
                            option->name, is_flag ? "" : "=");
  else
    g_string_append_printf (text, "    '--%s%s", option->name,
                            is_flag ? "" : "=");
  g_string_append_c (text, '[');
  append_quoted (text, option->help, "[]:\\");
  g_string_append_c (text, ']');
  if (!is_flag) {
    g_string_append_c (text, ':');
    append_quoted (text, option->value_name, ":\\");
    g_string_append_c (text, ':');
    append_action (text, option);
  }
  g_string_append (text, "' \\\n");
}

static void
append_command (GString *text, const CompletedCommand *command)
{
  g_string_append_printf (text, "\n_tessera_%s () {\n  _arguments -s -S \\\n",
                          command->name);
  for (guint j = 0; j < command->options->len; j++)
    append_option (text, completion_option (command, j));
  if (command->words != NULL) {
    g_autofree char *words = completion_words (command->words);

    g_string_append_printf (text, "    '1:word:(%s)'\n", words);
  } else {
    g_string_append (text, command->takes_arguments ? "    '*:file:_files'\n"
                                                    : "    ':: : '\n");
  }
  g_string_append (text, "}\n");
}

static void
append_commands (GString *text, const GPtrArray *commands)
{
  g_string_append (text, "_tessera_commands () {\n"
                         "  local -a commands=(\n");
  for (guint i = 0; i < commands->len; i++) {
    const CompletedCommand *command = commands->pdata[i];

    g_string_append_printf (text, "    '%s:", command->name);
    append_quoted (text, command->summary, ":\\");
    g_string_append (text, "'\n");
  }
  g_string_append (text, "  )\n  _describe command commands\n}\n");
}

void
completion_zsh (GString *text, const GPtrArray *commands)
{
  g_string_append (text, head);
  append_commands (text, commands);
  for (guint i = 0; i < commands->len; i++)
    append_command (text, commands->pdata[i]);
  g_string_append (text, body);
}
