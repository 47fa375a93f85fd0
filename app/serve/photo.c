#include "app/serve/photo.h"

#include "app/files/randomid.h"
#include "base/error.h"
#include "imaging/restore.h"

#include <string.h>

/* What the versions of one photograph may take before some are dropped. */
#define MOST_BYTES ((gsize) 1 << 30)

struct Photo {
  char id[RANDOM_ID_LENGTH + 1];
  char *name;
  int width, height;
  GBytes *file; /* or NULL */
  PhotoStore *store;

  GMutex lock;         /* for what follows */
  GPtrArray *versions; /* PhotoVersion, NULL for one that was dropped */
  GBytes *found;
  GBytes *overlays[OVERLAYS_KINDS];
  gint64 touched;
};

/* ---- versions ---- */

static void
clear_version (gpointer data)
{
  PhotoVersion *version = data;

  photo_store_free_image (version->store, version->image, &version->place);
  photo_store_unref (version->store);
  g_free (version->noise);
}

void
photo_version_unref (PhotoVersion *version)
{
  if (version != NULL)
    g_atomic_rc_box_release_full (version, clear_version);
}

/* Takes @image over, also when it fails: LIMIT. */
static PhotoVersion *
version_new (PhotoStore *store, Image *image, GError **error)
{
  g_autoptr (PhotoVersion) version = g_atomic_rc_box_new0 (PhotoVersion);

  version->store = photo_store_ref (store);
  version->image = image;
  if (!photo_store_keep (store, image, &version->place, error))
    return NULL;
  return g_steal_pointer (&version);
}

const FoundNoise *
photo_version_noise (PhotoVersion *version, GError **error)
{
  g_autofree FoundNoise *noise = NULL;

  if (g_atomic_pointer_get (&version->noise) != NULL)
    return version->noise;
  noise = g_new (FoundNoise, 1);
  *noise = found_white_noise (image_colours (version->image), 0);
  if (image_may_have_noise (version->image, &RESTORE_DEFAULTS)
      && !image_find_noise (version->image, NULL, noise, error))
    return NULL;
  /* Another request may have found the same meanwhile. */
  if (g_atomic_pointer_compare_and_exchange (&version->noise, NULL, noise))
    noise = NULL;
  return version->noise;
}

static gsize
version_bytes (const PhotoVersion *version)
{
  return version != NULL ? version->place.in_memory + version->place.on_disk
                         : 0;
}

/* Needs the lock. */
static gsize
all_bytes (const Photo *self)
{
  gsize bytes = 0;

  for (guint i = 0; i < self->versions->len; i++)
    bytes += version_bytes (self->versions->pdata[i]);
  return bytes;
}

static void
drop_some (Photo *self)
{
  for (guint i = 1; i + 2 < self->versions->len; i++)
    if (all_bytes (self) > MOST_BYTES)
      g_clear_pointer (&self->versions->pdata[i], photo_version_unref);
}

PhotoVersion *
photo_version (Photo *self, int number, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  PhotoVersion *version = number >= 0 && number < (int) self->versions->len
                            ? self->versions->pdata[number]
                            : NULL;

  if (version != NULL)
    return g_atomic_rc_box_acquire (version);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
               "%s has no version %d, or it was removed", self->name, number);
  return NULL;
}

int
photo_add_version (Photo *self, int base, Image *image, GError **error)
{
  PhotoVersion *version = version_new (self->store, image, error);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  if (version == NULL)
    return -1;
  g_ptr_array_set_size (self->versions,
                        MIN (base + 1, (int) self->versions->len));
  g_ptr_array_add (self->versions, version);
  drop_some (self);
  return (int) self->versions->len - 1;
}

JsonArray *
photo_versions (Photo *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  JsonArray *numbers = json_array_new ();

  for (guint i = 0; i < self->versions->len; i++)
    if (self->versions->pdata[i] != NULL)
      json_array_add_int_element (numbers, i);
  return numbers;
}

/* ---- the photograph ---- */

Photo *
photo_new (const char *name, GBytes *file, Image *image, PhotoStore *store,
           GError **error)
{
  int width = image->width, height = image->height;
  PhotoVersion *first = version_new (store, image, error);
  Photo *self;

  if (first == NULL)
    return NULL;
  self = g_atomic_rc_box_new0 (Photo);
  random_id (self->id);
  self->name = g_strdup (name);
  self->width = width;
  self->height = height;
  self->file = file != NULL ? g_bytes_ref (file) : NULL;
  self->store = photo_store_ref (store);
  self->versions =
    g_ptr_array_new_with_free_func ((GDestroyNotify) photo_version_unref);
  g_ptr_array_add (self->versions, first);
  g_mutex_init (&self->lock);
  photo_touch (self);
  return self;
}

Photo *
photo_ref (Photo *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  Photo *self = data;

  g_ptr_array_unref (self->versions);
  photo_store_unref (self->store);
  g_clear_pointer (&self->file, g_bytes_unref);
  g_clear_pointer (&self->found, g_bytes_unref);
  for (int of = 0; of < OVERLAYS_KINDS; of++)
    g_clear_pointer (&self->overlays[of], g_bytes_unref);
  g_mutex_clear (&self->lock);
  g_free (self->name);
}

void
photo_unref (Photo *self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, clear);
}

const char *
photo_id (const Photo *self)
{
  return self->id;
}

const char *
photo_name (const Photo *self)
{
  return self->name;
}

char *
photo_mended_name (const Photo *self)
{
  const char *dot = strrchr (self->name, '.');
  gsize stem = dot != NULL && dot > self->name ? (gsize) (dot - self->name)
                                               : strlen (self->name);

  return g_strdup_printf ("%.*s-mended%s", (int) stem, self->name,
                          self->name + stem);
}

GBytes *
photo_file (const Photo *self)
{
  return self->file;
}

int
photo_width (const Photo *self)
{
  return self->width;
}

int
photo_height (const Photo *self)
{
  return self->height;
}

void
photo_set_found (Photo *self, GBytes *runs)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  g_clear_pointer (&self->found, g_bytes_unref);
  self->found = runs;
}

GBytes *
photo_found (Photo *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  return self->found != NULL ? g_bytes_ref (self->found) : NULL;
}

void
photo_set_overlays (Photo *self, OverlaysOf of, GBytes *runs)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  g_clear_pointer (&self->overlays[of], g_bytes_unref);
  self->overlays[of] = runs;
}

GBytes *
photo_overlays (Photo *self, OverlaysOf of)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  return self->overlays[of] != NULL ? g_bytes_ref (self->overlays[of]) : NULL;
}

void
photo_touch (Photo *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  self->touched = g_get_monotonic_time ();
}

gint64
photo_touched (Photo *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  return self->touched;
}
