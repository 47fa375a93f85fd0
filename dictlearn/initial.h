/* initial.h - dictionaries that need no learning
 *
 * What learners start from, and the yardstick they are held to.  Starts that
 * need samples are in learner.c.
 */
#pragma once

#include "dictlearn/dictionary.h"

/* The cosine transform of patch x patch x channels: n orthonormal atoms, in
 * the order of rising frequency, constant grey first.  Colours get a
 * three-point cosine transform: brightness, and two differences. */
Dictionary *dictionary_dct (int patch, int channels);
