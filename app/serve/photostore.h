/* photostore.h - where the samples of open photographs are
 *
 * In memory, up to a number of bytes; those for which there is no room are in
 * a file on disk, which is mapped, so that they can be read like the others
 * and the kernel decides how much of them is in memory.  The file has no name:
 * nobody else can open it, and nothing of it is left when the program ends,
 * however it does.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "imaging/image.h"

typedef struct PhotoStore PhotoStore;

/* Keeps up to @most bytes in memory. */
PhotoStore *photo_store_new (gsize most);
PhotoStore *photo_store_ref (PhotoStore *self);
void photo_store_unref (PhotoStore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhotoStore, photo_store_unref)

/* What the store has of one picture.  Starts as all zeros. */
typedef struct {
  gsize in_memory, on_disk; /* bytes */
} PhotoPlace;

/* Finds a place for the samples of @image, which must not change from now on.
 * FALSE with @error set (LIMIT), and @image as it was, when the disk is full
 * as well. */
gboolean photo_store_keep (PhotoStore *self, Image *image, PhotoPlace *place,
                           GError **error);

/* Frees @image, and its place. */
void photo_store_free_image (PhotoStore *self, Image *image,
                             PhotoPlace *place);

/* Whether memory or the disk has room for @bytes more: LIMIT. */
gboolean photo_store_has_room (PhotoStore *self, gsize bytes, GError **error);
