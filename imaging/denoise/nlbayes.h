/* nlbayes.h - remove noise by a Gaussian model of patches that look alike
 *
 * For a reference patch, the k patches nearby that look most like it in the
 * guide, a picture that is nearly clean already, are taken as samples of one
 * normal distribution.  Where more look alike, k is larger: it counts those whose
 * squared distance per pixel is at most a share t of the variance of the noise,
 * within limits.  Its covariance C is that of the guide's patches x_j;
 * its mean m is that of the noisy ones y_j, which has little noise left.  The
 * best estimate of a clean patch then is
 *
 *     m + C (C + S)^-1 (y_j - m)  =  y_j - S (C + S)^-1 (y_j - m)
 *
 * for all j, where S is the covariance of the noise at their brightness
 * (noisemodel.h); the matrix is the same for all of them.  Overlapping estimates are averaged.
 * (M. Lebrun, A. Buades, J.-M. Morel, "A nonlocal Bayesian image denoising
 * algorithm", 2013; the second half of it.)
 *
 * Colours are part of a patch: the covariance captures how they are related.
 */
#pragma once

#include "base/progress.h"
#include "imaging/denoise/noisemodel.h"
#include "imaging/planes.h"

typedef struct {
  int patch;    /* side of a patch */
  int step;     /* from one reference patch to the next */
  int search;   /* how far away to look for similar patches */
  int similar;  /* most of k, at least 2; fewer where the picture is small */
  int least;    /* of k, where @alike is given */
  double alike; /* t, or 0: then k is @similar */
  const NoiseModel *noise;
  ImageArea needed; /* of the result; the rest may be anything */
} NlBayesSettings;

/* How far away samples may be that change a sample of the result. */
int nl_bayes_reach (const NlBayesSettings *settings);

/* Denoises @noisy into @out, where @guide, which may be @out, says what looks
 * alike.  Planes are as large as a patch or larger.
 * @progress may be NULL.  Returns FALSE with @error set: MEMORY, CANCELLED. */
gboolean planes_nl_bayes (const Planes *noisy, const Planes *guide,
                          const NlBayesSettings *settings, Planes *out,
                          const Progress *progress, GError **error);
