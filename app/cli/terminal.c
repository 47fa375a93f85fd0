#include "app/cli/terminal.h"

#include "app/cli/plaintext.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"
#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define WHITE_ON_BLACK "\033[38;5;231;48;5;16m"
#define PLAIN_TEXT "\033[0m"

/* The default width. */
#define USUAL_COLUMNS 80

static gboolean is_quiet;
static gboolean is_verbose;
static gint status_is_shown; /* atomic */

void
terminal_init (gboolean quiet, gboolean verbose)
{
  is_quiet = quiet;
  is_verbose = verbose;
}

/* A terminal that understands escape sequences. */
static gboolean
is_terminal (void)
{
  const char *term = g_getenv ("TERM");

  return isatty (STDERR_FILENO) && term != NULL && !g_str_equal (term, "dumb");
}

static gboolean
has_colour (void)
{
  const char *no_color = g_getenv ("NO_COLOR");

  return is_terminal () && (no_color == NULL || *no_color == '\0');
}

/* Writes "tessera: KIND: text", in colour up to the text.  @kind may be NULL.
 * One call of write for the whole line keeps lines of several programs on the
 * same terminal apart. */
static void
print_message (const char *kind, const char *colour, const char *text)
{
  g_autofree char *plain = plain_text (text);
  g_autofree char *line = NULL;

  if (!has_colour ())
    colour = NULL;
  line = g_strdup_printf ("%stessera:%s%s%s %s\n",
                          colour != NULL ? colour : "",
                          kind != NULL ? " " : "", kind != NULL ? kind : "",
                          colour != NULL ? PLAIN_TEXT : "", plain);
  terminal_clear_status ();
  fputs (line, stderr);
}

void
terminal_error (const char *message)
{
  print_message (NULL, RED, message);
}

void
terminal_note (const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  if (!is_quiet)
    print_message ("note:", YELLOW, text);
}

static void
print_plain (const char *format, va_list args)
{
  g_autofree char *text = g_strdup_vprintf (format, args);
  g_autofree char *plain = plain_text (text);

  terminal_clear_status ();
  fprintf (stderr, "%s\n", plain);
}

void
terminal_result (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (!is_quiet)
    print_plain (format, args);
  va_end (args);
}

void
terminal_detail (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (is_verbose && !is_quiet)
    print_plain (format, args);
  va_end (args);
}

/* Without colour it can be read where letters are lighter than the ground, and
 * by most cameras anywhere. */
void
terminal_print_drawing (const char *lines, int columns)
{
  g_auto (GStrv) each = g_strsplit (lines, "\n", -1);
  const char *before = has_colour () ? WHITE_ON_BLACK : "";
  const char *after = has_colour () ? PLAIN_TEXT : "";

  if (is_quiet || !is_terminal () || !g_get_charset (NULL)
      || terminal_columns () < columns)
    return;
  for (int i = 0; each[i] != NULL && *each[i] != '\0'; i++)
    fprintf (stderr, "%s%s%s\n", before, each[i], after);
}

gboolean
terminal_has_status (void)
{
  return !is_quiet && is_terminal ();
}

int
terminal_columns (void)
{
  struct winsize size;

  if (ioctl (STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return USUAL_COLUMNS;
}

void
terminal_draw_status (const char *text)
{
  g_atomic_int_set (&status_is_shown, TRUE);
  fprintf (stderr, CLEAR_LINE "%s", text);
  fflush (stderr);
}

void
terminal_clear_status (void)
{
  if (!g_atomic_int_compare_and_exchange (&status_is_shown, TRUE, FALSE))
    return;
  fputs (CLEAR_LINE, stderr);
  fflush (stderr);
}

static void
write_raw (const char *text)
{
  /* If this fails, there is no way to report it. */
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    return;
}

void
terminal_last_words (const char *message)
{
  if (g_atomic_int_get (&status_is_shown))
    write_raw (CLEAR_LINE);
  write_raw ("tessera: ");
  write_raw (message);
  write_raw ("\n");
}
