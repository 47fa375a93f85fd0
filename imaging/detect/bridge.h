/* bridge.h - a picture without the marks that were found
 *
 * What a detector has found may hide more of its kind: strong marks make weak
 * ones look usual, and lines that touch look like one.  For a second look,
 * each marked pixel becomes the mean of the nearest ones that are not, to the
 * left, right, above and below, each with a weight of one over its distance.
 */
#pragma once

#include "imaging/mask.h"

/* A copy of @image with the pixels of @mask replaced; those that have no other
 * within BRIDGE_REACH stay.  NULL with @error set: MEMORY. */
#define BRIDGE_REACH 12
Image *image_bridge (const Image *image, const Mask *mask, GError **error);
