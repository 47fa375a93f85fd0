/* synthetic.h - synthetic samples whose dictionary and codes are known
 *
 *     y = A x + noise e
 *
 *     A   n x n, of norm one and a given condition number
 *     x   entries are zero with probability 1 - density, otherwise standard
 *         normal, where magnitudes below @smallest are raised to it
 *     e   standard normal
 *
 * This is the generative model of the paper's experiments.  What sample
 * number j is depends on the options and j alone, so any part of an endless
 * sequence of samples can be generated at any time.
 */
#pragma once

#include "base/matrix.h"

typedef struct {
  int n;            /* >= 1 */
  double condition; /* of A, >= 1; with 1, A is orthonormal */
  double density;   /* theta, share of non-zeros, above 0 to 1 */
  double smallest;  /* Gamma, least magnitude of a non-zero, >= 0 */
  double noise;     /* beta, standard deviation, >= 0 */
  guint64 seed;
} SyntheticOptions;

/* The paper's numbers; n is for the caller to set. */
#define SYNTHETIC_DEFAULTS                                                    \
  ((SyntheticOptions){ .condition = 1, .density = 0.3, .smallest = 0.3 })

/* Does not change after synthetic_new(), so threads may share it. */
typedef struct {
  SyntheticOptions options;
  Mat A; /* the dictionary to be found */
} SyntheticData;

/* A = U S V' with U and V uniform among the orthonormal matrices and the
 * singular values S spaced geometrically from 1 down to 1 / condition.
 * The caller owns it.  NULL only if LAPACK did not converge. */
SyntheticData *synthetic_new (const SyntheticOptions *options);
void synthetic_free (SyntheticData *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SyntheticData, synthetic_free)

/* Fills @Y, n x p, with samples number @first to @first + p - 1, and @X of the
 * same size with their codes.  @X may be NULL.  Runs in all threads. */
void synthetic_samples (const SyntheticData *self, guint64 first, Mat *Y,
                        Mat *X);

/* Standard deviation of an entry of x, sqrt (E x^2).  Whitening cannot know
 * it, and finds the dictionary  synthetic_deviation() A  instead of A. */
double synthetic_deviation (const SyntheticOptions *options);
