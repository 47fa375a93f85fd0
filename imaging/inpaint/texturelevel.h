/* texturelevel.h - a region at one of several sizes
 *
 * Level 0 is the region itself, and each further one has half the side of the
 * one before.  A pixel counts the less the deeper it lies in a hole.
 */
#pragma once

#include "imaging/inpaint/activity.h"
#include "imaging/inpaint/region.h"

/* The weight of a vote, and what a sample counts, fall by this factor for
 * each pixel of depth. */
#define TEXTURE_FALL 0.8f

typedef struct {
  int width, height;
  int channels;    /* colours, and after them activity */
  float *values;   /* one pixel after the other */
  guint8 *missing; /* one byte per pixel */
  guint8 *wanted;
  float *depth;
  float *trust; /* one number per sample: 1 known, falling with depth */
} TextureLevel;

/* The first one copies @region and adds its @activity, the second one sets @to
 * to @from at half its size.  FALSE for lack of memory; @level is then still
 * to be cleared. */
gboolean texture_level_from_region (TextureLevel *level, const Region *region,
                                    const float *activity);
gboolean texture_level_halve (const TextureLevel *from, TextureLevel *to);

/* A level of zeros may be cleared too. */
void texture_level_clear (TextureLevel *level);

/* Moves the wanted samples of @region by @share, 0 .. 1, towards @level, which
 * is level number @number, interpolated. */
void texture_level_mix_into (const TextureLevel *level, int number,
                             Region *region, float share);
