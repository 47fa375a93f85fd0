/* cosines.h - the cosine transform of many patches at once
 *
 * With C the orthonormal cosines of one side and K those over the channels,
 *
 *     X[k, l, m] = sum_xyc  C[x, k] C[y, l] K[c, m] Y[x, y, c].
 *
 * One axis after the other costs 2 n (2 side + channels) operations a patch of
 * n samples, where a dictionary of cosines costs 2 n^2.  Each axis is a single
 * matrix product for all patches, Z = Y' C, which also turns the axes round by
 * one: x y c p -> y c p k -> c p k l -> p k l m.  So the axis to be
 * transformed always comes first, and in the end those numbers of all patches
 * lie side by side that belong to the same cosine.
 */
#pragma once

#include "base/matrix.h"

typedef struct Cosines Cosines;

Cosines *cosines_new (int side, int channels);

/* @self may be NULL. */
void cosines_free (Cosines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Cosines, cosines_free)

/* Of @count patches in @y, one after the other, each plane after plane and row
 * after row.  @x gets count codes a cosine; cosine (k, l, m) is number
 * k + side (l + side m), 0 the mean.  @y is overwritten. */
void cosines_forward (const Cosines *self, float *y, float *x, int count);

/* The way back.  @x is overwritten. */
void cosines_backward (const Cosines *self, float *x, float *y, int count);
