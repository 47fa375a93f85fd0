/* starts.h - dictionaries that need no learning
 *
 * They are what learners start from, and the yardstick they are held to.
 */
#pragma once

#include "dictlearn/dictionary.h"

/* The cosine transform of patch x patch x channels: n orthonormal atoms, in
 * the order of rising frequency, constant grey first.  Colours get a
 * three-point cosine transform: brightness, and two differences. */
Dictionary *dictionary_dct (int patch, int channels);

/* Principal directions of the columns of @Y, n x p, largest variance first:
 * the eigenvectors of Y Y'.  Nothing is subtracted, so that the first atom is
 * near constant grey.  NULL only if LAPACK does not converge. */
Dictionary *dictionary_pca (const MatF *Y, int patch, int channels);
