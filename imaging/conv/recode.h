/* recode.h - restores planes with a convolutional dictionary
 *
 * The picture is cut into squares that depend on its size alone; each is
 * restored together with a margin around it.  So memory is bounded, and the
 * result does not depend on threads.  Where everything is known and there is
 * no noise, nothing is done.
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/convolutional/model.h"
#include "imaging/planes.h"

typedef struct {
  const ConvModel *model;
  int turns;      /* 1, 2, 4 or 8 orientations of the picture; the results are
                     averaged */
  gsize *patches; /* grows by the number of patches coded; may be NULL */
} RecodeSettings;

/* Restores @damaged into @out, another one of the same size.  @known has as many
 * planes, 1 for a sample that is known and 0 for others; NULL means all.
 * @noise has one plane, the standard deviation of the noise where white is 1;
 * NULL means none.  Known samples without noise keep their value, all others
 * get a new one.
 *
 * If the model has 3 channels there are 3 planes; else any number of planes is
 * restored one by one.  FALSE with @error set: CANCELLED, MEMORY. */
gboolean planes_recode (const Planes *damaged, const Planes *known,
                        const Planes *noise, const RecodeSettings *settings,
                        Planes *out, const Progress *progress,
                        GError **error);
