#include "app/serve/certificate.h"

#include "base/error.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <string.h>
#include <unistd.h>

#define DAY (24 * 60 * 60)

/* Clocks of two machines differ a little, and some browsers refuse what is
 * valid for much longer than a year. */
#define DAYS_BEFORE 1
#define DAYS_VALID 397

#define SERIAL_BYTES 16
#define LARGEST_FILE (64 * 1024)

typedef struct {
  gnutls_x509_privkey_t key;
  gnutls_x509_crt_t certificate;
} Pair;

static void
pair_init (Pair *pair)
{
  gnutls_x509_privkey_init (&pair->key);
  gnutls_x509_crt_init (&pair->certificate);
}

static void
pair_clear (Pair *pair)
{
  gnutls_x509_privkey_deinit (pair->key);
  gnutls_x509_crt_deinit (pair->certificate);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

static gboolean
set_failed (const char *path, const char *why, GError **error)
{
  return tessera_fail (error, TESSERA_ERROR_FAILED,
                       "%s: a certificate cannot be made and kept here: %s",
                       path, why);
}

/* ---- a new one ---- */

/* @status is below zero once something has failed, and later steps are left
 * out. */
#define STEP(call) (status = status < 0 ? status : (call))

static int
describe (gnutls_x509_crt_t certificate, GInetAddress *address)
{
  g_autofree char *host = g_inet_address_to_string (address);
  g_autofree char *name = g_strdup_printf ("Tessera on %s", host);
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  guint8 serial[SERIAL_BYTES];
  int status = 0;

  STEP (gnutls_rnd (GNUTLS_RND_NONCE, serial, sizeof serial));
  serial[0] = (serial[0] & 0x7f) | 0x40; /* positive */
  STEP (gnutls_x509_crt_set_version (certificate, 3));
  STEP (gnutls_x509_crt_set_serial (certificate, serial, sizeof serial));
  STEP (gnutls_x509_crt_set_activation_time (certificate,
                                             now - DAYS_BEFORE * DAY));
  STEP (
    gnutls_x509_crt_set_expiration_time (certificate, now + DAYS_VALID * DAY));
  STEP (gnutls_x509_crt_set_dn_by_oid (certificate,
                                       GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                       (unsigned) strlen (name)));
  STEP (gnutls_x509_crt_set_subject_alt_name (
    certificate, GNUTLS_SAN_IPADDRESS, g_inet_address_to_bytes (address),
    (unsigned) g_inet_address_get_native_size (address), GNUTLS_FSAN_SET));
  STEP (gnutls_x509_crt_set_basic_constraints (certificate, 0, -1));
  STEP (
    gnutls_x509_crt_set_key_usage (certificate, GNUTLS_KEY_DIGITAL_SIGNATURE));
  STEP (gnutls_x509_crt_set_key_purpose_oid (certificate,
                                             GNUTLS_KP_TLS_WWW_SERVER, 0));
  return status;
}

static int
pair_make (Pair *pair, GInetAddress *address)
{
  int status = 0;

  STEP (gnutls_x509_privkey_generate (
    pair->key, GNUTLS_PK_ECDSA,
    GNUTLS_CURVE_TO_BITS (GNUTLS_ECC_CURVE_SECP256R1), 0));
  STEP (describe (pair->certificate, address));
  STEP (gnutls_x509_crt_set_key (pair->certificate, pair->key));
  STEP (gnutls_x509_crt_sign2 (pair->certificate, pair->certificate, pair->key,
                               GNUTLS_DIG_SHA256, 0));
  return status;
}

static int
pair_to_pem (const Pair *pair, char **pem)
{
  gnutls_datum_t key = { NULL, 0 }, certificate = { NULL, 0 };
  int status = 0;

  STEP (gnutls_x509_privkey_export2 (pair->key, GNUTLS_X509_FMT_PEM, &key));
  STEP (gnutls_x509_crt_export2 (pair->certificate, GNUTLS_X509_FMT_PEM,
                                 &certificate));
  if (status >= 0)
    *pem = g_strdup_printf ("%.*s%.*s", (int) key.size, key.data,
                            (int) certificate.size, certificate.data);
  gnutls_free (key.data);
  gnutls_free (certificate.data);
  return status;
}

/* ---- the one that is kept ---- */

/* A key that others could read is no secret any more. */
static char *
read_private (const char *path)
{
  GStatBuf info;
  char *text = NULL;

  if (g_stat (path, &info) != 0 || info.st_uid != geteuid ()
      || (info.st_mode & 077) != 0 || info.st_size > LARGEST_FILE)
    return NULL;
  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

static gboolean
have_same_key (const Pair *pair)
{
  guint8 a[64], b[64];
  gsize a_size = sizeof a, b_size = sizeof b;

  return gnutls_x509_crt_get_key_id (pair->certificate, 0, a, &a_size) == 0
         && gnutls_x509_privkey_get_key_id (pair->key, 0, b, &b_size) == 0
         && a_size == b_size && memcmp (a, b, a_size) == 0;
}

/* Whether @pem is a pair for @address that is valid tomorrow, too. */
static gboolean
pair_read (Pair *pair, const char *pem, GInetAddress *address)
{
  const gnutls_datum_t data = { (guint8 *) pem, (unsigned) strlen (pem) };
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;

  return gnutls_x509_privkey_import (pair->key, &data, GNUTLS_X509_FMT_PEM)
           == 0
         && gnutls_x509_crt_import (pair->certificate, &data,
                                    GNUTLS_X509_FMT_PEM)
              == 0
         && have_same_key (pair)
         && gnutls_x509_crt_get_activation_time (pair->certificate) <= now
         && gnutls_x509_crt_get_expiration_time (pair->certificate) > now + DAY
         && gnutls_x509_crt_check_ip (
           pair->certificate, g_inet_address_to_bytes (address),
           (unsigned) g_inet_address_get_native_size (address), 0);
}

/* ---- both ---- */

static gboolean
make_and_keep (Certificate *self, Pair *pair, GInetAddress *address,
               const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) why = NULL;
  int status = 0;

  STEP (pair_make (pair, address));
  STEP (pair_to_pem (pair, &self->pem));
  if (status < 0)
    return set_failed (path, gnutls_strerror (status), error);
  if (g_mkdir_with_parents (folder, 0700) != 0)
    return set_failed (path, g_strerror (errno), error);
  return g_file_set_contents_full (path, self->pem, -1,
                                   G_FILE_SET_CONTENTS_CONSISTENT, 0600, &why)
         || set_failed (path, why->message, error);
}

static gboolean
set_fingerprint (Certificate *self, const Pair *pair)
{
  guint8 bytes[(FINGERPRINT_LENGTH + 1) / 3];
  gsize size = sizeof bytes;

  if (gnutls_x509_crt_get_fingerprint (pair->certificate, GNUTLS_DIG_SHA256,
                                       bytes, &size)
      < 0)
    return FALSE;
  for (gsize i = 0; i < size; i++) {
    g_snprintf (self->fingerprint + 3 * i, 3, "%02X", bytes[i]);
    self->fingerprint[3 * i + 2] = i + 1 < size ? ':' : '\0';
  }
  return TRUE;
}

gboolean
certificate_load (Certificate *self, GInetAddress *address, GError **error)
{
  g_autofree char *path =
    g_build_filename (g_get_user_data_dir (), "tessera", "serve.pem", NULL);
  g_auto (Pair) kept, made;
  const Pair *pair = &kept;

  pair_init (&kept);
  pair_init (&made);
  *self = (Certificate){ .pem = read_private (path) };
  if (self->pem == NULL || !pair_read (&kept, self->pem, address)) {
    g_clear_pointer (&self->pem, g_free);
    if (!make_and_keep (self, &made, address, path, error))
      return FALSE;
    pair = &made;
  }
  return set_fingerprint (self, pair)
         || set_failed (path, "no fingerprint", error);
}

void
certificate_clear (Certificate *self)
{
  g_clear_pointer (&self->pem, g_free);
}
