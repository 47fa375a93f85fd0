/* builtin.h - the dictionaries inside the program */
#pragma once

#include "dictlearn/dictionary.h"

/* The cosines of 10 x 10 patches, not learned.  @channels is 1 or 3.  The
 * caller owns it. */
Dictionary *dictionary_builtin (int channels);

/* 300 atoms of 10 x 10 x 3, learned for missing pixels from public-domain
 * photographs ("make dictionary").  The caller owns it. */
Dictionary *dictionary_learned (void);

/* The convolutional dictionary for white noise, learned from the same
 * photographs.  The caller owns it. */
Dictionary *dictionary_noise (void);

/* The convolutional dictionary, learned from the same photographs for missing
 * pixels and samples, blocks, strokes and noise.  The caller owns it. */
Dictionary *dictionary_convolutional (void);
