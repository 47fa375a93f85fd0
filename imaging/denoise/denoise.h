/* denoise.h - repair damaged pixels and remove noise
 *
 * The model: clean samples, plus white Gaussian noise of one standard
 * deviation sigma, rounded and clipped, and some pixels that say nothing at
 * all.  In this order:
 *
 *   1. sigma is estimated from the other pixels (noise.h), unless it is given;
 *   2. pixels that are missing are filled (restore.h);
 *   3. the noise is removed: cosines of overlapping patches, by threshold and
 *      then by Wiener's factor (shrinkage.h), give a guide; Gaussian models of
 *      similar patches (nlbayes.h) give the result;
 *   4. what clipping did to the means is undone (clipping.h).
 *
 * A dictionary that is named does the third step alone, so that dictionaries
 * can be compared: by threshold if it is orthonormal and complete, else by
 * pursuit.
 *
 * A picture without noise to speak of keeps the pixels that are not missing
 * bit for bit.
 */
#pragma once

#include "imaging/inpaint/restore.h"

/* For DenoiseOptions: find out. */
#define SIGMA_UNKNOWN (-1.)

/* The largest level that makes sense: nothing of the picture is left. */
#define SIGMA_MOST 255.

typedef struct {
  RestoreOptions restore; /* dictionary, quality and protocol */
  double sigma; /* of the noise where white is 255, 0 for none to remove, or
                   SIGMA_UNKNOWN */
  gboolean pursuit; /* code by pursuit also where the dictionary that is named
                       is orthonormal, so that all have the same coder */
  int tile; /* side of the squares that are worked on one after the other;
               0 for one that suits.  Changes the memory needed, and not
               the result. */
} DenoiseOptions;

#define DENOISE_DEFAULTS                                                      \
  ((DenoiseOptions){ .restore = RESTORE_DEFAULTS, .sigma = SIGMA_UNKNOWN })

typedef struct {
  double sigma; /* of the noise that was removed, 0 for none */
  RestoreReport restore;
} DenoiseReport;

void denoise_report_clear (DenoiseReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DenoiseReport, denoise_report_clear)

/* Whether noise of a level that is not given is looked for: not with the
 * paper's protocol, which knows no noise, nor in pictures with a palette or
 * fewer than 8 bits, which all have something like noise. */
gboolean image_may_have_noise (const Image *image,
                               const DenoiseOptions *options);

/* Fills the pixels of @image that @missing names and removes the noise of all.
 * Alpha, and pixels that cannot be seen, stay as they are.
 *
 * @report is filled in and cleared by the caller.  @progress may be NULL.
 * Returns FALSE with @error set, and @image as it was: INPUT when sizes differ
 * or nothing is known, LIMIT for lack of memory, CANCELLED. */
gboolean image_denoise (Image *image, const Mask *missing,
                        const DenoiseOptions *options, DenoiseReport *report,
                        const Progress *progress, GError **error);
