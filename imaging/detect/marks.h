/* marks.h - what the detectors of marks on a picture have in common
 *
 * A mark is something small or thin that stands out from its surroundings.
 * The top-hat says by how much: a picture less its opening, the maximum over a
 * window of the minimum over that window, which lets nothing through that is
 * brighter and narrower than the window.
 */
#pragma once

#include "base/list.h"
#include "imaging/mask.h"

/* A plane of bytes, row after row. */
typedef struct {
  int width, height;
  guint8 *data;
} BytePlane;

/* Zeros.  FALSE with @error set (MEMORY) for lack of memory. */
gboolean byte_plane_init (BytePlane *plane, int width, int height,
                          GError **error);
void byte_plane_clear (BytePlane *plane);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BytePlane, byte_plane_clear)

static inline gsize
byte_plane_size (const BytePlane *plane)
{
  return (gsize) plane->width * (gsize) plane->height;
}

static inline guint8 *
byte_plane_row (const BytePlane *plane, int y)
{
  return plane->data + (gsize) y * (gsize) plane->width;
}

/* The least and the largest colour of each pixel, 0 .. 255: marks are mostly
 * grey, and the former shows light ones, the latter dark ones, where the
 * colours of a picture do not hide them. */
typedef struct {
  BytePlane least, most;
} Extremes;

gboolean extremes_init (Extremes *extremes, const Image *image,
                        GError **error);
void extremes_clear (Extremes *extremes);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Extremes, extremes_clear)

/* Rows of @plane become columns of @turned. */
gboolean byte_plane_turn (const BytePlane *plane, BytePlane *turned,
                          GError **error);

/* Replaces @plane by its top-hat for windows of 2 @across + 1 by 2 @down + 1
 * pixels. */
gboolean byte_plane_top_hat (BytePlane *plane, int across, int down,
                             GError **error);

/* Mean over windows of 2 @across + 1 by 2 @down + 1 pixels, cut off at the
 * edges; at most MOST_MEAN each. */
#define MOST_MEAN 60
gboolean byte_plane_mean (const BytePlane *plane, int across, int down,
                          BytePlane *mean, GError **error);

/* Connected pixels. */
typedef struct {
  const BytePlane *marks;
  const gsize *pixels; /* their numbers, @count of them */
  gsize count;
  ImageArea box;
} Blob;

/* Moves what is 8-connected to pixel @start from @left, where it becomes 0, to
 * @pixels, a list of gsize, and returns the bounds.  If @joins is not NULL,
 * only pixels join for which it says so, given @start.  Without memory the list
 * is short. */
ImageArea byte_plane_collect (BytePlane *left, gsize start,
                              gboolean (*joins) (gsize start, gsize pixel,
                                                 gconstpointer data),
                              gconstpointer data, List *pixels);

/* Called for every set of 8-connected pixels of @marks that are not 0; adds
 * those to @mask for which @keep says so. */
gboolean blobs_keep (const BytePlane *marks,
                     gboolean (*keep) (const Blob *blob, gpointer data),
                     gpointer data, Mask *mask, GError **error);

/* Adds to @mask what lies within @reach pixels, by rows and columns. */
gboolean mask_grow (Mask *mask, int reach, GError **error);

/* Leaves of @mask what has nothing else within @reach pixels in the picture. */
gboolean mask_shrink (Mask *mask, int reach, GError **error);
