/* mendjob.h - the work that a page asks for on a photograph */
#pragma once

#include "app/serve/jobqueue.h"
#include "app/serve/photo.h"
#include "imaging/restore.h"

typedef struct {
  int version;            /* to work on */
  GPtrArray *kinds;       /* of const Detector: look for such damage, which
                             goes to photo_set_found(); or NULL */
  double strength;        /* of finding */
  gboolean is_search;     /* do nothing else */
  int has_found;          /* not 0: the mask has what was found last, whose
                             overlays may be looked through */
  int has_loaded;         /* not 0: and masks that were loaded, likewise */
  int grow;               /* pixels by which all marks are widened */
  RestoreOptions restore; /* what to do with the mask and what is found */
} MendOptions;

/* What mend_job_class works on.  Takes @mask over; NULL for what the detector
 * finds. Returns NULL with @error set (INPUT) if there is no such version. */
gpointer mend_job_new (Photo *photo, Mask *mask, const MendOptions *options,
                       GError **error);

/* Describes itself, once damage was looked for, by found, a number of pixels,
 * and kinds, an object with marks and pixels of each; and after a restoration
 * by version, versions, masked_pixels, changed, which says whether any pixel
 * differs, and noise and faded: what was removed and brought back, in words, or null. */
extern const JobClass mend_job_class;
