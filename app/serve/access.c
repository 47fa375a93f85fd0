#include "app/serve/access.h"

#include <string.h>

/* The names of this machine, to itself. */
static const char *const hosts[] = { "127.0.0.1", "localhost" };

void
access_init (Access *access, int port)
{
  *access = (Access){ .port = port };
  random_id (access->token);
  random_id (access->key);
}

/* Whether @text is PREFIX and the name of this server. */
static gboolean
names_us (const Access *access, const char *prefix, const char *text)
{
  for (gsize i = 0; text != NULL && i < G_N_ELEMENTS (hosts); i++) {
    g_autofree char *ours =
      g_strdup_printf ("%s%s:%d", prefix, hosts[i], access->port);

    if (g_ascii_strcasecmp (text, ours) == 0)
      return TRUE;
  }
  return FALSE;
}

const char *
access_check_host (const Access *access, const char *host)
{
  return names_us (access, "", host)
           ? NULL
           : "this server responds to 127.0.0.1 and localhost only";
}

const char *
access_check_source (const Access *access, const RequestSource *source)
{
  if (source->origin != NULL && !names_us (access, "http://", source->origin))
    return "requests from other pages are refused";
  if (source->site != NULL && !g_str_equal (source->site, "same-origin")
      && !g_str_equal (source->site, "none"))
    return "requests from other pages are refused";
  return access_check_host (access, source->host);
}

gboolean
access_has_key (const Access *access, const char *given)
{
  return random_id_equal (access->key, given);
}

const char *
access_exchange (Access *access, const char *token)
{
  if (!random_id_equal (access->token, token)
      || !g_atomic_int_compare_and_exchange (&access->spent, FALSE, TRUE))
    return NULL;
  return access->key;
}
