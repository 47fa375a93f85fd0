/* plaintext.h - names and messages that do nothing but be read
 *
 * A file name may have any byte but two, and what a file says of itself may
 * say anything.  On a terminal, control characters move the cursor, change the
 * title or type commands, and those for the direction of writing show one name
 * as another.  JSON is UTF-8 and has no control characters in strings.
 *
 * In both, a byte that is not part of UTF-8 is written as \xHH.
 */
#pragma once

#include <glib.h>

/* @text in one line for a terminal, with ? for what controls it: C0, C1, and
 * the direction of writing.  Valid UTF-8; the caller owns it. */
char *plain_text (const char *text);

/* The text of a JSON value, as a generator wrote it, with \u for the same
 * characters in its strings; so that it is valid and harmless whatever the
 * strings hold.  The caller owns it. */
char *plain_json (const char *json);
