/* learning.h - learners for patches of pictures: default options and
 * results */
#pragma once

#include "dictlearn/dictionary.h"
#include "dictlearn/learner.h"
#include "imaging/patchsource.h"

/* Default options for patches of pictures, for all learners. */
LearnOptions learn_default_options (void);

/* The default number of steps. */
static inline int
learn_default_iterations (const LearnerClass *class,
                          const LearnOptions *options)
{
  return options->iterations > 0 ? options->iterations : class->iterations;
}

/* Patches of length @n that a round through the pictures should give, at most
 * @max of them, 0 for any number.  A learner that streams stops as soon as it
 * has enough, which is the first window and then a stride for each iteration;
 * a round of just that many takes an even share of every picture. */
guint64 learn_patches_of_round (const LearnerClass *class,
                                const LearnOptions *options, int n,
                                guint64 max);

/* Sets @Y to the next patches of @source, which are read into @block. */
gboolean learn_read_patches (PatchSource *source, Mat *block, Mat *Y,
                             GError **error);

/* A dictionary of the columns of @A, which are scaled to length one.  It says
 * that @learner found it; its options are left to the caller, who owns it.
 * NULL with @error set: MEMORY. */
Dictionary *learn_make_dictionary (const Learner *learner, Mat *A, int patch,
                                   int channels, GError **error);
