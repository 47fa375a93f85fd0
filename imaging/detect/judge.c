#include "imaging/detect/judge.h"

/* Scores are looked at up to this size, either way. */
#define MOST_SCORE (16 * JUDGE_UNIT)

#define ROUNDS 6

/* Odds of a mark that is sure, and the most marks to each of those: of damage
 * most is sure, while of things that only look like it, as snow does, hardly
 * any is. */
#define SURE 20.
#define MARKS_TO_SURE 6.

int
judge_score (const Judge *judge, const float *features)
{
  int score = 0;

  for (int t = 0; t < judge->trees; t++) {
    const JudgeTree *tree = &judge->tree[t];
    int leaf = 0;

    for (int d = 0; d < JUDGE_DEPTH; d++)
      leaf |= (features[tree->feature[d]] > tree->threshold[d]) << d;
    score += tree->leaf[leaf];
  }
  return score;
}

/* The odds of @score, near enough: (1 + x / 4096)^4096 is nearly exp x, and
 * rounds everywhere alike. */
static double
odds (int score)
{
  double power = 1
                 + (double) CLAMP (score, -MOST_SCORE, MOST_SCORE)
                     / (JUDGE_UNIT * 4096.);

  for (int i = 0; i < 12; i++)
    power *= power;
  return power;
}

double
judge_share (const Judge *judge, const int *scores, gsize count,
             double pixels, double strength)
{
  double expected = judge->density * (pixels + judge->clean_pixels);
  double offset = strength * strength * strength, share = judge->least;
  double most = 0;

  for (gsize i = 0; i < count; i++)
    most += odds (scores[i]) * offset > SURE ? MARKS_TO_SURE : 0;
  for (int round = 0; round < ROUNDS; round++) {
    double marks = 0;

    for (gsize i = 0; i < count; i++)
      marks += 1 - 1 / (1 + odds (scores[i]) * offset * share);
    share = CLAMP (MIN (marks, most) / expected, judge->least, 1);
  }
  return share;
}

int
judge_threshold (const Judge *judge, double share, double strength)
{
  double offset = strength * strength * strength * share;
  int threshold = -MOST_SCORE;

  offset *= 1 + (judge->bold - 1) * share * share * share;
  while (threshold < MOST_SCORE && odds (threshold) * offset < 1)
    threshold++;
  return threshold;
}
