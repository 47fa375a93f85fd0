#include "app/cli/progressbar.h"

#include "app/cli/interrupt.h"
#include "app/cli/plaintext.h"
#include "app/cli/terminal.h"

#include <stdio.h>
#include <string.h>

/* Shorter work shows no bar at all. */
#define FIRST_DRAWN_AFTER (G_USEC_PER_SEC / 4)
#define REDRAWN_AFTER (G_USEC_PER_SEC / 10)

/* Where there is no terminal, a line now and then, in seconds, so that a log
 * shows that work goes on. */
#define LINE_AFTER (30 * G_USEC_PER_SEC)

/* Before that, a guess of the time left would only jump about. */
#define TIME_KNOWN_AFTER G_USEC_PER_SEC
#define TIME_KNOWN_FROM 0.02

/* Where another program reads them. */
#define PIPED_AFTER (G_USEC_PER_SEC / 5)
#define PIPED_WORD "progress "

#define WIDEST_BAR 40
#define NARROWEST_BAR 5

/* Cells of the bar, done and to do. */
typedef struct {
  const char *full, *empty;
} Cells;

static void
append_bar (GString *line, double done, int cells)
{
  static const Cells unicode = { "\xe2\x96\x88", "\xe2\x96\x91" };
  static const Cells ascii = { "#", "." };
  const Cells *cell = g_get_charset (NULL) ? &unicode : &ascii;
  int full = (int) (done * cells);

  for (int i = 0; i < cells; i++)
    g_string_append (line, i < full ? cell->full : cell->empty);
}

gint64
progress_seconds_left (double done, gint64 elapsed)
{
  if (done < TIME_KNOWN_FROM || elapsed < TIME_KNOWN_AFTER)
    return -1;
  return (gint64) ((double) elapsed * (1 - done) / done / G_USEC_PER_SEC);
}

/* "1:02:03 left", or nothing while that is unknown. */
static char *
time_left (double done, gint64 elapsed)
{
  gint64 seconds = progress_seconds_left (done, elapsed);

  if (seconds < 0)
    return g_strdup ("");
  if (seconds >= 3600)
    return g_strdup_printf ("  %d:%02d:%02d left", (int) (seconds / 3600),
                            (int) (seconds / 60 % 60), (int) (seconds % 60));
  return g_strdup_printf ("  %d:%02d left", (int) (seconds / 60),
                          (int) (seconds % 60));
}

/* On a terminal that is too narrow, only the numbers are shown. */
static void
draw (const ProgressBar *bar, double done, gint64 elapsed)
{
  g_autofree char *left = time_left (done, elapsed);
  g_autofree char *numbers =
    g_strdup_printf ("%3d %%%s", (int) (done * 100), left);
  g_autofree char *plain = plain_text (bar->label);
  g_autofree char *label = g_strdup_printf ("%s  ", plain);
  g_autoptr (GString) line = g_string_new (NULL);
  int width = (int) (strlen (label) + strlen (numbers));
  int room = terminal_columns () - 1 - width - 2;

  if (room >= NARROWEST_BAR) {
    g_string_append (line, label);
    append_bar (line, done, MIN (room, WIDEST_BAR));
    g_string_append (line, "  ");
  }
  g_string_append (line, numbers);
  terminal_draw_status (line->str);
}

static void
report (double done, gpointer user_data)
{
  ProgressBar *bar = user_data;
  gint64 now = g_get_monotonic_time ();
  gint64 due = bar->drawn != 0 ? bar->drawn + REDRAWN_AFTER
                               : bar->started + FIRST_DRAWN_AFTER;

  if (now < due)
    return;
  bar->drawn = now;
  draw (bar, CLAMP (done, 0, 1), now - bar->started);
}

/* The same for a log: "filling: 34 %  1:20 left". */
static void
report_line (double done, gpointer user_data)
{
  ProgressBar *bar = user_data;
  gint64 now = g_get_monotonic_time ();
  g_autofree char *left = NULL;

  if (now < MAX (bar->drawn, bar->started) + LINE_AFTER)
    return;
  bar->drawn = now;
  done = CLAMP (done, 0, 1);
  left = time_left (done, now - bar->started);
  terminal_result ("%s: %d %%%s", bar->label, (int) (done * 100), left);
}

/* And for the program that started this one. */
static void
report_piped (double done, gpointer user_data)
{
  ProgressBar *bar = user_data;
  gint64 now = g_get_monotonic_time ();
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *label = NULL;

  if (bar->drawn != 0 && now < bar->drawn + PIPED_AFTER)
    return;
  bar->drawn = now;
  g_ascii_formatd (number, sizeof number, "%.4f", CLAMP (done, 0, 1));
  label = plain_text (bar->label);
  fprintf (stderr, PIPED_WORD "%s %s\n", number, label);
}

gboolean
progress_line_parse (const char *line, double *done, const char **label)
{
  char *end;

  if (!g_str_has_prefix (line, PIPED_WORD))
    return FALSE;
  line += strlen (PIPED_WORD);
  *done = g_ascii_strtod (line, &end);
  if (end == line || *end != ' ' || !(*done >= 0 && *done <= 1))
    return FALSE;
  *label = end + 1;
  return TRUE;
}

Progress
progress_bar_start (ProgressBar *bar, const char *label)
{
  *bar = (ProgressBar){ .label = label, .started = g_get_monotonic_time () };
  return (Progress){ .report = g_getenv (PROGRESS_VARIABLE) != NULL
                                 ? report_piped
                               : terminal_has_status () ? report
                                                        : report_line,
                     .user_data = bar,
                     .cancellable = interrupt_cancellable () };
}

void
progress_bar_set_label (ProgressBar *bar, const char *label)
{
  bar->label = label;
}

void
progress_bar_stop (ProgressBar *bar)
{
  if (bar->drawn != 0)
    terminal_clear_status ();
}
