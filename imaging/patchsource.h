/* patchsource.h - a stream of patches from any number of pictures
 *
 * Pictures are read one at a time, in an order shuffled by the seed; from each
 * some patches are drawn at random places, none twice, and the picture is
 * forgotten.  Patches wait in a pool of fixed size and leave it in random
 * order, so that patches of one picture do not come one after the other.
 * Memory is that of the pool and the largest picture, however many there are.
 */
#pragma once

#include "base/matrix.h"
#include "imaging/image.h"

/* Reads a picture; NULL with @error set when it cannot.  CANCELLED and
 * MEMORY end the epoch; anything else leaves the picture out. */
typedef Image *(*PictureLoader) (const char *path, gpointer data,
                                 GError **error);

/* Called for a picture that is skipped, with the reason. */
typedef void (*PictureSkipped) (const char *path, const char *why,
                                gpointer data);

typedef struct {
  int patch;           /* side */
  int channels;        /* 1: colours are averaged; 3: grey is repeated */
  int step;            /* corners of patches are multiples of this */
  guint64 max_patches; /* per epoch, 0 for all; shared evenly by the pictures.
                          What one cannot give is taken from later ones */
  guint64 seed;
  PictureLoader load;
  PictureSkipped skipped; /* may be NULL */
  gpointer data;          /* for both */
} PatchSourceOptions;

typedef struct PatchSource PatchSource;

/* @paths holds char *; a reference to it is kept.  Its order counts: sort it
 * where it comes from a folder.  NULL with @error set: MEMORY. */
PatchSource *patch_source_new (GPtrArray *paths,
                               const PatchSourceOptions *options,
                               GError **error);
void patch_source_free (PatchSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PatchSource, patch_source_free)

/* Begins epoch number @epoch, from 0: other orders and places each time.
 * Pictures that were left out before are not tried again. */
void patch_source_begin (PatchSource *self, int epoch);

/* Fills the first columns of @Y, patch * patch * channels rows, with the next
 * patches, black 0 and white 1, plane after plane.  Returns how many; 0 at the
 * end of the epoch. */
int patch_source_read (PatchSource *self, Mat *Y);

/* Whether all pictures so far were read or were unusable.  FALSE with @error
 * set when the loader was cancelled or there was no memory for one: without it
 * the patches would differ. */
gboolean patch_source_check (const PatchSource *self, GError **error);

/* Pictures that gave patches, and that were left out, in all epochs so far;
 * each counts once. */
int patch_source_used (const PatchSource *self);
int patch_source_skipped (const PatchSource *self);
