/* boost.h - learning the trees of a judge
 *
 * Gradient boosting for the logistic loss (Friedman, "Greedy function
 * approximation: a gradient boosting machine", 2001) by trees that ask the
 * same question at all nodes of a level.  With gradient g and curvature h
 * summed over each node, a question is worth the sum of g^2 / (h + ridge) over
 * the nodes that it makes, and a leaf is g / (h + ridge) times a rate.
 */
#pragma once

#include "imaging/detect/judge.h"

#include <stdio.h>

/* What is learned from. */
typedef struct {
  int features;
  GArray *values;  /* of float, @features for each sample */
  GArray *labels;  /* of guint8: 1 for damage */
  GArray *weights; /* of float */
} TrainingSet;

void training_set_init (TrainingSet *set, int features);
void training_set_clear (TrainingSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TrainingSet, training_set_clear)

void training_set_add (TrainingSet *set, const float *values,
                       gboolean is_damage, float weight);

/* Learns @count trees; the same from the same set and @seed. */
void boost_learn (const TrainingSet *set, int count, guint64 seed,
                  JudgeTree *trees);

/* Writes them as initialisers of a JudgeTree. */
void boost_write (const JudgeTree *trees, int count, FILE *file);
