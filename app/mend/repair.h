/* repair.h - what inpaint and denoise have in common
 *
 * Both read a picture, take from options or from the picture itself which
 * pixels are missing, fill these and write the picture. denoise also removes
 * noise from all others.
 */
#pragma once

#include "app/cli/option.h"
#include "imaging/restore.h"

/* What the user says is missing: the union of these. */
typedef struct {
  const char *file; /* a mask picture, or NULL */
  int colours;      /* how that is understood, a MaskColours */
  OptionColour colour;
  gboolean transparent;
  gboolean see_through; /* what is in the file lies below half-opaque
                           marks */
  const char *kinds; /* of damage that is to be found, names with commas
                        between, or NULL */
  double strength;   /* of finding */
} MaskSources;

/* Names of detectors, separated by commas, or "all", into a const char *. */
gboolean option_kinds (const Option *option, const char *text, GError **error);

/* These names, NULL at the end. */
const char *const *repair_kind_names (void);

/* Names of MaskColours, for an option. */
extern const char *const mask_colours[];

/* What the user says of noise. */
typedef struct {
  double sigma;    /* level to remove, or SIGMA_UNKNOWN */
  double strength; /* and grain: see RestoreOptions */
  double grain;
  const char *output; /* where to write what was removed, or NULL */
} NoiseRequest;

/* How one of the commands differs from the other. */
typedef struct {
  const char *about;        /* for the help */
  const char *label, *past; /* "filling", "filled" */
  const Option *options;    /* that say what is missing */
  gsize option_count;
  const MaskSources *sources; /* what these options fill in */
  const char *kinds;          /* that are found without them, or NULL */
  const Detector *detector;   /* likewise, left to image_restore() */
  const char *none_found;     /* what to say when it finds nothing */
  const NoiseRequest *noise; /* NULL where removing noise is not part of the
                                task */
} RepairTask;

gboolean repair_run (const RepairTask *task, char **argv, GError **error);
