/* mendjob.h - the work that a page asks for on a photograph */
#pragma once

#include "app/serve/jobqueue.h"
#include "app/serve/photo.h"
#include "imaging/mask.h"
#include "imaging/inpaint/restore.h"

typedef enum {
  MEND_FILL,        /* fill what the mask marks */
  MEND_DENOISE,     /* repair what it marks, or dead pixels where it marks
                       nothing, and remove noise */
  MEND_FIND_BLOCKS, /* look for damage, which goes to photo_set_found() */
  MEND_FIND_DEAD,
} MendTask;

typedef struct {
  MendTask task;
  int version; /* to work on */
  RestoreOptions restore;
  double sigma; /* of the noise, white is 255; NAN to estimate it */
} MendOptions;

/* What mend_job_class works on.  Takes @mask over, which may be NULL for what
 * needs none.  NULL with @error set (INPUT) if there is no such version. */
gpointer mend_job_new (Photo *photo, Mask *mask, const MendOptions *options,
                       GError **error);

/* Describes itself by version, versions, masked_pixels and changed, which says
 * whether any pixel is another one; or by found: a number of pixels. */
extern const JobClass mend_job_class;
