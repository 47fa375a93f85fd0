/* noiseprofile.h - the noise of a picture by brightness, colour and frequency
 *
 * Blocks of 8 x 8 pixels are sorted by brightness into bins.  In each bin the
 * flattest blocks show the noise.  Flatness and noise are measured in
 * different cosines, so that the choice does not favour blocks whose noise is
 * small by chance: blocks that are flat in the cosines (k, l) with odd k + l
 * give the noise at those with even k + l, and the other way round.  The first
 * cosine along each axis, which a gradient has too, takes part in the choice
 * only; what noise it has is that of the next ones.
 *
 * The noise of flat blocks differs from block to block by chance alone, by a
 * known amount; texture differs more.  Bins where the energies are more uneven
 * than that do not count.
 */
#pragma once

#include "imaging/denoise/noisemodel.h"
#include "imaging/mask.h"

/* Where blocks come from. */
typedef struct {
  int width, height, colours; /* colours: 1 or 3 */
  int grid; /* blocks begin at its multiples; 0: anywhere */
  gboolean is_quantised; /* flat blocks may have lost their noise */
  /* Reads the block at @x, @y, plane after plane, black 0 and white 1.  FALSE
   * if it cannot be used.  Called by several threads at a time. */
  gboolean (*read) (gconstpointer data, int colours, int x, int y,
                    float *block);
  gconstpointer data;
} BlockSource;

/* What was measured in the blocks of one bin. */
typedef struct {
  double brightness; /* mean */
  int blocks;        /* the flattest, that were used */
  double sigma[3];   /* of the mixed colours, where white is 1 */
  double level[3];   /* the same less what texture adds: noisecurve.h */
  double uneven;     /* deviation of their energies over that of noise */
  double uneven_scaled; /* the same, each cosine in units of its variance */
  double slope;      /* energy of blocks that are less flat, over theirs */
  gboolean is_noise; /* by these three */
} NoiseBin;

enum { NOISE_BINS = 12 };

typedef struct {
  NoiseModel model;
  NoiseBin bins[NOISE_BINS];
  int bin_count, noise_bins;
  double share; /* of the bins that are noise */
  double sigma; /* root mean square of their levels, where white is 1; 0 if none */
} NoiseProfile;

/* Reads blocks of @image that have no pixel of @ignore, which may be NULL, none
 * that cannot be seen and hardly any at an end of the range, where noise is
 * clipped. */
typedef struct {
  const Image *image;
  const Mask *ignore;
} ImageBlocks;

BlockSource block_source_of_image (const ImageBlocks *blocks, int colours);

/* Measures the noise; there are no bins if there are too few blocks to tell.
 * FALSE with @error set: MEMORY. */
gboolean noise_profile_measure (const BlockSource *source,
                                NoiseProfile *profile, GError **error);
