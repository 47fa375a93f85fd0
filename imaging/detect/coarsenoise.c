#include "imaging/detect/coarsenoise.h"

#include "imaging/detect/noiseprofile.h"
#include "imaging/halve.h"

#include <math.h>

/* Deviation over that at twice the size: at least, as of white noise; at most,
 * of brightness and of colours; and over what the spectrum at twice the size
 * lets expect: at most, at the second halving and later, where little but
 * texture is stronger, and where it cannot be measured.  Five real shots had
 * 0.70 to 0.88 and 0.83 to 0.98, film grain 0.87. */
#define LEAST_RATIO 0.5
static const double most_ratios[] = { 0.9, 1 };
#define MOST_EXPECTED 1.1
#define EXPECTED_SHARE 0.9

/* A JPEG rounds fine noise away and keeps coarse noise, so that its brightness
 * may be stronger at half the size than was measured at full size: a little, or
 * more if so many brightnesses agree, since it may also be texture.  Twelve
 * JPEGs with much of that gain 0.04 dB by the little. */
#define MOST_JPEG_RATIO 1.8
#define DOUBTED_JPEG_RATIO 1.26
#define JPEG_SHARE 0.55

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

/* What the noise is measured at: which halving, and of what. */
typedef struct {
  int number; /* 0 for the first */
  gboolean is_jpeg;
} Halving;

/* The largest ratio that counts as noise, where @expected is what the spectrum
 * tells, and @share of the brightnesses agree. */
static double
most_ratio (const Halving *halving, int c, double expected, double share)
{
  if (halving->number > 0)
    return fmin (most_ratios[c > 0], MOST_EXPECTED * expected);
  if (halving->is_jpeg && c == 0)
    return share >= JPEG_SHARE ? MOST_JPEG_RATIO : DOUBTED_JPEG_RATIO;
  return most_ratios[c > 0];
}

/* The model of @profile where that is certain, else what @fine lets expect.
 * How s depends on brightness is best known at full size. */
static NoiseModel
coarser_model (const NoiseProfile *profile, const NoiseModel *fine,
               const Halving *halving)
{
  NoiseModel expected = noise_model_halved (fine), coarse = profile->model;

  if (profile->noise_bins < LEAST_BINS)
    return noise_model_scaled (&expected, EXPECTED_SHARE);
  for (int c = 0; c < fine->colours; c++) {
    double before = fmax (mean_deviation (fine, c), 1e-9);
    double most =
      most_ratio (halving, c, mean_deviation (&expected, c) / before,
                  profile->share);
    float ratio = (float) CLAMP (mean_deviation (&coarse, c) / before,
                                 LEAST_RATIO, most);

    for (int level = 0; level < NOISE_LEVELS; level++)
      coarse.deviation[level][c] = ratio * fine->deviation[level][c];
  }
  return coarse;
}

static gboolean
measure (const Image *image, const Mask *ignore, const NoiseModel *fine,
         const Halving *halving, NoiseModel *coarse, GError **error)
{
  ImageBlocks blocks = { image, ignore };
  BlockSource source = block_source_of_image (&blocks, fine->colours);
  NoiseProfile profile;

  if (!noise_profile_measure (&source, &profile, error))
    return FALSE;
  *coarse = coarser_model (&profile, fine, halving);
  return TRUE;
}

int
image_find_coarse_noise (const Image *image, const Mask *ignore,
                         const NoiseModel *fine,
                         NoiseModel coarse[NOISE_SCALES - 1], GError **error)
{
  const float hidden[3] = { 0 };
  g_autoptr (Image) half = NULL;
  g_autoptr (Mask) mask = NULL;
  Halving halving = { 0, image->meta.has_steps };
  int count = 0;

  while (count < NOISE_SCALES - 1
         && MIN (image->width, image->height) >= 2 * LEAST_SIDE) {
    Image *next = image_halve (image, fine->colours, hidden, error);
    Mask *next_mask =
      next != NULL ? image_halve_mask (image, ignore, error) : NULL;

    image_free (half);
    mask_free (mask);
    half = next;
    mask = next_mask;
    if (mask == NULL
        || !measure (half, mask, fine, &halving, &coarse[count], error))
      return -1;
    fine = &coarse[count++];
    halving.number = count;
    image = half;
    ignore = mask;
  }
  return count;
}
