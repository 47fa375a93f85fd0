/* restore.h - restores a damaged picture
 *
 * The model: clean samples, plus Gaussian noise, rounded and clipped, and some
 * pixels that are missing altogether.  In this order:
 *
 *   1. mask: the missing pixels are given, or a detector finds them
 *      (detect.h);
 *   2. noise: white noise of level sigma is given, or whatever noise there is
 *      is estimated from the other pixels (findnoise.h);
 *   3. fill: pixels beside missing ones whose colours the file has mixed with
 *      theirs get new colours (chromableed.h); missing pixels are inpainted
 *      (inpaint.h); of those below marks that may be seen through, what shines
 *      through is used (veil.h);
 *   4. noise: it is removed from all pixels (denoise.h);
 *   5. fading: contrast and neutral colours are brought back, if that was
 *      asked for (fading.h); missing pixels do not count;
 *   6. write back: only then is the picture changed.
 *
 * Of a part of the picture only, this is done as if the part with its
 * surroundings (area.h) were all there is; nothing outside of it changes.
 *
 * Where noise is kept, what was filled is given noise as well, if that is asked
 * for (grain.h).
 *
 * Without noise or fading to remove, pixels that are not missing keep their value, bit
 * for bit, but for those colours.  Masked pixels never affect the result, but for those that a
 * detector found below an overlay, or all if that was asked for.
 */
#pragma once

#include "base/progress.h"
#include "imaging/detect/findnoise.h"
#include "imaging/fading.h"
#include "imaging/mask.h"
#include "imaging/restoreoptions.h"

typedef struct {
  Mask *found; /* by the detector; NULL if a mask was given */
  gsize masked_pixels; /* those of the part that was worked on, as in @found */
  double sigma;     /* of the noise that was removed; 0 for none */
  FoundNoise noise; /* what was found, before options changed its strength */
  FoundFading fading; /* zeroes if it was not asked for */
  gsize patches;    /* that were coded, over all passes */
  char *dictionary; /* dictionary_describe() of the one used */
} RestoreReport;

/* Frees what @report holds and zeroes it. */
void restore_report_clear (RestoreReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RestoreReport, restore_report_clear)

/* Whether an unknown noise level is estimated: not with the paper's protocol,
 * which knows no noise, nor in pictures with a palette or fewer than 8 bits,
 * whose few colours look like noise. */
gboolean image_may_have_noise (const Image *image,
                               const RestoreOptions *options);

/* Restores @image.  @missing names the missing pixels; if it is NULL, the
 * detector finds them.  Alpha, and transparent pixels, are not changed.
 *
 * @report is zeroed or from an earlier call, whose content is dropped; the
 * caller clears it at the end.  @missing may not be its mask.  @progress may be
 * NULL.  Returns FALSE with @error set, and @image as it was: INPUT when the
 * sizes differ, the part is not inside the picture or nothing is known, MEMORY,
 * CANCELLED. */
gboolean image_restore (Image *image, const Mask *missing,
                        const RestoreOptions *options, RestoreReport *report,
                        const Progress *progress, GError **error);

/* The pixels of @image that filling @missing changes: these, and those whose
 * colours were mixed with theirs.  NULL with @error set: MEMORY. */
Mask *restore_changed_by_fill (const Image *image, const Mask *missing,
                               const RestoreOptions *options, GError **error);
