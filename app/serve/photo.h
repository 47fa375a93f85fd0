/* photo.h - a photograph that is open in a page
 *
 * Version 0 is what was uploaded; each restoration adds one.  Versions never
 * change, so they may be read without locks.  When they take too much room,
 * those between the first and the last two are dropped.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "app/serve/photostore.h"
#include "imaging/detect/findnoise.h"

#include <json-glib/json-glib.h>

typedef struct Photo Photo;

/* Takes @image over, whose samples @store keeps.  @name is that of the file,
 * for people, and @file what was in it, NULL if that is of no use any more.
 * NULL with @error set (LIMIT) when there is no room. */
Photo *photo_new (const char *name, GBytes *file, Image *image,
                  PhotoStore *store, GError **error);
Photo *photo_ref (Photo *self);
void photo_unref (Photo *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Photo, photo_unref)

/* Identifies the photograph in addresses: random, so that it cannot be
 * guessed. */
const char *photo_id (const Photo *self);

/* The name of the file, and the one that a mended copy should have:
 * "beach.jpg" and "beach-mended.jpg". */
const char *photo_name (const Photo *self);
char *photo_mended_name (const Photo *self);

/* The file that was opened, which belongs to the photograph, or NULL. */
GBytes *photo_file (const Photo *self);

int photo_width (const Photo *self);
int photo_height (const Photo *self);

/* A version; free with photo_version_unref().  NULL with @error set (INPUT)
 * when there is none of that number any more. */
typedef struct {
  Image *image;
  FoundNoise *noise; /* see photo_version_noise() */
  PhotoStore *store;
  PhotoPlace place;
} PhotoVersion;

PhotoVersion *photo_version (Photo *self, int number, GError **error);
void photo_version_unref (PhotoVersion *version);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhotoVersion, photo_version_unref)

/* The noise of the picture, which is kept and belongs to @version.  NULL with
 * @error set: MEMORY. */
const FoundNoise *photo_version_noise (PhotoVersion *version, GError **error);

/* Appends @image, which it takes over, as what follows version @base; those
 * that followed it before are gone.  Returns its number, or -1 with @error set
 * (LIMIT) when there is no room. */
int photo_add_version (Photo *self, int base, Image *image, GError **error);

/* The numbers of the versions that are there, for json_array_unref(). */
JsonArray *photo_versions (Photo *self);

/* The damage that was found last, as runs (imaging/maskruns.h).  The first
 * takes @runs over; the second returns a reference, or NULL for none. */
void photo_set_found (Photo *self, GBytes *runs);
GBytes *photo_found (Photo *self);

/* The same for pixels that may be looked through: see overlays.h. */
typedef enum { OVERLAYS_FOUND, OVERLAYS_LOADED, OVERLAYS_KINDS } OverlaysOf;
void photo_set_overlays (Photo *self, OverlaysOf of, GBytes *runs);
GBytes *photo_overlays (Photo *self, OverlaysOf of);

/* When somebody last asked for it, in microseconds. */
void photo_touch (Photo *self);
gint64 photo_touched (Photo *self);
