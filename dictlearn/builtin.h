/* builtin.h - the dictionaries inside the program */
#pragma once

#include "dictlearn/dictionary.h"

/* All are NULL with @error set (MEMORY) when memory is short, and belong to the
 * caller. */

/* The cosines of 10 x 10 patches, not learned.  @channels is 1 or 3. */
Dictionary *dictionary_cosines (int channels, GError **error);

/* 300 atoms of 10 x 10 x 3, learned for missing pixels from public-domain
 * photographs ("make dictionary"). */
Dictionary *dictionary_learned (GError **error);

/* Its atoms and after them the cosines: for missing pixels better than either
 * alone.  Cosines serve where a patch is like none that were learned from. */
Dictionary *dictionary_learned_and_cosines (GError **error);

/* The convolutional dictionary for white noise, learned from the same
 * photographs. */
Dictionary *dictionary_noise (GError **error);

/* The convolutional dictionary, learned from the same photographs for missing
 * pixels and samples, blocks, strokes and noise. */
Dictionary *dictionary_convolutional (GError **error);
