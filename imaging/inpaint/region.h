/* region.h - the thick parts of a hole, each cut out with what is around it
 *
 * A patch that predicts missing samples must see known ones.  So a hole falls
 * into thin parts, where every patch does, and thick ones.  With the depth
 * d(p) of a missing pixel, its distance to the nearest one of which some colour
 * is known,
 *
 *     deep  = { p : d(p) > T },
 *     thick = { p : some deep q has |p - q| <= T },
 *
 * which is the hole opened by a disc of radius T: scratches that lead into it
 * are left out.  T is THIN_DEPTH.
 */
#pragma once

#include "base/progress.h"
#include "imaging/mask.h"

/* Pixels of a hole that are no further from what is known are filled by
 * patches alone.  Blocks of 20 pixels are the largest that these fill better
 * than a smooth ground does. */
#define THIN_DEPTH 10

/* Depth of every missing pixel, in thirds of a pixel. */
typedef struct {
  int width, height;
  guint16 *depth;   /* 0 where some colour is known */
  guint8 *thick;    /* one byte per pixel, a ThickState */
  gsize waiting;    /* thick pixels that are not chosen yet */
  gsize next;       /* no pixel before this one is waiting */
  ImageArea chosen; /* bounds of the part that is chosen */
} Thickness;

typedef enum { NOT_THICK, THICK_WAITING, THICK_CHOSEN, THICK_DONE } ThickState;

/* Measures the holes of @missing; invisible pixels of @image are unknown as
 * well.  NULL with @error set (MEMORY) for lack of memory. */
Thickness *thickness_new (const Image *image, const Mask *missing,
                          GError **error);

/* @self may be NULL. */
void thickness_free (Thickness *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Thickness, thickness_free)

/* Chooses the next connected thick part that waits, and marks the one chosen
 * before as done.  FALSE when none is left, and with @error set (MEMORY) for
 * lack of memory. */
gboolean thickness_next (Thickness *self, GError **error);

/* A rectangle of a picture as floats, one pixel after the other. */
typedef struct {
  int x, y; /* its upper left corner in the picture */
  int width, height;
  int channels;
  float *values;   /* black is 0, white is 1; 0 where nothing is known */
  guint8 *missing; /* one byte per pixel, as in a Mask */
  guint8 *wanted;  /* one byte per pixel: belongs to the chosen part */
  float *depth;    /* of missing pixels */
} Region;

/* Cuts the chosen part of @thickness out of @image, with as much around it as
 * it is large.  NULL with @error set (MEMORY) for lack of memory. */
Region *region_new (const Image *image, const Mask *missing,
                    const Thickness *thickness, GError **error);

/* @self may be NULL. */
void region_free (Region *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Region, region_free)

static inline gsize
region_pixels (const Region *self)
{
  return (gsize) self->width * (gsize) self->height;
}

/* Largest depth of a wanted pixel. */
float region_depth (const Region *self);

/* Writes the missing samples of wanted pixels that are deeper than @depth into
 * @image, and takes these pixels out of @missing. */
void region_write_back (const Region *self, float depth, Image *image,
                        Mask *missing);
