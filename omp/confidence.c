#include "omp/confidence.h"

Confidence
confidence_of (const float *y, const float *w, const float *predicted, int n)
{
  double sum = 0, known = 0, share, weight;

  for (int i = 0; i < n; i++) {
    double r = (double) y[i] - predicted[i];

    sum += w[i] * r * r;
    known += w[i];
  }
  share = known / n;
  weight = share / (sum / known + CONFIDENCE_FLOOR / share);
  return (Confidence){ weight, -weight * weight / (share * known) };
}
