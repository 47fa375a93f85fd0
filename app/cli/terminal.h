/* terminal.h - messages to the user, on standard error
 *
 * Messages are one line each, and what a file name or a file puts into them
 * is made harmless (app/cli/plaintext.h).  Colour and the status line appear on a terminal
 * only; colour not where NO_COLOR is set.
 */
#pragma once

#include <glib.h>

/* With @quiet, only errors are shown; with @verbose, details too. */
void terminal_init (gboolean quiet, gboolean verbose);

/* The ending of a noun after a count: "1 pixel", "2 pixels". */
#define PLURAL(count) ((count) == 1 ? "" : "s")

/* "tessera: MESSAGE" */
void terminal_error (const char *message);

/* "tessera: note: ..." for things worth knowing that are not errors. */
void terminal_note (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* The result, one line. */
void terminal_result (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Only with --verbose. */
void terminal_detail (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* A drawing of lines in UTF-8 that are @columns wide, light on dark; nothing
 * where the terminal has no room for it or cannot show it. */
void terminal_print_drawing (const char *lines, int columns);

/* The status line: drawn over itself, cleared before any message. */
gboolean terminal_has_status (void);
int terminal_columns (void);
void terminal_draw_status (const char *text);
void terminal_clear_status (void);

/* "tessera: MESSAGE" when the program is about to exit.  Needs no memory and
 * no locks, and may be called from any thread. */
void terminal_last_words (const char *message);
