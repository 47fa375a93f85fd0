/* dct.h - the cosine transform of many patches at once
 *
 * With C the orthonormal cosines of one side and K those over the channels,
 *
 *     X[k, l, m] = sum_xyc  C[x, k] C[y, l] K[c, m] Y[x, y, c].
 *
 * One axis after the other costs 2 n (2 side + channels) operations per patch
 * of n samples, where a dictionary of cosines costs 2 n^2.  Colours are mixed
 * in place.  Each other axis is one matrix product for all patches, Z = Y' C,
 * which also turns the axes round by one: x y m p -> y m p k -> m p k l.  So
 * the axis to be transformed always comes first, and in the end the numbers of
 * all patches that belong to the same cosine of a plane lie side by side.
 */
#pragma once

#include "base/matrix.h"

typedef struct Dct Dct;

/* For patches of 1 or 3 channels. */
Dct *dct_new (int side, int channels);

/* @self may be NULL. */
void dct_free (Dct *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Dct, dct_free)

/* Replaces the @count patches in @y, one after the other, each plane after
 * plane and row after row, by their codes: (k, l, m) of patch p is number
 * m + channels (p + count (k + side l)).  @scratch is as large. */
void dct_forward (const Dct *self, float *y, float *scratch, int count);

/* The inverse. */
void dct_backward (const Dct *self, float *y, float *scratch, int count);
