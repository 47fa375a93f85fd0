/* detect.h - find damage that is not marked
 *
 * Damage of some kinds is found by rules, of some by the network
 * (damagemap.h), which looks at a picture once for all of them, of some by
 * both.  A new rule is one file that defines a Detector, and one row of
 * DETECTORS below.
 */
#pragma once

#include "base/progress.h"
#include "imaging/detect/mapmarks.h"
#include "imaging/mask.h"

typedef struct {
  const char *name; /* "blocks": for options and requests */
  const char *noun; /* "blacked-out blocks": for messages */

  /* The damaged pixels of @image.  @strength moves the border between damage
   * and what belongs to the picture: 1 as is best for most pictures, more to
   * mark more.  @progress may be NULL.  NULL with @error set: MEMORY,
   * CANCELLED.  NULL if the network alone finds this kind. */
  Mask *(*find) (const Image *image, double strength, const Progress *progress,
                 GError **error);

  /* What the network calls this kind; 0 if it does not find it. */
  DamageClasses classes;

  /* Whether such marks lie on the picture and may let it through (veil.h). */
  gboolean is_overlay;
} Detector;

/* The range of strengths that makes sense. */
#define FIND_STRENGTH_MIN 0.25
#define FIND_STRENGTH_MAX 4.

/* NULL at the end. */
extern const Detector *const detectors[];

/* The detector of that name, or NULL. */
const Detector *detector_find (const char *name);

/* What is to be found. */
typedef struct {
  GPtrArray *kinds; /* of const Detector */
  double strength;
} DamageSearch;

/* The detectors that @names lists, with commas between; all of them for NULL
 * or "all".  The caller owns the array.  NULL with @error set (USAGE) for an
 * unknown name. */
GPtrArray *detectors_named (const char *names, GError **error);

/* How much there is of one kind. */
typedef struct {
  const Detector *detector;
  gsize marks; /* separate regions */
  gsize pixels;
} DamageCount;

/* The damage of all kinds of @search, which are looked for at the same time. A
 * mark that lies mostly on what an earlier kind has found is left to that; the
 * network's marks come last.
 * Pixels of overlays alone are MASK_THROUGH.  @counts, which may be NULL, gets
 * a DamageCount for each kind.  @progress may be NULL.  NULL with @error set
 * as the detectors do. */
Mask *damage_find (const Image *image, const DamageSearch *search,
                   GArray *counts, const Progress *progress, GError **error);

/* All of them, each in a file of its own that explains it.  Those that are
 * surest of their marks come first; those that take longest come last.
 *
 * blocks: regions of pure black with straight edges, 3 pixels wide or more, in
 * a surrounding that is not black.
 *
 * border: corners and borders of one colour that end at once.
 *
 * dead_pixels: dead and random-valued pixels, which stand out from the pixels
 * around them that are alive.  Works up to about nine dead pixels in ten when
 * they are all black or all white, and up to about one in five when they have
 * any value.  Takes seconds for a large picture.
 *
 * stamp: stamped dates and overlaid text, lines of glyphs in one colour.
 *
 * scratches: scratches and hairs, long thin lines, lighter or darker than both
 * of their sides, straight or curved.
 *
 * dust: spots of 1 to about 14 pixels, lighter or darker than their
 * surroundings or of another colour, where such spots are rare.
 *
 * areas: lost emulsion and paper, torn and worn edges; by the network alone.
 * The network adds cracks, creases, scratches and hairs to scratches, specks
 * to dust, and text to stamp. */
#define DETECTORS(ROW)                                                        \
  ROW (blocks)                                                                \
  ROW (border)                                                                \
  ROW (dead_pixels)                                                           \
  ROW (stamp)                                                                 \
  ROW (scratches)                                                             \
  ROW (dust)                                                                  \
  ROW (areas)

#define DETECTOR(name) extern const Detector detector_##name;
DETECTORS (DETECTOR)
#undef DETECTOR
