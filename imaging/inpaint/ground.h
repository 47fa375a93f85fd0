/* ground.h - a smooth ground for holes of any size
 *
 * The membrane: missing samples u are what a soap film over the known ones
 * would be,
 *
 *     u(p) = mean of u over the four neighbours of p,
 *
 * found from coarse to fine.  A coarse picture has the mean of what is known
 * of each four pixels; its film starts the next finer one, on which a few
 * sweeps follow.  So the middle of a hole rests on averages over much of its
 * edge, and only the rim on single samples.  Every value is a mean of known
 * ones: none leaves their range.
 */
#pragma once

#include "imaging/inpaint/region.h"

/* Gives every missing sample of @region a value; a colour of which nothing is
 * known gets that of the others.  FALSE, with @error set, when nothing at all
 * is known (INPUT), for lack of memory (MEMORY) or when cancelled. */
gboolean region_lay_ground (Region *region, const Progress *progress,
                            GError **error);
