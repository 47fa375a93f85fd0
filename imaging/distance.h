/* distance.h - how far pixels are from others
 *
 * Chamfer distances of 3 to the next pixel and 4 across a corner are those of
 * Borgefors (1986): within 8 % of the Euclidean distance, times three.
 */
#pragma once

#include <glib.h>

#define CHAMFER_PIXEL 3
#define CHAMFER_FAR 60000

/* Turns what is CHAMFER_FAR in @distance, @width x @height numbers, into the
 * distance to the nearest 0 in them, at most CHAMFER_FAR. */
void chamfer_distances (guint16 *distance, int width, int height);
