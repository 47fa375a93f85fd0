/* rim.h - the soft edges of specks, once both sides of them are known
 *
 * The cover of a speck falls from A to nothing along its rim, and no pixel
 * there says exactly by how much.  Once its inside is undone (inside.h), the
 * rim is a thin ring between what is known, so that a second fill is much
 * better than the first; and A and the colour of the speck are known.  With
 * these the shape of the speck is fitted again, and the rim undone (mark.h).
 */
#pragma once

#include "base/progress.h"
#include "imaging/veil/mark.h"

/* A speck of which the inside was undone. */
typedef struct {
  int x, y; /* its first pixel */
  Mark mark;
} VeiledSpeck;

/* Improves the pixels of @filled that are set in @rims: all that the insides of
 * @specks, an array of VeiledSpeck, do not have, filled with the rest known.
 * The specks are in @damaged, MASK_THROUGH in @missing.  @noise as for
 * image_unveil(); @progress may be NULL.  FALSE with @error set: MEMORY,
 * CANCELLED. */
gboolean image_unveil_rims (const Image *damaged, const Mask *missing,
                            double noise, const List *specks,
                            const Mask *rims, Image *filled,
                            const Progress *progress, GError **error);
