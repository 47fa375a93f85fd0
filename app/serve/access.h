/* access.h - who may send requests to the server
 *
 * The server listens on the loopback interface, but everything on the machine
 * reaches that: other users, and every page that is open in a browser.  Where it
 * is asked to, it listens on an address in a network, with TLS.
 *
 *   - A foreign page may send requests here, and by making its own name stand
 *     for our address (DNS rebinding) even read the answers.  So Host must be
 *     ours, Origin, where there is one, must be ours, and where the browser
 *     says who asks (Sec-Fetch-Site), that must be our page or the user.  A
 *     browser may be sent to the bare page by a link: that is how it is opened
 *     (app/serve/browser.h), and the page alone knows nothing.
 *   - All but the bare page needs a key, sent as a header, which no foreign
 *     page can add.  (A cookie would go to all servers of this machine.)
 *   - The key is handed out once, for the token in the address that is printed
 *     in the terminal; whoever comes second is refused.
 */
#pragma once

#include "app/files/randomid.h"

typedef struct {
  char *host; /* NULL for the loopback interface */
  int port;
  char token[RANDOM_ID_LENGTH + 1];
  char key[RANDOM_ID_LENGTH + 1];
  gint spent; /* whether the token was used; atomic */
} Access;

/* The headers that say where a request comes from; NULL for those that were
 * not sent. */
typedef struct {
  const char *host, *origin, *site;
} RequestSource;

/* New token and key for the server on @port of @host, as it stands in an
 * address, or, without TLS, of the loopback interface, if @host is NULL. */
void access_init (Access *access, const char *host, int port);
void access_clear (Access *access);

/* The address with the token, which the caller owns. */
char *access_address (const Access *access);

/* NULL if the request may come from our page or from the user's hand,
 * otherwise what is wrong. */
const char *access_check_source (const Access *access,
                                 const RequestSource *source);

/* As above, where only the host counts: for what a sandboxed frame asks for,
 * which has no origin, and for a browser that is sent to the page. */
const char *access_check_host (const Access *access, const char *host);

gboolean access_has_key (const Access *access, const char *given);

/* The key for the token, once.  NULL for a wrong or a used one. */
const char *access_exchange (Access *access, const char *token);
