#include "app/serve/photostore.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct PhotoStore {
  gsize most;
  GMutex lock; /* for what follows */
  gsize used;
};

PhotoStore *
photo_store_new (gsize most)
{
  PhotoStore *self = g_atomic_rc_box_new0 (PhotoStore);

  self->most = most;
  g_mutex_init (&self->lock);
  return self;
}

PhotoStore *
photo_store_ref (PhotoStore *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  PhotoStore *self = data;

  g_mutex_clear (&self->lock);
}

void
photo_store_unref (PhotoStore *self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, clear);
}

/* ---- memory ---- */

static gboolean
take (PhotoStore *self, gsize bytes)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  if (bytes > self->most - self->used)
    return FALSE;
  self->used += bytes;
  return TRUE;
}

static void
give_back (PhotoStore *self, gsize bytes)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  self->used -= bytes;
}

/* ---- the disk ---- */

/* /tmp may be memory, /var/tmp is meant for what is large. */
static const char *
disk_folder (void)
{
  const char *chosen = g_getenv ("TMPDIR");

  return chosen != NULL && *chosen != '\0' ? chosen : "/var/tmp";
}

static int
open_nameless (void)
{
  int file = open (disk_folder (), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

  if (file < 0) {
    /* A file system without nameless files. */
    g_autofree char *path =
      g_build_filename (disk_folder (), "tessera-XXXXXX", NULL);

    file = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
      g_unlink (path);
  }
  return file;
}

static gboolean
set_full (GError **error)
{
  return tessera_fail (error, TESSERA_ERROR_LIMIT,
                       "memory and %s are full; close a picture and try again",
                       disk_folder ());
}

/* Memory that is kept in a file; NULL when the disk is full.  The file has all
 * its blocks from the start: a disk that is full later cannot hurt. */
static gpointer
map_new_file (gsize bytes)
{
  int file = open_nameless ();
  gpointer start = MAP_FAILED;

  if (file >= 0 && posix_fallocate (file, 0, (off_t) bytes) == 0)
    start = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0)
    close (file);
  return start != MAP_FAILED ? start : NULL;
}

/* ---- pictures ---- */

static gsize
sample_bytes (const Image *image)
{
  return image_pixels (image) * (gsize) image->channels
         * sizeof *image->samples;
}

static gsize
palette_bytes (const Image *image)
{
  return image->palette != NULL ? image_pixels (image) : 0;
}

gboolean
photo_store_keep (PhotoStore *self, Image *image, PhotoPlace *place,
                  GError **error)
{
  gsize bytes = sample_bytes (image);
  guint16 *samples;

  if (take (self, bytes + palette_bytes (image))) {
    place->in_memory = bytes + palette_bytes (image);
    return TRUE;
  }
  samples = map_new_file (bytes);
  if (samples == NULL)
    return set_full (error);
  memcpy (samples, image->samples, bytes);
  g_free (image->samples);
  image->samples = samples;
  place->on_disk = bytes;
  return TRUE;
}

void
photo_store_free_image (PhotoStore *self, Image *image, PhotoPlace *place)
{
  if (place->on_disk > 0) {
    munmap (image->samples, place->on_disk);
    image->samples = NULL;
  }
  give_back (self, place->in_memory);
  image_free (image);
  *place = (PhotoPlace){ 0, 0 };
}

gboolean
photo_store_has_room (PhotoStore *self, gsize bytes, GError **error)
{
  struct statvfs disk;

  if (take (self, bytes)) {
    give_back (self, bytes);
    return TRUE;
  }
  if (statvfs (disk_folder (), &disk) == 0
      && bytes / disk.f_frsize < disk.f_bavail)
    return TRUE;
  return set_full (error);
}
