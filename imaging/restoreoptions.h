/* restoreoptions.h - how a picture is to be restored */
#pragma once

#include "dictlearn/dictionary.h"
#include "imaging/detect/detect.h"

typedef enum { QUALITY_FAST, QUALITY_NORMAL, QUALITY_BEST } RestoreQuality;

/* Their names, in that order, NULL at the end. */
extern const char *const restore_quality_names[];

/* What fills the parts of a hole that are too thick for patches: texture from
 * elsewhere in the picture, softened by a smooth ground; that ground with
 * coarse structure only; or texture alone. */
typedef enum { FILL_AUTO, FILL_SMOOTH, FILL_TEXTURE } ThickFill;

/* Their names, in that order, NULL at the end. */
extern const char *const thick_fill_names[];

/* What is done about faded colours (fading.h): nothing; contrast and neutral
 * colours are brought back where a picture is certainly faded, and tones stay;
 * the same, and toned pictures, such as sepia, become grey; or contrast and
 * neutral colours in any picture. */
typedef enum {
  FADING_KEEP,
  FADING_AUTO,
  FADING_NEUTRAL,
  FADING_ALWAYS
} FadingMode;

/* Their names from FADING_AUTO on, in that order, NULL at the end. */
extern const char *const fading_mode_names[];

typedef struct {
  ImageArea area; /* the part to work on; nothing in it (0 wide): all */
  const Detector *detector; /* finds the missing pixels where no mask is given;
                               NULL for none */
  double sigma; /* noise to remove: its standard deviation where white is 255,
                   0 for none, or SIGMA_UNKNOWN */
  double strength; /* factor of the noise that is found; 0 means 1 where the
                      noise is certain, and no removal elsewhere */
  double grain;    /* fraction of the fine grain to leave where noise is
                      removed, 0 .. 1 */
  double fill_grain; /* fraction of the grain around them that filled pixels
                        get where none is removed, 0 .. 1 */
  RestoreQuality quality;
  const Dictionary *dictionary; /* NULL for the built-in ones */
  gboolean cosines; /* without a dictionary: use cosines alone, nothing
                       learned */
  gboolean paper_protocol;      /* separate patches, 30 atoms, plain pursuit */
  int max_atoms;    /* per patch, for missing pixels; 0 for the default */
  ThickFill fill;
  gboolean see_through; /* use what shines through marks: of all that is
                           missing, not only of what the mask says */
  FadingMode fading;
  guint64 seed;     /* of the search for texture, and of grain */
  gboolean pursuit; /* remove noise by pursuit even if @dictionary is
                       orthonormal, so that all have the same coder */
  int tile; /* side of the squares in which noise is removed; 0 for the
               default.  Changes the memory needed, not the result. */
} RestoreOptions;

#define RESTORE_DEFAULTS ((RestoreOptions){ .quality = QUALITY_NORMAL })
