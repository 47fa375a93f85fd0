/* repair.h - what restore, inpaint, denoise and find have in common
 *
 * All read a picture and take from options or from the picture itself which
 * pixels are missing.  find writes these; the others fill them and write the
 * picture.  restore and denoise also remove noise from all other pixels.
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
  int grow;          /* pixels by which all that is widened */
  gboolean nothing;  /* nothing is missing, and nothing is looked for */
} MaskSources;

/* Names of MaskColours, for an option. */
extern const char *const mask_colours[];

/* What the user says of noise. */
typedef struct {
  double sigma;    /* level to remove, or SIGMA_UNKNOWN */
  double strength; /* see RestoreOptions */
  const char *output; /* where to write what was removed, or NULL */
  gboolean keep;      /* remove none, and look for none */
} NoiseRequest;

/* How the commands differ. */
typedef struct {
  const char *about;        /* for the help */
  const char *label, *past; /* "filling", "filled" */
  gboolean is_search;       /* the result is the mask of what is found */
  const Option *options;    /* that no other command has */
  gsize option_count;
  MaskSources *sources;     /* what options say is missing */
  const char *kinds;        /* of damage that are found without such options;
                               NULL where finding damage is not part of the
                               task */
  const Detector *detector; /* likewise, left to image_restore() */
  const char *none_found;   /* what to say when it finds nothing */
  double fill_grain;   /* RestoreOptions.fill_grain without --grain */
  NoiseRequest *noise; /* NULL where removing noise is not part of the task */
  const int *fading;   /* a number of fading_mode_names, or -1 to keep it;
                          NULL where that is not part of the task */
} RepairTask;

gboolean repair_run (const RepairTask *task, char **argv, GError **error);
