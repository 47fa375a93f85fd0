/* builtin.h - the dictionaries inside the program */
#pragma once

#include "dictlearn/dictionary.h"

/* What is used when nothing is named: the cosines of 10 x 10 patches, which
 * need no training pictures and restore as well as what online learning found,
 * to 0.05 dB (see docs/benchmarks.md).  @channels is 1 or 3.  The caller owns
 * it. */
Dictionary *dictionary_builtin (int channels);

/* 300 atoms of 10 x 10 x 3, learned by the online algorithm from the bundled
 * photographs ("make dictionary").  The caller owns it. */
Dictionary *dictionary_learned (void);
