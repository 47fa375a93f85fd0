/* efforts.c - how much work each quality takes, for each kind of noise */
#include "imaging/denoise/denoiseprivate.h"

#include <math.h>

/* From that many pixels on nothing extra is done. */
#define LARGE_PICTURE 8000000

#define PASS(side, distance, radius, count)                                   \
  {                                                                           \
    .patch = side, .step = distance, .search = radius, .similar = count       \
  }

/* As many as look alike, within limits: with white noise of 15, 25, 50 in six
 * bundled photographs that gains 0.08, 0.10, 0.08 dB at normal quality over the
 * best fixed number for each, and 0.25 to 0.37 dB over 120 in grey. */
#define ALIKE(side, distance, radius, fewest, most)                           \
  {                                                                           \
    .patch = side, .step = distance, .search = radius, .least = fewest,       \
    .similar = most, .alike = 0.1                                             \
  }

/* The extra patches of small pictures gain 0.3 dB on 8 real shots; large ones would
 * take too long with them.
 *
 * Tuned on the bundled photographs with added noise; docs/benchmarks.md has
 * what each quality reaches and costs on others. */
static const Effort colour_efforts[] = {
  [QUALITY_FAST] = { .cosines = 8,
                     .step = 3,
                     .passes = { ALIKE (4, 6, 8, 24, 48) },
                     .pass_count = 1 },
  [QUALITY_NORMAL] = { .cosines = 10,
                       .step = 3,
                       .passes = { ALIKE (4, 6, 14, 32, 64),
                                   ALIKE (6, 6, 14, 32, 96) },
                       .pass_count = 2,
                       .extra = 64 },
  [QUALITY_BEST] = { .cosines = 12,
                     .step = 3,
                     .passes = { ALIKE (4, 3, 16, 32, 140),
                                 ALIKE (6, 3, 20, 48, 300) },
                     .pass_count = 2 },
};

/* Grey patches have a third of the samples, so they can be larger. */
static const Effort grey_efforts[] = {
  [QUALITY_FAST] = { .cosines = 8,
                     .step = 3,
                     .passes = { ALIKE (5, 4, 8, 24, 100) },
                     .pass_count = 1 },
  [QUALITY_NORMAL] = { .cosines = 10,
                       .step = 3,
                       .passes = { ALIKE (6, 4, 14, 24, 120),
                                   ALIKE (6, 4, 14, 24, 192) },
                       .pass_count = 2 },
  [QUALITY_BEST] = { .cosines = 12,
                     .step = 3,
                     .passes = { ALIKE (6, 3, 16, 24, 140),
                                 ALIKE (8, 3, 18, 24, 200) },
                     .pass_count = 2 },
};

/* The error of a JPEG is removed best with more patches. */
static const Effort jpeg_efforts[] = {
  [QUALITY_FAST] = { .cosines = 8,
                     .step = 3,
                     .passes = { PASS (4, 6, 8, 48) },
                     .pass_count = 1 },
  [QUALITY_NORMAL] = { .cosines = 10,
                       .step = 3,
                       .passes = { PASS (4, 6, 14, 96),
                                   ALIKE (6, 6, 18, 48, 192) },
                       .pass_count = 2,
                       .extra = 64 },
  [QUALITY_BEST] = { .cosines = 12,
                     .step = 3,
                     .passes = { PASS (4, 3, 16, 140),
                                 ALIKE (6, 3, 20, 48, 300) },
                     .pass_count = 2 },
};

/* White noise in colour takes more patches. */
static const Effort white_efforts[] = {
  [QUALITY_FAST] = { .cosines = 8,
                     .step = 3,
                     .passes = { ALIKE (4, 6, 8, 48, 128) },
                     .pass_count = 1 },
  [QUALITY_NORMAL] = { .cosines = 10,
                       .step = 3,
                       .passes = { ALIKE (4, 6, 14, 48, 96),
                                   ALIKE (5, 4, 18, 48, 256) },
                       .pass_count = 2 },
  [QUALITY_BEST] = { .cosines = 12,
                     .step = 3,
                     .passes = { ALIKE (4, 3, 16, 48, 140),
                                 ALIKE (5, 3, 24, 48, 300) },
                     .pass_count = 2 },
};

/* Of large pictures fewer, since these would take minutes: 1.5 megapixels with
 * noise of 10 and 25 lose 0.04 and 0.06 dB and take half the time. */
static const Effort large_white_efforts[] = {
  [QUALITY_FAST] = { .cosines = 8,
                     .step = 3,
                     .passes = { ALIKE (4, 6, 6, 48, 64) },
                     .pass_count = 1 },
  [QUALITY_NORMAL] = { .cosines = 10,
                       .step = 3,
                       .passes = { ALIKE (4, 6, 10, 48, 96),
                                   ALIKE (5, 6, 14, 48, 128) },
                       .pass_count = 2 },
};

static Effort
white_effort (gsize pixels, RestoreQuality quality)
{
  return pixels >= LARGE_WHITE && quality != QUALITY_BEST
           ? large_white_efforts[quality]
           : white_efforts[quality];
}

double
denoise_extra_share (gsize pixels, gsize most)
{
  return CLAMP (log2 ((double) most / (double) pixels) / 2, 0, 1);
}

Effort
denoise_effort (NoiseKind kind, int colours, gsize pixels,
                RestoreQuality quality)
{
  Effort effort = colours == 1           ? grey_efforts[quality]
                  : kind == NOISE_WHITE ? white_effort (pixels, quality)
                  : kind == NOISE_JPEG  ? jpeg_efforts[quality]
                                        : colour_efforts[quality];
  NlBayesSettings *last = &effort.passes[effort.pass_count - 1];
  int extra =
    (int) (effort.extra * denoise_extra_share (pixels, LARGE_PICTURE));

  last->least += extra / 2; /* all of it would blur fine texture */
  last->similar += extra;
  return effort;
}
