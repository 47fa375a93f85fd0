/* speckregion.h - the region of a candidate for dust, and its features
 *
 * Regions are flooded from a peak in a window around it; specks.h explains
 * which, and what is known of dust.
 */
#pragma once

#include "imaging/detect/specks.h"

#define SPECK_RADIUS 12 /* of the region, from its peak */
#define SPECK_SPAN (2 * SPECK_RADIUS + 1) /* most pixels across it */
#define SPECK_RING 4    /* pixels around it that are looked at */

/* The window with both: from the peak to its edge, its side, and the number of
 * the peak in it. */
#define SPECK_REACH (SPECK_RADIUS + SPECK_RING)
#define SPECK_WINDOW (2 * SPECK_REACH + 1)
#define SPECK_MIDDLE (SPECK_REACH * SPECK_WINDOW + SPECK_REACH)

/* A window around a peak. */
typedef struct {
  const SpeckScene *scene;
  int plane;
  int x, y;               /* the peak */
  int left, right;        /* columns of the window within the picture ... */
  int top, bottom;        /* ... and rows, the last ones included */
  guint8 near[SPECK_WINDOW * SPECK_WINDOW]; /* distance to the region plus 1, 0
                                               for further */
  int pixels[SPECK_PIXELS]; /* of the region, numbers in the window */
  int count;
  int x0, x1, y0, y1; /* its bounds in the window, the last ones included */
} SpeckRegion;

/* Where pixel number @k of the window is in the picture. */
static inline gsize
speck_place (const SpeckRegion *region, int k)
{
  gsize y = (gsize) (region->y + k / SPECK_WINDOW - SPECK_REACH);

  return y * (gsize) region->scene->image->width
         + (gsize) (region->x + k % SPECK_WINDOW - SPECK_REACH);
}

/* For each pixel that is in the region or near it, and in the picture: @k is its
 * number in the window. */
#define SPECK_FOR_NEAR(region, k)                                             \
  for (int y_ = MAX ((region)->y0 - SPECK_RING, (region)->top);               \
       y_ <= MIN ((region)->y1 + SPECK_RING, (region)->bottom); y_++)         \
    for (int k = y_ * SPECK_WINDOW                                            \
                 + MAX ((region)->x0 - SPECK_RING, (region)->left);           \
         k <= y_ * SPECK_WINDOW                                               \
                + MIN ((region)->x1 + SPECK_RING, (region)->right);           \
         k++)                                                                 \
      if ((region)->near[k] > 0)

/* The mean of the colours of a pixel, and the difference of the extremes. */
static inline float
grey_of (const float colour[3])
{
  return (colour[0] + colour[1] + colour[2]) / 3;
}

static inline float
chroma_of (const float colour[3])
{
  float most = MAX (MAX (colour[0], colour[1]), colour[2]);

  return most - MIN (MIN (colour[0], colour[1]), colour[2]);
}

/* What is known of a peak. */
typedef struct {
  int x, y;
  guint8 plane;
  guint8 depth; /* heights down to which it can be flooded */
} SpeckPeak;

/* The peak alone. */
void speck_region_start (SpeckRegion *region, const SpeckScene *scene,
                         int plane, int x, int y);

/* The pixels with the numbers @pixels, which lie within @box, at most
 * 2 SPECK_RADIUS + 1 pixels either way. */
void speck_region_put (SpeckRegion *region, const SpeckScene *scene,
                       const ImageArea *box, const gsize *pixels, int count);

/* Adds what is connected and stands out by @level.  FALSE when the region is
 * too large, or belongs to a higher peak. */
gboolean speck_region_flood (SpeckRegion *region, int level);

/* Sets the distances of the pixels around; and forgets them, which must come
 * before the region is flooded further. */
void speck_region_measure (SpeckRegion *region);
void speck_region_forget (SpeckRegion *region);

/* Fills @f; FALSE if there is no contrast or no background.  @before is the
 * count of the pixels of the region one height above, @crowd that of the peaks
 * around. */
gboolean speck_region_describe (const SpeckRegion *region,
                                const SpeckPeak *peak, int level, int before,
                                int crowd, float f[SPECK_FEATURES]);
