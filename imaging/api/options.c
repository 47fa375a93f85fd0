#include "imaging/api/api.h"

#include <string.h>

static gboolean
check_size (gsize given, GError **error)
{
  return given >= sizeof (gsize)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "the size of a struct is not set");
}

gboolean
options_read (gconstpointer given, gpointer own, gsize size, GError **error)
{
  const guint8 *bytes = given;
  gsize given_size;

  if (given == NULL)
    return TRUE;
  memcpy (&given_size, given, sizeof given_size);
  if (!check_size (given_size, error))
    return FALSE;
  for (gsize i = size; i < given_size; i++)
    if (bytes[i] != 0)
      return tessera_fail (error, TESSERA_ERROR_USAGE,
                           "the options are those of a later version of "
                           "libtessera; this is %s",
                           tessera_version ());
  memcpy (own, given, MIN (size, given_size));
  return TRUE;
}

gboolean
report_write (gconstpointer own, gsize size, gpointer wanted, GError **error)
{
  guint8 *bytes = wanted;
  gsize given_size, known;

  memcpy (&given_size, wanted, sizeof given_size);
  if (!check_size (given_size, error))
    return FALSE;
  known = MIN (size, given_size);
  memcpy (bytes + sizeof (gsize), (const guint8 *) own + sizeof (gsize),
          known - sizeof (gsize));
  memset (bytes + known, 0, given_size - known);
  return TRUE;
}
