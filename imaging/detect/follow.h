/* follow.h - where a scratch goes on
 *
 * A line that was found may end where a stronger one is near, where it becomes
 * too slanted, or where the picture around is too busy.  A scratch goes on
 * there, and what it looks like is known by then: on a background g a scratch
 * of opacity a and colour s has the colour p = (1 - a) g + a s.  Both are
 * fitted to the line as it was found, with the mean of its two sides as g.
 * From its middle the line is then followed both ways: at each step it turns
 * to where the pixels ahead are most likely, and a pixel of colour c speaks for
 * the scratch by the logarithm of
 *     N (c; p, (1 - a)^2 v + n) / N (c; g, v + n) ,
 * v being the variance of the texture on both sides and n that of the noise.
 * Where p is near g nothing speaks for or against, and the line goes on for a
 * while; it ends where its sum of evidence was largest.  Nothing speaks against
 * it either where it crosses a scratch that is marked already, and of two sides
 * of which one is marked, or outside of the picture, the other counts.
 */
#pragma once

#include "imaging/detect/lines.h"

/* Adds to @mask what @segment, which is part of a scratch, goes on to cover. */
void scratch_follow (const Image *image, const Segment *segment, Mask *mask);
