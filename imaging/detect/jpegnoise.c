#include "imaging/detect/jpegnoise.h"

#include "imaging/detect/noiseprofile.h"

#include <math.h>

/* Of a block of the file. */
#define BLOCK_SIDE 8

/* Frequencies k + l that the level is taken from, least and largest. */
#define LEAST_FREQUENCY 2
#define MOST_FREQUENCY 3

/* Steps of middle frequencies over the deviation of the noise: from there on
 * they round it away. */
#define COARSE_STEPS 2.

/* p, the part of that error which counts.  Fitted, not counted: ten noisy crops of
 * quality 75 are best with 10 levels added, which is 0.35 of it; with 0.5 they gain
 * 0.01 dB more, and simulated noise loses 0.06. */
#define KEPT_SHARE 0.35

gboolean
image_has_jpeg_blocks (const Image *image)
{
  return image->meta.has_steps && image->meta.orientation == 1;
}

/* ---- rounding ---- */

/* Terms of the sum; at most one in 10^9 is beyond the last. */
#define LEAST_CHANCE 1e-9

/* Variance of normal noise of deviation @x that was rounded to whole numbers. */
static double
rounded_variance (double x)
{
  double sum = 0, chance = 1;

  for (int n = 1; chance > LEAST_CHANCE; n++) {
    chance = erfc ((n - 0.5) / (x * sqrt (2)));
    sum += (2 * n - 1) * chance;
  }
  return sum;
}

double
deviation_before_rounding (double variance, double step)
{
  double wanted = variance / (step * step);
  double low = 0.01, high = fmax (1, 2 * sqrt (wanted));

  if (!isfinite (wanted)) /* a broken file may have steps of 0 */
    return sqrt (variance);
  for (int i = 0; i < 40; i++) {
    double middle = (low + high) / 2;

    if (rounded_variance (middle) < wanted)
      low = middle;
    else
      high = middle;
  }
  return step * high;
}

/* ---- the level ---- */

/* The mean of s^2 over all brightnesses. */
static double
mean_variance (const NoiseModel *model)
{
  double sum = 0;

  for (int level = 0; level < NOISE_LEVELS; level++)
    sum += pow (model->deviation[level][0], 2) / NOISE_LEVELS;
  return sum;
}

/* The deviation that the noise had at low frequencies before it was rounded, in
 * levels of Y, of which brightness of the mixed colours has sqrt (colours);
 * @mean is the variance of @after in the same unit. */
static double
low_deviation (const Image *image, const NoiseModel *after, double mean)
{
  double sum = 0;
  int count = 0;

  for (int f = 0; f < NOISE_COSINES; f++) {
    int frequency = f % NOISE_SIDE + f / NOISE_SIDE;

    if (frequency < LEAST_FREQUENCY || frequency > MOST_FREQUENCY)
      continue;
    sum += pow (deviation_before_rounding (
                  mean * (double) after->correlation[f][0][0],
                  image->meta.steps[0][f]),
                2);
    count++;
  }
  return sqrt (sum / count);
}

/* Mean step of the brightness at the middle frequencies. */
static double
middle_step (const Image *image)
{
  double sum = 0;
  int count = 0;

  for (int f = 0; f < NOISE_COSINES; f++)
    if (noise_is_middle (f)) {
      sum += image->meta.steps[0][f];
      count++;
    }
  return sum / count;
}

/* The same in all frequencies and colours, for each brightness. */
static NoiseModel
even_model (const NoiseModel *model, double factor)
{
  NoiseModel even = noise_model_white (model->colours, 1);

  even.is_white = FALSE;
  for (int level = 0; level < NOISE_LEVELS; level++)
    for (int c = 0; c < model->colours; c++)
      even.deviation[level][c] = (float) factor * model->deviation[level][0];
  return even;
}

gboolean
image_find_noise_before_jpeg (const Image *image, const Mask *ignore,
                              int colours, NoiseModel *model,
                              gboolean *is_known, GError **error)
{
  ImageBlocks blocks = { image, ignore };
  BlockSource source = block_source_of_image (&blocks, colours);
  NoiseProfile profile;
  double mean, low;

  source.grid = BLOCK_SIDE;
  source.is_quantised = TRUE;
  *is_known = FALSE;
  if (!noise_profile_measure (&source, &profile, error))
    return FALSE;
  if (profile.noise_bins == 0)
    return TRUE;
  mean = 255 * 255 * mean_variance (&profile.model) / colours;
  low = low_deviation (image, &profile.model, mean);
  *is_known = middle_step (image) > COARSE_STEPS * low;
  if (*is_known)
    *model = even_model (&profile.model, low / sqrt (mean));
  return TRUE;
}

/* ---- the error of rounding ---- */

/* Variance of a sample of Y, where white is 1. */
static double
rounding_variance (const Image *image)
{
  double sum = 0;

  for (int f = 0; f < NOISE_COSINES; f++)
    sum += pow (image->meta.steps[0][f] / 255., 2) / NOISE_COSINES;
  return KEPT_SHARE * sum / 12;
}

NoiseModel
noise_model_with_rounding (const NoiseModel *even, const Image *image)
{
  double error = even->colours * rounding_variance (image);
  NoiseModel both = *even;

  for (int level = 0; level < NOISE_LEVELS; level++)
    for (int c = 0; c < even->colours; c++)
      both.deviation[level][c] =
        (float) sqrt (pow (even->deviation[level][c], 2) + error);
  return both;
}
