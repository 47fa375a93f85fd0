/* learning.h - for the tests: learners that run to their end */
#pragma once

#include "dictlearn/learner.h"
#include "dictlearn/synthetic.h"

/* A learner that has learned from the columns of @Y. */
static inline Learner *
learn_from (const char *name, const Mat *Y, const LearnOptions *options)
{
  g_autoptr (GError) error = NULL;
  Learner *learner = learner_new (name, Y->rows, options, &error);

  g_assert_no_error (error);
  learner_feed (learner, Y, NULL, &error);
  g_assert_no_error (error);
  learner_finish (learner, NULL, &error);
  g_assert_no_error (error);
  return learner;
}

/* The first @count samples. */
static inline Mat
samples_of (const SyntheticData *synthetic, int count)
{
  Mat Y = mat_new (synthetic->options.n, count);

  synthetic_samples (synthetic, 0, &Y, NULL);
  return Y;
}
