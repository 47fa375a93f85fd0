/* shrinkage.h - remove noise by shrinking the codes of overlapping patches
 *
 * A patch y is a clean patch plus noise of standard deviation s.  It is coded
 * without its mean colour, which has hardly any noise.  In an orthonormal and
 * complete dictionary D the noise in the code c = D'y is as strong in every
 * entry, while the clean patch has few that are large; so entries with
 * |c| < 2.7 s become 0.  With other dictionaries a pursuit stops when the
 * residual is no larger than noise alone would be.  The patch weighs
 * n / (1 + atoms used): the fewer, the less noise is left in it.
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

/* Denoises @noisy into @out by threshold.  Planes are as large as a patch or
 * larger, and have as many channels as the dictionary, which is orthonormal
 * and complete.
 * @progress may be NULL.  Returns FALSE with @error set: MEMORY, CANCELLED. */
gboolean planes_threshold (const Planes *noisy,
                           const ShrinkageSettings *settings, Planes *out,
                           const Progress *progress, GError **error);

/* The same by pursuit, with any dictionary. */
gboolean planes_pursue (const Planes *noisy, const ShrinkageSettings *settings,
                        Planes *out, const Progress *progress, GError **error);
