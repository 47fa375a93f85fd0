#include "app/serve/network.h"

#include <ifaddrs.h>
#include <netinet/in.h>

static GInetAddress *
address_of (const struct sockaddr *from)
{
  if (from == NULL)
    return NULL;
  if (from->sa_family == AF_INET)
    return g_inet_address_new_from_bytes (
      (const guint8 *) &((const struct sockaddr_in *) from)->sin_addr,
      G_SOCKET_FAMILY_IPV4);
  if (from->sa_family == AF_INET6)
    return g_inet_address_new_from_bytes (
      (const guint8 *) &((const struct sockaddr_in6 *) from)->sin6_addr,
      G_SOCKET_FAMILY_IPV6);
  return NULL;
}

char *
network_own_addresses (void)
{
  GString *text = g_string_new (NULL);
  struct ifaddrs *list = NULL;

  if (getifaddrs (&list) != 0)
    return g_string_free (text, FALSE);
  for (const struct ifaddrs *each = list; each != NULL;
       each = each->ifa_next) {
    g_autoptr (GInetAddress) address = address_of (each->ifa_addr);
    g_autofree char *name = NULL;

    if (address == NULL || g_inet_address_get_is_loopback (address)
        || g_inet_address_get_is_link_local (address))
      continue;
    name = g_inet_address_to_string (address);
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", name);
  }
  freeifaddrs (list);
  return g_string_free (text, FALSE);
}

char *
network_host_of (GInetAddress *address)
{
  g_autofree char *name = g_inet_address_to_string (address);

  return g_inet_address_get_family (address) == G_SOCKET_FAMILY_IPV6
           ? g_strdup_printf ("[%s]", name)
           : g_steal_pointer (&name);
}
