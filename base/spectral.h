/* spectral.h - largest singular values */
#pragma once

#include "base/matrix.h"

/* |A - B|_2 for matrices of the same size, by power iteration: never too
 * large, and hardly more than a few per mille too small.  2 m n operations per
 * step, of which there are at most 60. */
double spectral_distance (const Mat *A, const Mat *B);

/* The same in float. */
double spectral_distance_float (const MatF *A, const MatF *B);
