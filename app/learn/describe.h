/* describe.h - the options of a learner in the words of the command line */
#pragma once

#include "dictlearn/learner.h"

/* The options that are @class's own, as on the command line of "learn", for
 * @atoms atoms; the caller frees it. */
char *learn_describe_options (const LearnerClass *class,
                              const LearnOptions *options, int atoms);
