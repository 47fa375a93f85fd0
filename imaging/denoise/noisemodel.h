/* noisemodel.h - noise that is neither white nor the same everywhere
 *
 * The noise of a block of 8 x 8 pixels and their colours is normal, with mean
 * zero.  Its colours are mixed to brightness and two differences, and its
 * pixels to cosines; the covariance between colours a, b at the frequency f,
 * where the brightness of the block is u, is
 *
 *     E n_a(f) n_b(f)  =  s_a(u) s_b(u) R_ab(f)
 *
 * and different frequencies are independent.  So s says how strong the noise
 * is, for each brightness, and R how it is correlated over pixels and colours;
 * the mean of R_aa(f) over all frequencies is 1.  White noise has R_ab(f) = 1
 * for a = b and 0 else, and one s for all.
 *
 * (After M. Lebrun, M. Colom, J.-M. Morel, "The Noise Clinic: a blind image
 * denoising algorithm", 2015, who keep one covariance for each brightness.)
 */
#pragma once

#include "base/matrix.h"

/* The noise level is unknown: estimate it. */
#define SIGMA_UNKNOWN (-1.)

/* The largest level that makes sense: nothing of the picture is left. */
#define SIGMA_MAX 255.

enum {
  NOISE_SIDE = 8,                /* of a block */
  NOISE_COSINES = 8 * 8,         /* frequencies of a block: k + 8 l */
  NOISE_LEVELS = 16,             /* brightnesses that s is known for */
  NOISE_SCALES = 3,              /* sizes that noise is looked for at */
};

typedef struct {
  int colours;       /* 1 or 3 */
  gboolean is_white; /* s is one number, R the identity */
  float deviation[NOISE_LEVELS][3];     /* s, where white is 1 */
  float correlation[NOISE_COSINES][3][3]; /* R */
} NoiseModel;

/* Whether frequency @f is one of the middle ones: that of 8 / 5 pixels or so. */
static inline gboolean
noise_is_middle (int f)
{
  int k = f % NOISE_SIDE, l = f / NOISE_SIDE, square = k * k + l * l;

  return square > 20 && square < 32;
}

/* Noise of standard deviation @sigma in every sample. */
NoiseModel noise_model_white (int colours, double sigma);

/* The same noise, @factor times as strong. */
NoiseModel noise_model_scaled (const NoiseModel *model, double factor);

/* The same noise @factor times as strong in its differences of colours, which
 * leaves its brightness as it is. */
NoiseModel noise_model_coloured (const NoiseModel *model, double factor);

/* The same noise @factor times as strong in its brightness alone. */
NoiseModel noise_model_brightened (const NoiseModel *model, double factor);

/* The same noise with the brightness at no frequency stronger than @most times
 * that at the middle ones. */
NoiseModel noise_model_levelled (const NoiseModel *model, double most);

/* The same noise with @share of the variance at the lower half of the
 * frequencies, which a picture of half the size has too. */
NoiseModel noise_model_without_low (const NoiseModel *model, double share);

/* The noise of the picture at half the size, each pixel the mean of 2 x 2, as
 * far as this model tells. */
NoiseModel noise_model_halved (const NoiseModel *model);

/* Both at once, independent of each other.  What they have in common between
 * colours is left out. */
NoiseModel noise_model_sum (const NoiseModel *a, const NoiseModel *b);

/* Which of the NOISE_LEVELS is nearest to @brightness, 0 .. 1. */
int noise_model_level (float brightness);

/* Standard deviation of a sample, the root mean square over colours: at one
 * level of brightness, and over all. */
double noise_model_sigma_at (const NoiseModel *model, int level);
double noise_model_sigma (const NoiseModel *model);

/* How much of the brightness of its noise a pixel shares with the one beside
 * it: their correlation, -1 .. 1. */
double noise_model_neighbours (const NoiseModel *model);

/* Variances of the cosines of a patch of @side x @side pixels, at @level, in
 * the order of dct_forward(): colour by colour for each (k, l).  Sides
 * other than 8 are interpolated. */
void noise_model_variances (const NoiseModel *model, int level, int side,
                            float *variances);

/* The covariances of a patch of @side <= 8, red, green and blue plane after
 * plane: an n x n matrix for each level, n = side^2 colours, to be cleared by
 * the caller. */
void noise_model_covariances (const NoiseModel *model, int side,
                              MatF covariances[NOISE_LEVELS]);
