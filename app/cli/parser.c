/* parser.c - our table of options, handed to GOption and back */
#include "app/cli/parser.h"

#include "app/cli/suggest.h"
#include "base/error.h"

#include <string.h>

static const Option *
option_at (const Parser *parser, guint i)
{
  return &g_array_index (parser->options, Option, i);
}

/* The option that @name, without its dashes, is the long or short name of. */
static const Option *
find_option (const Parser *parser, const char *name)
{
  for (guint i = 0; i < parser->options->len; i++) {
    const Option *option = option_at (parser, i);

    if (g_str_equal (name, option->name)
        || (name[0] == option->short_name && name[1] == '\0'
            && name[0] != '\0'))
      return option;
  }
  return NULL;
}

/* ---- GOption ---- */

/* GOption calls this for each option it meets; @name has its dashes. */
static gboolean
on_option (const char *name, const char *text, gpointer data, GError **error)
{
  const Parser *parser = data;
  const Option *option = find_option (parser, name + strspn (name, "-"));

  if (option->parse (option, text, error)) {
    if (parser->given != NULL)
      g_hash_table_replace (parser->given, g_strdup (option->name),
                            g_strdup (text != NULL ? text : ""));
    return TRUE;
  }
  g_prefix_error (error, "%s %s: ", name, text);
  return FALSE;
}

/* Values are bytes: text of another encoding than that of the locale would
 * end in an error of GOption that names no option. */
static GOptionEntry
entry_of (const Option *option)
{
  int flags = option->value_name != NULL ? G_OPTION_FLAG_FILENAME
                                         : G_OPTION_FLAG_NO_ARG;

  return (GOptionEntry){ .long_name = option->name,
                         .short_name = option->short_name,
                         .flags = flags,
                         .arg = G_OPTION_ARG_CALLBACK,
                         .arg_data = on_option,
                         .description = option->help,
                         .arg_description = option->value_name };
}

/* Unknown options are left where they are, for us to complain about. */
static GOptionContext *
make_context (const Parser *parser, char ***rest)
{
  GOptionContext *context = g_option_context_new (parser->usage);
  GOptionGroup *group =
    g_option_group_new (NULL, NULL, NULL, (gpointer) parser, NULL);
  g_autoptr (GArray) entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  GOptionEntry others = { .long_name = G_OPTION_REMAINING,
                          .arg = G_OPTION_ARG_FILENAME_ARRAY,
                          .arg_data = rest };

  for (guint i = 0; i < parser->options->len; i++) {
    GOptionEntry entry = entry_of (option_at (parser, i));

    g_array_append_val (entries, entry);
  }
  g_array_append_val (entries, others);
  g_option_group_add_entries (group, (GOptionEntry *) entries->data);
  g_option_context_set_main_group (context, group);
  g_option_context_set_summary (context, parser->about);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_ignore_unknown_options (context, TRUE);
  return context;
}

static gboolean
run_context (GOptionContext *context, char ***argv, GError **error)
{
  GError *wrong = NULL;

  if (g_option_context_parse_strv (context, argv, &wrong))
    return TRUE;
  if (wrong->domain == TESSERA_ERROR) {
    g_propagate_error (error, wrong);
    return FALSE;
  }
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE, "%c%s",
               g_ascii_tolower (wrong->message[0]), wrong->message + 1);
  g_error_free (wrong);
  return FALSE;
}

/* ---- what GOption does not do ---- */

/* Refuses --flag=value, of which GOption would ignore the value. */
static gboolean
check_flag (const Parser *parser, const char *word, GError **error)
{
  g_autofree char *name = NULL;
  const Option *option;

  if (!g_str_has_prefix (word, "--") || strchr (word, '=') == NULL)
    return TRUE;
  name = g_strndup (word, strcspn (word, "="));
  option = find_option (parser, name + strlen ("--"));
  if (option == NULL || option->value_name != NULL)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "%s: %s takes no value", word, name);
  return FALSE;
}

/* Whether @word is a short option with its value right behind it, -oFILE. */
static gboolean
is_joined (const Parser *parser, const char *word)
{
  char name[] = { word[0] == '-' ? word[1] : '\0', '\0' };
  const Option *option = find_option (parser, name);

  return option != NULL && option->value_name != NULL && word[2] != '\0';
}

static gboolean
is_choice (const Option *option, const char *word)
{
  return word != NULL && g_strv_contains (option->choices, word);
}

/* "--option=first choice" if @word, with @next behind it, is an option whose
 * value may be left out, and is; else NULL. */
static char *
complete_bare (const Parser *parser, const char *word, const char *next)
{
  const Option *option = g_str_has_prefix (word, "--")
                           ? find_option (parser, word + strlen ("--"))
                           : NULL;

  return option != NULL && option->may_be_bare && !is_choice (option, next)
           ? g_strdup_printf ("%s=%s", word, option->choices[0])
           : NULL;
}

/* A copy of the words of @argv, made easy for GOption. */
static char **
prepare (const Parser *parser, char **argv, GError **error)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();

  for (; *argv != NULL && !g_str_equal (*argv, "--"); argv++) {
    g_autofree char *whole = complete_bare (parser, *argv, argv[1]);

    if (!check_flag (parser, *argv, error))
      return NULL;
    if (is_joined (parser, *argv)) {
      g_autofree char *name = g_strndup (*argv, 2);

      g_strv_builder_add_many (words, name, *argv + 2, NULL);
    } else {
      g_strv_builder_add (words, whole != NULL ? whole : *argv);
    }
  }
  g_strv_builder_addv (words, (const char **) argv);
  return g_strv_builder_end (words);
}

static gboolean
set_unknown (const Parser *parser, const char *word, GError **error)
{
  g_autofree char *name = g_strndup (word, strcspn (word, "="));
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) known = NULL;
  g_autofree char *hint = NULL;

  for (guint i = 0; i < parser->options->len; i++) {
    g_autofree char *option =
      g_strconcat ("--", option_at (parser, i)->name, NULL);

    g_strv_builder_add (builder, option);
  }
  known = g_strv_builder_end (builder);
  hint = suggest (name, (const char *const *) known);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "unknown option '%s': %s", name,
               hint != NULL ? hint : "--help lists them all");
  return FALSE;
}

/* ---- */

gboolean
parser_run (const Parser *parser, char **argv, char ***rest, GError **error)
{
  g_autoptr (GOptionContext) context = make_context (parser, rest);
  g_auto (GStrv) words = prepare (parser, argv, error);

  if (words == NULL || !run_context (context, &words, error))
    return FALSE;
  /* Behind the name of the program, only unknown options are left. */
  return words[1] == NULL || set_unknown (parser, words[1], error);
}

char *
parser_help (const Parser *parser)
{
  char **rest = NULL;
  g_autoptr (GOptionContext) context = make_context (parser, &rest);

  return g_option_context_get_help (context, TRUE, NULL);
}
