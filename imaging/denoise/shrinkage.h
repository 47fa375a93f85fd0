/* shrinkage.h - remove noise by shrinking the codes of overlapping patches
 *
 * A patch y is a clean patch plus noise of standard deviation s.  In an
 * orthonormal dictionary D the noise in the code c = D'y is as strong in every
 * entry, while the clean patch has few that are large.  So each entry is
 * multiplied by
 *
 *     f = 1 if |c| >= 2.7 s, else 0                         without a guide
 *     f = g^2 / (g^2 + s^2),  g = D' (patch of the guide)   with one
 *
 * The second is Wiener's: the best factor if the guide, a picture that is
 * nearly clean already, were the clean one.  The patch D (f c) weighs
 * n / sum f^2: the less is kept, the less noise is left in it.
 *
 * Of such a dictionary the first atom is constant, and its entry always kept:
 * the mean has hardly any noise.  Of others it is not known which atom that
 * would be, or whether any is.  So they code what is left of a patch without
 * its mean colour: by the threshold, if they are orthonormal and complete;
 * else by pursuit, until the residual is no larger than noise alone would be.
 * The patch then weighs n / (1 + atoms used).
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/dictionary.h"
#include "imaging/planes.h"

typedef struct {
  const Dictionary *dictionary;
  int step;     /* from one patch to the next */
  double sigma; /* of the noise, where white is 1; above 0 */
} ShrinkageSettings;

/* Denoises @noisy into @out: first without, then with a guide.  Planes are
 * as large as a patch or larger, and have as many channels as the dictionary,
 * which is orthonormal and complete, its first atom constant.  @guide may be
 * NULL, or @out itself.
 * @progress may be NULL.  Returns FALSE with @error set: LIMIT, CANCELLED. */
gboolean planes_shrink (const Planes *noisy, const Planes *guide,
                        const ShrinkageSettings *settings, Planes *out,
                        const Progress *progress, GError **error);

/* The same by threshold, whatever the order of the atoms, and no guide. */
gboolean planes_threshold (const Planes *noisy,
                           const ShrinkageSettings *settings, Planes *out,
                           const Progress *progress, GError **error);

/* The same by pursuit, with any dictionary and no guide. */
gboolean planes_pursue (const Planes *noisy, const ShrinkageSettings *settings,
                        Planes *out, const Progress *progress, GError **error);
