/* mendjob.h - the work that a page asks for on a photograph */
#pragma once

#include "app/serve/jobqueue.h"
#include "app/serve/photo.h"
#include "imaging/restore.h"

typedef struct {
  int version;            /* to work on */
  GPtrArray *kinds;       /* of const Detector: only look for such damage,
                             which goes to photo_set_found(); or NULL */
  double strength;        /* of finding */
  int has_found;          /* not 0: the mask has what was found last, whose
                             overlays may be looked through */
  RestoreOptions restore; /* otherwise */
} MendOptions;

/* What mend_job_class works on.  Takes @mask over; NULL for what the detector
 * finds. Returns NULL with @error set (INPUT) if there is no such version. */
gpointer mend_job_new (Photo *photo, Mask *mask, const MendOptions *options,
                       GError **error);

/* Describes itself by version, versions, masked_pixels and changed, which says
 * whether any pixel differs; or by found, a number of pixels, and kinds, an object with
 * marks and pixels of each. */
extern const JobClass mend_job_class;
