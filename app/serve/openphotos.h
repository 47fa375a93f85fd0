/* openphotos.h - all photographs that are open
 *
 * There is room for so many of them and for so much memory.  One that no page
 * asks for any more is forgotten after a while.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "app/serve/photo.h"
#include "imaging/codec/codec.h"

typedef struct {
  ImageLimits image; /* of each photograph */
  guint most_photos;
  gsize most_bytes;    /* of all of them together */
  gint64 idle_seconds; /* until one is forgotten */
} AlbumLimits;

/* Sixteen photographs in half of the machine's memory, forgotten after three
 * minutes: browsers let a page in the background speak up once a minute. */
AlbumLimits album_limits_default (void);

typedef struct Album Album;

Album *album_new (const AlbumLimits *limits);
void album_free (Album *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Album, album_free)

/* Decodes @bytes and opens the picture under @name.  The caller owns a
 * reference.  NULL with @error set: INPUT for a broken picture, LIMIT when it
 * is too large or there are too many. */
Photo *album_open (Album *self, const char *name, GBytes *bytes,
                   GError **error);

/* A reference to an open photograph, which counts as asked for.  NULL with
 * @error set (INPUT) if there is none of that name. */
Photo *album_find (Album *self, const char *id, GError **error);

/* Whether the memory has room for one more version of @photo: LIMIT. */
gboolean album_has_room (Album *self, Photo *photo, GError **error);

/* Forgets a photograph.  Its memory is free once nobody holds it. */
void album_close (Album *self, const char *id);

/* Calls @forget with the name of each photograph that nobody has asked for,
 * and closes it.  To be called now and then. */
void album_close_idle (Album *self,
                       void (*forget) (const char *id, gpointer data),
                       gpointer data);
