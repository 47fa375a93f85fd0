/* certificate.h - who the server is, to browsers on other machines
 *
 * A key and a certificate that it signs itself.  They are made at the first
 * start and kept for the user, so that a browser that trusts the certificate
 * can go on doing so.  No authority vouches for it: people compare its
 * fingerprint with the one that the program prints.
 */
#pragma once

#include <gio/gio.h>

#define FINGERPRINT_LENGTH 95 /* of SHA-256: 32 bytes as "01:23:..." */

typedef struct {
  char *pem; /* the key, then the certificate */
  char fingerprint[FINGERPRINT_LENGTH + 1];
} Certificate;

/* That for a server at @address: the one that is kept, or a new one where
 * there is none, or that is for another address, about to expire, or readable
 * by other users.  FALSE with @error set (FAILED) when none can be made or
 * kept. */
gboolean certificate_load (Certificate *self, GInetAddress *address,
                           GError **error);
void certificate_clear (Certificate *self);
