/* bash.c - completion for bash
 *
 * A fixed function, _tessera(), asks two generated ones: _tessera_words() has
 * the options of a command, _tessera_value() what may follow an option.
 * Nothing of bash-completion is needed, and bash 4 is enough.
 */
#include "app/completion/script.h"

static const char head[] =
  "# bash completion for tessera, made by \"tessera completion bash\"\n"
  "\n";

static const char body[] =
  "\n"
  "# Where no file fits; fails outside of a completion.\n"
  "_tessera_no_files () {\n"
  "  compopt +o default 2>/dev/null\n"
  "  return 0\n"
  "}\n"
  "\n"
  "# Completes the last of several words with commas between.\n"
  "_tessera_list () {\n"
  "  local before=\n"
  "  [[ $cur == *,* ]] && before=${cur%,*},\n"
  "  compopt -o nospace 2>/dev/null\n"
  "  COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\"))\n"
  "}\n"
  "\n"
  "# Completes a file, or one of some names.\n"
  "_tessera_named () {\n"
  "  compopt -o filenames 2>/dev/null\n"
  "  mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"\n"
  "    compgen -f -- \"$cur\")\n"
  "}\n"
  "\n"
  "# Bash cuts words at '=', so that --option=value is three of them.\n"
  "_tessera () {\n"
  "  local cur=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD command i\n"
  "  COMPREPLY=()\n"
  "  if [[ $cur == = ]]; then\n"
  "    cur=\n"
  "  elif ((at > 1)) && [[ ${COMP_WORDS[at - 1]} == = ]]; then\n"
  "    at=$((at - 1))\n"
  "  fi\n"
  "  command=${COMP_WORDS[1]}\n"
  "  if ((COMP_CWORD == 1)); then\n"
  "    _tessera_no_files\n"
  "    COMPREPLY=($(compgen -W \"$(_tessera_words '')\" -- \"$cur\"))\n"
  "    return\n"
  "  fi\n"
  "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
  "    [[ ${COMP_WORDS[i]} == -- ]] && return\n"
  "  done\n"
  "  _tessera_value \"$command ${COMP_WORDS[at - 1]}\" && return\n"
  "  if [[ $cur == -* ]]; then\n"
  "    _tessera_no_files\n"
  "    COMPREPLY=($(compgen -W \"$(_tessera_words \"$command\")\" -- "
  "\"$cur\"))\n"
  "  else\n"
  "    _tessera_argument \"$command\"\n"
  "  fi\n"
  "}\n"
  "\n"
  "complete -o default -F _tessera tessera\n";

/* "    'inpaint --mask' | 'inpaint -m')\n" */
static void
append_pattern (GString *text, const char *command, const Option *option)
{
  g_string_append_printf (text, "    '%s --%s'", command, option->name);
  if (option->short_name != 0)
    g_string_append_printf (text, " | '%s -%c'", command, option->short_name);
  g_string_append (text, ")\n");
}

static void
append_words (GString *text, const char *const *choices)
{
  g_autofree char *words = completion_words (choices);

  g_string_append_printf (text,
                          "      _tessera_no_files\n"
                          "      COMPREPLY=($(compgen -W '%s' -- \"$cur\"))"
                          " ;;\n",
                          words);
}

static void
append_value (GString *text, const char *command, const Option *option)
{
  ValueKind kind = completion_value_kind (option);
  g_autofree char *words =
    option->choices != NULL ? completion_words (option->choices) : NULL;

  if (kind == VALUE_NONE)
    return;
  append_pattern (text, command, option);
  switch (kind) {
  case VALUE_WORD:
    append_words (text, option->choices);
    break;
  case VALUE_LIST:
    g_string_append_printf (
      text, "      _tessera_no_files\n      _tessera_list '%s' ;;\n", words);
    break;
  case VALUE_FOLDER:
    g_string_append (text, "      compopt -o dirnames 2>/dev/null\n"
                           "      _tessera_no_files ;;\n");
    break;
  case VALUE_FILE:
    if (words != NULL)
      g_string_append_printf (text, "      _tessera_named '%s' ;;\n", words);
    else
      g_string_append (text, "      ;;\n");
    break;
  case VALUE_NONE:
  case VALUE_FREE:
    g_string_append (text, "      _tessera_no_files ;;\n");
    break;
  }
}

/* The options of each command; of none, the commands. */
static void
append_lists (GString *text, const GPtrArray *commands)
{
  g_string_append (text, "_tessera_words () {\n"
                         "  case $1 in\n"
                         "    '') echo '--help --version");
  for (guint i = 0; i < commands->len; i++) {
    const CompletedCommand *command = commands->pdata[i];

    g_string_append_printf (text, " %s", command->name);
  }
  g_string_append (text, "' ;;\n");
  for (guint i = 0; i < commands->len; i++) {
    const CompletedCommand *command = commands->pdata[i];

    g_string_append_printf (text, "    %s) echo '", command->name);
    for (guint j = 0; j < command->options->len; j++)
      g_string_append_printf (text, "%s--%s", j > 0 ? " " : "",
                              completion_option (command, j)->name);
    g_string_append (text, "' ;;\n");
  }
  g_string_append (text, "  esac\n}\n");
}

static void
append_values (GString *text, const GPtrArray *commands)
{
  g_string_append (text, "\n# Fails where $1, a command and a word, takes no "
                         "value.\n"
                         "_tessera_value () {\n"
                         "  case $1 in\n");
  for (guint i = 0; i < commands->len; i++) {
    const CompletedCommand *command = commands->pdata[i];

    for (guint j = 0; j < command->options->len; j++)
      append_value (text, command->name, completion_option (command, j));
  }
  g_string_append (text, "    *) return 1 ;;\n  esac\n}\n");
}

static void
append_arguments (GString *text, const GPtrArray *commands)
{
  g_string_append (text, "\n_tessera_argument () {\n  case $1 in\n");
  for (guint i = 0; i < commands->len; i++) {
    const CompletedCommand *command = commands->pdata[i];

    if (command->takes_arguments && command->words == NULL)
      continue;
    g_string_append_printf (text, "    %s)\n", command->name);
    if (command->words != NULL)
      append_words (text, command->words);
    else
      g_string_append (text, "      _tessera_no_files ;;\n");
  }
  g_string_append (text, "  esac\n}\n");
}

void
completion_bash (GString *text, const GPtrArray *commands)
{
  g_string_append (text, head);
  append_lists (text, commands);
  append_values (text, commands);
  append_arguments (text, commands);
  g_string_append (text, body);
}
