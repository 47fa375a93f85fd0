#include "imaging/detect/judge.h"

#include <math.h>

/* For how many pixels the belief in a clean picture counts. */
#define CLEAN_PIXELS 200000.

/* Logits that twice the strength is worth. */
#define STRENGTH_LOGITS 2.

#define ROUNDS 6

double
judge_logit (const Judge *judge, const double *features)
{
  const double *weights = judge->weights;
  double logit = judge->bias;

  for (int u = 0; u < judge->units; u++) {
    double sum = weights[1];

    for (int j = 0; j < judge->features; j++)
      sum += weights[j + 2] * features[j];
    logit += weights[0] * tanh (sum);
    weights += JUDGE_WEIGHTS (judge->features);
  }
  return logit;
}

double
judge_threshold (const Judge *judge, const double *logits, gsize count,
                 double pixels, double strength)
{
  double offset = STRENGTH_LOGITS * log2 (strength);
  double shift = log (judge->least);

  for (int round = 0; round < ROUNDS; round++) {
    double expected = judge->density * (pixels + CLEAN_PIXELS), marks = 0;

    for (gsize i = 0; i < count; i++)
      marks += 1 / (1 + exp (-(logits[i] + offset + shift)));
    shift = log (CLAMP (marks / expected, judge->least, 1));
  }
  return -(offset + shift);
}
