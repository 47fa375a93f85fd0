#include "app/serve/access.h"

#include <string.h>

/* The names of this machine, to itself. */
static const char *const hosts[] = { "127.0.0.1", "localhost" };

void
guard_init (Guard *guard, int port)
{
  *guard = (Guard){ .port = port };
  random_id (guard->token);
  random_id (guard->key);
}

/* Whether @text is PREFIX and the name of this server. */
static gboolean
names_us (const Guard *guard, const char *prefix, const char *text)
{
  for (gsize i = 0; text != NULL && i < G_N_ELEMENTS (hosts); i++) {
    g_autofree char *ours =
      g_strdup_printf ("%s%s:%d", prefix, hosts[i], guard->port);

    if (g_ascii_strcasecmp (text, ours) == 0)
      return TRUE;
  }
  return FALSE;
}

const char *
guard_check_host (const Guard *guard, const char *host)
{
  return names_us (guard, "", host)
           ? NULL
           : "this server answers to 127.0.0.1 and localhost only";
}

const char *
guard_check_source (const Guard *guard, const RequestSource *source)
{
  if (source->origin != NULL && !names_us (guard, "http://", source->origin))
    return "another page may not ask this server for anything";
  if (source->site != NULL && !g_str_equal (source->site, "same-origin")
      && !g_str_equal (source->site, "none"))
    return "another page may not ask this server for anything";
  return guard_check_host (guard, source->host);
}

gboolean
guard_has_key (const Guard *guard, const char *given)
{
  return random_id_equal (guard->key, given);
}

const char *
guard_exchange (Guard *guard, const char *token)
{
  if (!random_id_equal (guard->token, token)
      || !g_atomic_int_compare_and_exchange (&guard->spent, FALSE, TRUE))
    return NULL;
  return guard->key;
}
