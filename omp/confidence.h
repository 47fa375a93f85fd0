/* confidence.h - how far to rely on a coded signal where several meet
 *
 * A signal of n samples, whose weights sum to m and which leaves the residual
 * r, predicts its hidden samples with an error that no one knows.  What it
 * leaves of those that it sees is a measure of it, and how few these are is
 * another.  With the share q = m / n of what is known, its weight in a mean of
 * predictions is
 *
 *     q / (|r|_w^2 / m + v / q),
 *
 * about the inverse of that error's variance.
 */
#pragma once

/* v: below this, a small residual is luck; white is 1. */
#define CONFIDENCE_FLOOR 1e-4

/* Of a signal without atoms, about which nothing is known: it counts where
 * there is nothing else. */
#define NO_CONFIDENCE 1e-6

typedef struct {
  double weight;
  double slope; /* derivative of the weight over |r|_w^2 */
} Confidence;

/* @predicted is D x for the signal @y with the weights @w, of which at least
 * one is not 0. */
Confidence confidence_of (const float *y, const float *w,
                          const float *predicted, int n);
