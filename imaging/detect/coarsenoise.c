#include "imaging/detect/coarsenoise.h"

#include "imaging/detect/noiseprofile.h"
#include "imaging/halve.h"

#include <math.h>

/* Deviation over that at twice the size, of brightness and of colours: at
 * least, at most, and where it cannot be measured.  Five real shots had 0.70 to
 * 0.88 and 0.83 to 0.98, film grain 0.87. */
static const struct {
  double least, most, typical;
} ratios[] = { { 0.5, 0.9, 0.75 }, { 0.5, 1, 0.95 } };

/* Brightnesses that must agree for a measurement to count. */
#define LEAST_BINS 2

/* Halved pictures have this many pixels per side, at least. */
#define LEAST_SIDE 32

/* Root mean square of s over all brightnesses. */
static double
mean_deviation (const NoiseModel *model, int c)
{
  double sum = 0;

  for (int level = 0; level < NOISE_LEVELS; level++)
    sum += pow (model->deviation[level][c], 2) / NOISE_LEVELS;
  return sqrt (sum);
}

/* That of mixed colour @c in @profile over that of @fine. */
static double
find_ratio (const NoiseProfile *profile, const NoiseModel *fine, int c)
{
  int kind = c > 0;
  double before = mean_deviation (fine, c);

  if (profile->noise_bins < LEAST_BINS || !(before > 0))
    return ratios[kind].typical;
  return CLAMP (mean_deviation (&profile->model, c) / before,
                ratios[kind].least, ratios[kind].most);
}

/* The model of @profile where that is certain; else as white as noise is at
 * small sizes.  How s depends on brightness is best known at full size. */
static NoiseModel
coarser_model (const NoiseProfile *profile, const NoiseModel *fine)
{
  NoiseModel coarse = noise_model_white (fine->colours, 1);

  if (profile->noise_bins >= LEAST_BINS)
    coarse = profile->model;
  coarse.is_white = FALSE;
  for (int c = 0; c < fine->colours; c++) {
    float ratio = (float) find_ratio (profile, fine, c);

    for (int level = 0; level < NOISE_LEVELS; level++)
      coarse.deviation[level][c] = ratio * fine->deviation[level][c];
  }
  return coarse;
}

static NoiseModel
measure (const Image *image, const Mask *ignore, const NoiseModel *fine)
{
  ImageBlocks blocks = { image, ignore };
  BlockSource source = block_source_of_image (&blocks, fine->colours);
  NoiseProfile profile;

  noise_profile_measure (&source, &profile);
  return coarser_model (&profile, fine);
}

int
image_find_coarse_noise (const Image *image, const Mask *ignore,
                         const NoiseModel *fine,
                         NoiseModel coarse[NOISE_SCALES - 1])
{
  const float hidden[3] = { 0 };
  g_autoptr (Image) half = NULL;
  g_autoptr (Mask) mask = NULL;
  int count = 0;

  while (count < NOISE_SCALES - 1
         && MIN (image->width, image->height) >= 2 * LEAST_SIDE) {
    Image *next = image_halve (image, fine->colours, hidden, NULL);
    Mask *next_mask = image_halve_mask (image, ignore, NULL);

    image_free (half);
    mask_free (mask);
    half = next;
    mask = next_mask;
    if (half == NULL || mask == NULL)
      break;
    coarse[count] = measure (half, mask, fine);
    fine = &coarse[count++];
    image = half;
    ignore = mask;
  }
  return count;
}
