/* eye.h - eyes among what may be dust
 *
 * A pupil is small, dark and sharp, as dust is.  But it has an iris around it,
 * and around that there is the white: from one middle, brightness rises twice
 * in most directions, with a plateau in between,
 *
 *     z0        r < p           the pupil
 *     z1        p < r < i       the iris
 *     z2        i < r           the white,
 *
 *     z1 - z0 and z2 - z1 both >= LEAST_STEP or both <= -LEAST_STEP,
 *
 * for some radii p and i.  Dust rises once: its edge is no plateau.  Eyes with a
 * dark rim around a light iris are not known: textures have such steps, too.
 */
#pragma once

#include "imaging/image.h"

/* In how many of EYE_DIRECTIONS directions a spot of @pixels pixels around
 * (@x, @y) is the pupil or the iris of an eye, at most.  Lids hide some, so that
 * EYE_LIKELY are enough for an eye; nothing else was seen to have EYE_SURE. */
#define EYE_DIRECTIONS 16
#define EYE_LIKELY 10
#define EYE_SURE 12

int eye_directions (const Image *image, double x, double y, int pixels);
