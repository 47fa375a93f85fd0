#include "imaging/detect/judge.h"

#include <math.h>

/* Marks per pixel in the pictures that the models were learned from, and for
 * how many pixels the belief in a clean picture counts. */
#define LEARNED_DENSITY 1.2e-4
#define CLEAN_PIXELS 200000.

/* A picture is never taken to be cleaner than this share of that, so that
 * single specks are still found if the evidence is strong. */
#define LEAST_DENSITY 0.02

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
judge_threshold (const double *logits, gsize count, double pixels,
                 double strength)
{
  double offset = STRENGTH_LOGITS * log2 (strength);
  double shift = log (LEAST_DENSITY);

  for (int round = 0; round < ROUNDS; round++) {
    double expected = LEARNED_DENSITY * (pixels + CLEAN_PIXELS), marks = 0;

    for (gsize i = 0; i < count; i++)
      marks += 1 / (1 + exp (-(logits[i] + offset + shift)));
    shift = log (CLAMP (marks / expected, LEAST_DENSITY, 1));
  }
  return -(offset + shift);
}
