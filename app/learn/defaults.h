/* defaults.h - learners for pictures: their usual options, and what they leave
 */
#pragma once

#include "dictlearn/dictionary.h"
#include "dictlearn/learner.h"

/* Options that are usual for patches of pictures, for all learners. */
LearnOptions learn_default_options (void);

/* Steps that learners do where nobody says how many. */
static inline int
learn_default_iterations (const LearnerClass *class,
                          const LearnOptions *options)
{
  return options->iterations > 0 ? options->iterations : class->iterations;
}

/* The options that are @class's own, as on the command line of "learn", for
 * @atoms atoms; the caller frees it. */
char *learn_describe_options (const LearnerClass *class,
                              const LearnOptions *options, int atoms);

/* A dictionary of the columns of @A, which are scaled to length one.  It says
 * that @learner found it; its options are left to the caller, who owns it. */
Dictionary *learn_make_dictionary (const Learner *learner, Mat *A, int patch,
                                   int channels);
