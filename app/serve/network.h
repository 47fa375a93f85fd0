/* network.h - addresses of this machine */
#pragma once

#include <gio/gio.h>

/* Those in networks with other machines, as "192.168.1.5, 2001:db8::5"; the
 * caller owns it.  Empty where there are none. */
char *network_own_addresses (void);

/* As it stands in the address of a page: with [] around IPv6.  The caller owns
 * it. */
char *network_host_of (GInetAddress *address);
