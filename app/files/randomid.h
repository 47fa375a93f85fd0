/* randomid.h - names that cannot be guessed */
#pragma once

#include <glib.h>

#define RANDOM_ID_LENGTH 32 /* hexadecimal digits, 128 bits */

/* Writes a random name and a final zero.  From the system's source of random
 * numbers, which is good enough for keys. */
void random_id (char id[RANDOM_ID_LENGTH + 1]);

/* Whether both are the same.  Takes as long for a near miss as for a far one,
 * so that time tells nothing.  @given may be NULL. */
gboolean random_id_equal (const char *id, const char *given);
