/* activity.h - how busy a picture is around each pixel
 *
 * Patches of a coarse level that come from a lawn and from a green wall look
 * alike, since halving takes the texture away.  So each pixel also carries how
 * much the picture changes around it at its full size,
 *
 *     a_x (p) = mean over |q - p| <= R of |u (q + e_x) - u (q)|,
 *
 * and a_y likewise, as two more channels that patches are compared by (Newson
 * and others, "Video inpainting of complex scenes", 2014).
 */
#pragma once

#include "imaging/inpaint/region.h"

#define ACTIVITY_CHANNELS 2

/* Sets @activity, ACTIVITY_CHANNELS numbers per pixel of @region: means over
 * what is known, and a membrane through them inside holes; 0 where no two
 * neighbours are known.
 *
 * FALSE, with @error set, for lack of memory (MEMORY) or when cancelled. */
gboolean region_measure_activity (const Region *region, float *activity,
                                  const Progress *progress, GError **error);
