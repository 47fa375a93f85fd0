/* speckregion.h - the region of a candidate for dust, and its features
 *
 * Regions are flooded from a peak in a window around it; specks.h explains
 * which, and what is known of dust.
 */
#pragma once

#include "imaging/detect/specks.h"

#define RADIUS 12            /* of the region, from its peak */
#define RING 4               /* pixels around it that are looked at */
#define HALF (RADIUS + RING) /* the window with both */
#define SIDE (2 * HALF + 1)
#define MIDDLE (HALF * SIDE + HALF)

/* A window around a peak. */
typedef struct {
  const SpeckScene *scene;
  int plane;
  int x, y;               /* the peak */
  int left, right;        /* columns of the window within the picture ... */
  int top, bottom;        /* ... and rows, the last ones included */
  guint8 near[SIDE * SIDE]; /* distance to the region plus 1, 0 for further */
  int pixels[SPECK_PIXELS]; /* of the region, numbers in the window */
  int count;
  int x0, x1, y0, y1; /* its bounds in the window, the last ones included */
} Region;

static inline gsize
place (const Region *region, int k)
{
  gsize y = (gsize) (region->y + k / SIDE - HALF);

  return y * (gsize) region->scene->image->width
         + (gsize) (region->x + k % SIDE - HALF);
}

/* What is known of a peak. */
typedef struct {
  int x, y;
  guint8 plane;
  guint8 depth; /* heights down to which it can be flooded */
} Peak;

/* The peak alone. */
void region_start (Region *region, const SpeckScene *scene, int plane, int x,
                   int y);

/* Adds what is connected and stands out by @level.  FALSE when the region is
 * too large, or belongs to a higher peak. */
gboolean region_flood (Region *region, int level);

/* Sets the distances of the pixels around; and forgets them, which must come
 * before the region is flooded further. */
void region_measure (Region *region);
void region_forget (Region *region);

/* Fills @f; FALSE if there is no contrast or no background.  @before is the
 * count of the pixels of the region one height above, @crowd that of the peaks
 * around. */
gboolean region_describe (const Region *region, const Peak *peak, int level,
                          int before, int crowd, float f[SPECK_FEATURES]);
