/* openphotos.h - all photographs that are open
 *
 * Their number is limited, and so is their memory: those for which there is
 * none left are kept on disk (photostore.h).  One that no page asks for any more is
 * forgotten after a while.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "app/serve/photo.h"
#include "imaging/codec/codec.h"

typedef struct {
  ImageLimits image; /* of each photograph */
  guint most_photos;
  gsize most_bytes;    /* of all of them together, in memory */
  gint64 idle_seconds; /* until one is forgotten */
} OpenPhotosLimits;

/* A thousand photographs, half of the machine's memory, forgotten after three
 * minutes: browsers let a background page send a request once a minute. */
OpenPhotosLimits open_photos_limits_default (void);

typedef struct OpenPhotos OpenPhotos;

OpenPhotos *open_photos_new (const OpenPhotosLimits *limits);
void open_photos_free (OpenPhotos *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OpenPhotos, open_photos_free)

/* Decodes @bytes and opens the picture under @name.  The caller owns a
 * reference.  NULL with @error set: INPUT for a broken picture, LIMIT when it
 * is too large or there are too many. */
Photo *open_photos_open (OpenPhotos *self, const char *name, GBytes *bytes,
                         GError **error);

/* A reference to an open photograph, which counts as asked for.  NULL with
 * @error set (INPUT) if there is none of that name. */
Photo *open_photos_find (OpenPhotos *self, const char *id, GError **error);

/* Whether there is room for one more version of @photo: LIMIT. */
gboolean open_photos_has_room (OpenPhotos *self, const Photo *photo,
                               GError **error);

/* Forgets a photograph.  Its memory is free once nobody holds it. */
void open_photos_close (OpenPhotos *self, const char *id);

/* Calls @forget with the name of each photograph that nobody has asked for,
 * and closes it.  To be called now and then. */
void open_photos_close_idle (OpenPhotos *self,
                             void (*forget) (const char *id, gpointer data),
                             gpointer data);
