/* judge.h - which candidates are damage
 *
 * A detector describes a candidate by features f_1 .. f_n.  A sum of small
 * trees, learned by `make finders` from damage that was simulated on
 * photographs, says how likely it is that this is damage where damage is as
 * frequent as it was there: each tree asks JUDGE_DEPTH questions f_j > t, and
 * the answers are the bits of the number of its leaf.  The sum of the leaves
 * is a logit.
 *
 * How frequent damage is in the picture at hand, marks per pixel, is estimated
 * from all of its candidates (expectation and maximisation), so that a clean
 * picture needs stronger evidence for a mark than one that is full of dust.
 * Most damage is sure; where hardly any candidate is, as in snow, there is
 * none.
 *
 * Leaves are whole numbers, and odds are products, so that the same candidates
 * are damage on every processor.
 */
#pragma once

#include <glib.h>

#define JUDGE_DEPTH 4
#define JUDGE_LEAVES (1 << JUDGE_DEPTH)

/* Leaves, and the scores that are their sums, are logits times this. */
#define JUDGE_UNIT 256

typedef struct {
  guint8 feature[JUDGE_DEPTH];
  float threshold[JUDGE_DEPTH];
  gint16 leaf[JUDGE_LEAVES];
} JudgeTree;

typedef struct {
  int trees;
  const JudgeTree *tree;
  double density; /* marks per pixel that the scores are meant for */
  double clean_pixels; /* that the belief in a clean picture is worth: marks in
                          a smaller picture need more evidence */
  double least;   /* share of the density to which a picture may be clean, so
                     that single marks are still found if the evidence is
                     strong */
  double bold;    /* how much worse a mark that stays is than a place that is
                     mended without need, in a picture full of damage */
} Judge;

int judge_score (const Judge *judge, const float *features);

/* How frequent damage is in a picture of @pixels pixels, as a share of
 * @density, given the scores of all @count candidates; more of them count for
 * a @strength above 1, as detect.h has it. */
double judge_share (const Judge *judge, const int *scores, gsize count,
                    double pixels, double strength);

/* The score above which a candidate counts as damage in a picture of that
 * @share; lower for a @strength above 1. */
int judge_threshold (const Judge *judge, double share, double strength);
