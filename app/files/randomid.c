#include "app/files/randomid.h"

#include <string.h>
#include <sys/random.h>

void
random_id (char id[RANDOM_ID_LENGTH + 1])
{
  static const char digits[] = "0123456789abcdef";
  guint8 bytes[RANDOM_ID_LENGTH / 2];

  /* So few bytes come whole or, on a kernel without the call, not at all. */
  if (getrandom (bytes, sizeof bytes, 0) != sizeof bytes)
    g_error ("the system has no random numbers");
  for (gsize i = 0; i < RANDOM_ID_LENGTH; i++)
    id[i] = digits[bytes[i / 2] >> (i % 2 * 4) & 0xf];
  id[RANDOM_ID_LENGTH] = '\0';
}

gboolean
random_id_equal (const char *id, const char *given)
{
  guint8 difference = 0;

  if (given == NULL || strlen (given) != RANDOM_ID_LENGTH)
    return FALSE;
  for (gsize i = 0; i < RANDOM_ID_LENGTH; i++)
    difference |= (guint8) (id[i] ^ given[i]);
  return difference == 0;
}
