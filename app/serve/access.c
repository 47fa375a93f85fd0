#include "app/serve/access.h"

#include <string.h>

/* The names of this machine, to itself. */
static const char *const hosts[] = { "127.0.0.1", "localhost" };

void
access_init (Access *access, const char *host, int port)
{
  *access = (Access){ .host = g_strdup (host), .port = port };
  random_id (access->token);
  random_id (access->key);
}

void
access_clear (Access *access)
{
  g_clear_pointer (&access->host, g_free);
}

/* What the addresses of its pages begin with. */
static const char *
scheme_of (const Access *access)
{
  return access->host != NULL ? "https://" : "http://";
}

char *
access_address (const Access *access)
{
  return g_strdup_printf ("%s%s:%d/#%s", scheme_of (access),
                          access->host != NULL ? access->host : hosts[0],
                          access->port, access->token);
}

static gboolean
is_address (const Access *access, const char *prefix, const char *host,
            const char *text)
{
  g_autofree char *ours =
    g_strdup_printf ("%s%s:%d", prefix, host, access->port);

  return g_ascii_strcasecmp (text, ours) == 0;
}

/* Whether @text is PREFIX and the name of this server. */
static gboolean
names_us (const Access *access, const char *prefix, const char *text)
{
  if (text == NULL)
    return FALSE;
  if (access->host != NULL)
    return is_address (access, prefix, access->host, text);
  for (gsize i = 0; i < G_N_ELEMENTS (hosts); i++)
    if (is_address (access, prefix, hosts[i], text))
      return TRUE;
  return FALSE;
}

const char *
access_check_host (const Access *access, const char *host)
{
  if (names_us (access, "", host))
    return NULL;
  return access->host != NULL
           ? "this server responds only to the address that it printed"
           : "this server responds to 127.0.0.1 and localhost only";
}

const char *
access_check_source (const Access *access, const RequestSource *source)
{
  if (source->origin != NULL && !names_us (access, scheme_of (access), source->origin))
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
