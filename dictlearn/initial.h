/* initial.h - dictionaries that need no learning
 *
 * What learners start from, and the baseline they are compared with.  Starts
 * that need samples are in learner.c.
 */
#pragma once

#include "dictlearn/dictionary.h"

/* Entry @i of cosine number @f of length @n, orthonormal:
 *     c_f(i) = sqrt (2 / n) cos (pi f (i + 1/2) / n),  c_0 = sqrt (1 / n). */
double dct_entry (int f, int i, int n);

/* The cosine transform of patch x patch x channels: n orthonormal atoms, in
 * the order of rising frequency, constant grey first.  Colours get a
 * three-point cosine transform: brightness, and two differences.  NULL with
 * @error set: MEMORY. */
Dictionary *dictionary_dct (int patch, int channels, GError **error);
