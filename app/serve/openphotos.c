#include "app/serve/openphotos.h"

#include "app/system/memory.h"
#include "base/error.h"
#include "imaging/codec/pages.h"

/* A decoded sample, and the most of them that a pixel can have. */
#define MOST_PIXEL_BYTES (4 * sizeof (guint16))

/* Decoding takes memory before we know how much will stay: few at a time. */
#define DECODERS 2

struct OpenPhotos {
  OpenPhotosLimits limits;
  GMutex lock;
  GCond decoder_free;
  int decoding;
  PhotoStore *store;
  GHashTable *photos; /* by their id; owns a reference */
};

OpenPhotosLimits
open_photos_limits_default (void)
{
  return (OpenPhotosLimits){ .image = IMAGE_LIMITS_DEFAULTS,
                             .most_photos = 1000,
                             .most_bytes = memory_size ("") / 2,
                             .idle_seconds = 180 };
}

OpenPhotos *
open_photos_new (const OpenPhotosLimits *limits)
{
  OpenPhotos *self = g_new0 (OpenPhotos, 1);

  self->limits = *limits;
  self->store = photo_store_new (limits->most_bytes);
  g_mutex_init (&self->lock);
  g_cond_init (&self->decoder_free);
  self->photos = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                        (GDestroyNotify) photo_unref);
  return self;
}

void
open_photos_free (OpenPhotos *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->photos);
  photo_store_unref (self->store);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->decoder_free);
  g_free (self);
}

/* ---- limits ---- */

static gboolean
set_full (GError **error)
{
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                       "too many pictures are open; close one and try again");
  return FALSE;
}

/* Needs the lock. */
static gboolean
has_place (const OpenPhotos *self, GError **error)
{
  guint taken = g_hash_table_size (self->photos) + (guint) self->decoding;

  return taken < self->limits.most_photos || set_full (error);
}

/* Waits for a decoder.  FALSE when there is no place for a photograph. */
static gboolean
take_decoder (OpenPhotos *self, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  while (self->decoding == DECODERS && has_place (self, NULL))
    g_cond_wait (&self->decoder_free, &self->lock);
  if (!has_place (self, error))
    return FALSE;
  self->decoding++;
  return TRUE;
}

/* The limits of a picture that can be decoded: in memory, wherever it is kept
 * then. */
static ImageLimits
decoder_limits (const OpenPhotos *self)
{
  ImageLimits limits = self->limits.image;

  limits.max_pixels =
    MIN (limits.max_pixels, self->limits.most_bytes / MOST_PIXEL_BYTES);
  return limits;
}

/* ---- photographs ---- */

/* Saving one page of several would lose the others. */
static gboolean
has_one_page (const char *name, GBytes *bytes, GError **error)
{
  g_autoptr (PageReader) file = page_reader_new (bytes);
  int pages = page_reader_count (file);

  return pages == 1
         || tessera_fail (error, TESSERA_ERROR_INPUT,
                          "%s has %d pages, and only single pictures can be "
                          "opened here; \"tessera inpaint\" restores them all",
                          name, pages);
}

/* A photograph that is not in the table yet; see open_photos_open(). */
static Photo *
decode (OpenPhotos *self, const char *name, GBytes *bytes, GError **error)
{
  ImageLimits limits = decoder_limits (self);
  Image *image = image_decode (bytes, name, &limits, error);
  gboolean is_kept;

  if (image == NULL)
    return NULL;
  /* Of a broken file we cannot keep a part. */
  is_kept = image->meta.format == TESSERA_JPEG && !limits.lenient;
  return photo_new (name, is_kept ? bytes : NULL, image, self->store, error);
}

Photo *
open_photos_open (OpenPhotos *self, const char *name, GBytes *bytes,
                  GError **error)
{
  Photo *photo;

  if (!has_one_page (name, bytes, error) || !take_decoder (self, error))
    return NULL;
  photo = decode (self, name, bytes, error);
  g_mutex_lock (&self->lock);
  self->decoding--;
  g_cond_broadcast (&self->decoder_free);
  if (photo != NULL)
    g_hash_table_insert (self->photos, (char *) photo_id (photo),
                         photo_ref (photo));
  g_mutex_unlock (&self->lock);
  return photo;
}

Photo *
open_photos_find (OpenPhotos *self, const char *id, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  Photo *photo = g_hash_table_lookup (self->photos, id);

  if (photo != NULL) {
    photo_touch (photo);
    return photo_ref (photo);
  }
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                       "this picture is not open or was closed; open it "
                       "again");
  return NULL;
}

gboolean
open_photos_has_room (OpenPhotos *self, const Photo *photo, GError **error)
{
  gsize pixels = (gsize) photo_width (photo) * (gsize) photo_height (photo);

  return photo_store_has_room (self->store, pixels * MOST_PIXEL_BYTES, error);
}

void
open_photos_close (OpenPhotos *self, const char *id)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  g_hash_table_remove (self->photos, id);
}

/* The names of idle photographs, for g_ptr_array_unref(). */
static GPtrArray *
find_idle (OpenPhotos *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  GPtrArray *idle = g_ptr_array_new_with_free_func (g_free);
  gint64 oldest =
    g_get_monotonic_time () - self->limits.idle_seconds * G_USEC_PER_SEC;
  GHashTableIter iter;
  gpointer photo;

  g_hash_table_iter_init (&iter, self->photos);
  while (g_hash_table_iter_next (&iter, NULL, &photo))
    if (photo_touched (photo) < oldest)
      g_ptr_array_add (idle, g_strdup (photo_id (photo)));
  return idle;
}

void
open_photos_close_idle (OpenPhotos *self,
                        void (*forget) (const char *id, gpointer data),
                        gpointer data)
{
  g_autoptr (GPtrArray) idle = find_idle (self);

  for (guint i = 0; i < idle->len; i++) {
    forget (idle->pdata[i], data);
    open_photos_close (self, idle->pdata[i]);
  }
}
