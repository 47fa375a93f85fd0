/* texture.h - fill a thick hole with texture from elsewhere in the picture
 *
 * Every patch of the hole should look like some patch S(p) of the known
 * surroundings, and overlapping patches should agree:
 *
 *     minimise over u and S   sum_p | u_p - u_S(p) |^2
 *
 * (Wexler, Shechtman, Irani, "Space-time completion of video", 2007).  Two
 * steps alternate, from coarse to fine: the field S by propagation and random
 * search (Barnes and others, "PatchMatch", 2009), and u by votes of all
 * patches that cover a pixel, weighted by how well they fit and how near what
 * is known is (Newson and others, "Video inpainting of complex scenes", 2014).
 */
#pragma once

#include "imaging/inpaint/region.h"

typedef struct {
  guint64 seed;
  float share; /* of the texture in the result, 0 .. 1; the rest is the value
                  that was there before */
  int finest;  /* finest level: 0 is the picture itself, 1 one of half its
                  size, and so on; structure without detail */
} TextureOptions;

/* Replaces the wanted samples of @region, whose missing samples all have a
 * value to start from; where there is nothing to copy they stay.  The same
 * seed gives the same values for any number of threads.
 *
 * FALSE, with @error set, for lack of memory (MEMORY) or when cancelled. */
gboolean region_copy_texture (Region *region, const TextureOptions *options,
                              const Progress *progress, GError **error);
