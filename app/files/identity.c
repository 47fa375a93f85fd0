#include "app/files/identity.h"

#include <string.h>

/* What a path leads to, by whatever name. */
typedef struct {
  guint64 device, number;
} Identity;

static guint
identity_hash (gconstpointer a)
{
  const Identity *id = a;

  return g_int64_hash (&id->number) ^ g_int64_hash (&id->device);
}

static gboolean
identity_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Identity)) == 0;
}

GHashTable *
identities_new (void)
{
  return g_hash_table_new_full (identity_hash, identity_equal, g_free, NULL);
}

gboolean
identity_add (GHashTable *set, const struct stat *info)
{
  Identity *id = g_new (Identity, 1);

  *id = (Identity){ info->st_dev, info->st_ino };
  return g_hash_table_add (set, id);
}

gboolean
identity_is_in (GHashTable *set, const struct stat *info)
{
  Identity id = { info->st_dev, info->st_ino };

  return g_hash_table_contains (set, &id);
}
