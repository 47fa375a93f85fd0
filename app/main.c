/* main.c - finds the command that was asked for and runs it */
#include "app/commands.h"
#include "app/cli/jsonreport.h"
#include "app/exitstatus.h"
#include "app/files/files.h"
#include "app/cli/interrupt.h"
#include "app/system/launch.h"
#include "app/system/memory.h"
#include "app/system/restart.h"
#include "app/cli/suggest.h"
#include "app/cli/terminal.h"
#include "app/version.h"
#include "base/error.h"

#include <locale.h>

static const char usage[] =
  "Usage:\n"
  "  tessera COMMAND [OPTION...] INPUT... -o OUTPUT\n";

static const char examples[] =
  "Examples:\n"
  "  tessera restore photo.jpg -o restored.png\n"
  "  tessera inpaint scratched.png --mask scratches.png -o mended.png\n"
  "  tessera denoise speckled.png -o clean.png\n"
  "  tessera corrupt photo.png --missing 0.5 -o damaged.png\n"
  "  tessera score photo.png mended.png\n";

static gboolean
show_help (GError **error)
{
  g_autoptr (GString) text = g_string_new (
    "Tessera restores pictures with dictionaries of small patches.\n\n");

  g_string_append_printf (text, "%s\n%s\nCommands:\n", usage, examples);
  for (int i = 0; commands[i] != NULL; i++)
    g_string_append_printf (text, "  %-10s %s\n", commands[i]->name,
                            commands[i]->summary);
  g_string_append (text, "\n\"tessera COMMAND --help\" shows the options of a "
                         "command, \"tessera --version\"\nthe version.\n");
  return stdout_write (text->str, text->len, error);
}

static const Command *
find_command (const char *name)
{
  for (int i = 0; commands[i] != NULL; i++)
    if (g_str_equal (name, commands[i]->name))
      return commands[i];
  return NULL;
}

static gboolean
set_unknown (const char *name, GError **error)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  g_ptr_array_add (known, "--help");
  g_ptr_array_add (known, "--version");
  for (int i = 0; commands[i] != NULL; i++)
    g_ptr_array_add (known, (char *) commands[i]->name);
  g_ptr_array_add (known, NULL);
  hint = suggest (name, (const char *const *) known->pdata);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "unknown %s '%s': %s", name[0] == '-' ? "option" : "command",
               name,
               hint != NULL ? hint : "\"tessera --help\" lists them all");
  return FALSE;
}

/* @argv is that of the whole program. */
static gboolean
dispatch (char **argv, GError **error)
{
  const char *name = argv[1];
  const Command *command = find_command (name);

  if (!launch_begin (command != NULL && command->is_shared))
    return TRUE;
  if (command != NULL)
    return command->run (argv + 1, error);
  if (g_str_equal (name, "--help") || g_str_equal (name, "-h"))
    return show_help (error);
  if (g_str_equal (name, "--version"))
    return version_show (error);
  return set_unknown (name, error);
}

/* Whether results are wanted as JSON; asked before a command line is known to
 * make sense. */
static gboolean
wants_json (char **argv)
{
  for (; *argv != NULL && !g_str_equal (*argv, "--"); argv++)
    if (g_str_equal (*argv, "--json"))
      return TRUE;
  return FALSE;
}

/* Describes @error; for programs that asked for JSON on standard output
 * too. */
static void
print_error (const GError *error, gboolean json)
{
  int status = exit_status ((TesseraError) error->code);
  g_autoptr (JsonObject) report = json_object_new ();

  terminal_error (error->message);
  json_report_set_text (report, "error", error->message);
  json_report_set_count (report, "exit_code", (guint64) status);
  if (json)
    json_report_print_line (report, NULL);
}

int
main (int argc, char **argv)
{
  gboolean has_command = argc > 1;
  g_autoptr (GError) error = NULL;
  int status = 0;

  restart_if_needed (argv);

  /* Messages are in English, and numbers have a point; only the character
   * encoding follows the user's locale. */
  setlocale (LC_CTYPE, "");
  files_init ();
  memory_init ();
  interrupt_init ();

  if (!(has_command ? dispatch (argv, &error) : show_help (&error))
      || !stdout_close (&error))
    status = exit_status ((TesseraError) error->code);
  else if (!has_command)
    /* A person without a command gets help; a script should notice. */
    status = exit_status (TESSERA_ERROR_USAGE);
  if (launch_finish (&status, error != NULL ? error->message : NULL))
    print_error (error, wants_json (argv));
  return status;
}
