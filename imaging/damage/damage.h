/* damage.h - damages a clean picture deliberately
 *
 * What is done, in this order:
 *
 *     noise    every colour sample x becomes  x + sigma (R / 255) n,  n from
 *              the standard normal distribution, rounded and clipped to 0 .. R
 *     missing  exactly round (f w h) pixels, any set of them as likely as any
 *              other, become black
 *     samples  exactly round (f w h c) colour samples, each for itself, become
 *              0: a pixel may lose its red and keep the rest
 *     blocks   squares that do not overlap become black: thrown at random,
 *              or random cells of a grid if one finds no place that way
 *
 * R is the largest value of a sample.  Black means all colours 0; alpha is
 * never touched.  The random numbers are keyed by the seed and the place, so
 * the damage is the same wherever and in whatever order it is computed, and
 * the noise is the same with and without missing pixels.
 *
 * A new kind is one file that defines a DamageKind, a row of DAMAGE_KINDS and
 * its amount in DamageOptions.
 */
#pragma once

#include "imaging/mask.h"

typedef struct {
  double missing;     /* share of the pixels to lose, 0 .. 1 */
  int block_side;     /* of each square, in pixels */
  int block_count;    /* how many squares; side and count are 0 for none */
  double noise;       /* standard deviation where white is 255, at least 0 */
  double samples;     /* share of the colour samples to lose, 0 .. 1 */
  gboolean unclipped; /* noise goes beyond black and white, see below */
  guint64 seed;
} DamageOptions;

#define DAMAGE_DEFAULTS                                                       \
  ((DamageOptions){                                                           \
    .missing = 0, .block_side = 0, .block_count = 0, .noise = 0, .seed = 0 })

/* Returns a damaged copy, which the caller owns.  A palette is dropped, since
 * the damage needs colours that it may not have.
 *
 * @mask receives what became black, for the caller to free.  It may be NULL.
 * Returns NULL with @error set and @mask untouched: USAGE for options out of
 * range or blocks that do not fit, MEMORY when there is not enough. */
Image *image_damage (const Image *image, const DamageOptions *options,
                     Mask **mask, GError **error);

/* One kind of damage. */
typedef struct {
  const char *name;  /* "missing", as in missing:0.5 */
  const char *form;  /* of the amount behind the colon: "FRACTION" */
  const char *range; /* of the amount, in words */

  /* Sets the amount; FALSE if @text is not one. */
  gboolean (*parse) (const char *text, DamageOptions *options);

  /* What the options do, in words, for the caller to free. */
  char *(*describe) (const DamageOptions *options);

  /* Whether the amount makes sense for @image; USAGE if not.  May be NULL. */
  gboolean (*check) (const Image *image, const DamageOptions *options,
                     GError **error);

  /* Changes the samples of *@image, or puts another one in its place.  NULL
   * for a kind that loses samples. */
  gboolean (*change) (Image **image, const DamageOptions *options,
                      GError **error);

  /* Marks in @mask, which is empty, what is lost.  NULL for a kind that
   * changes samples. */
  gboolean (*lose) (Mask *mask, const Image *image,
                    const DamageOptions *options, GError **error);
} DamageKind;

/* All kinds.  Samples are changed before any are lost. */
#define DAMAGE_KINDS(ROW)                                                     \
  ROW (missing)                                                               \
  ROW (blocks)                                                                \
  ROW (noise)                                                                 \
  ROW (samples)                                                               \
  ROW (unclipped)

#define DAMAGE_KIND(name) extern const DamageKind damage_##name;
DAMAGE_KINDS (DAMAGE_KIND)
#undef DAMAGE_KIND

/* The same as a list, NULL at the end. */
extern const DamageKind *const damage_kinds[];

/* With @unclipped the copy has 16 bits, and black and white are moved inwards:
 *     x' = 65535 ((1 - s) / 2 + s x / R),   s = 255 / (255 + 10 sigma),
 * which leaves five standard deviations of the noise, whose standard deviation
 * becomes s sigma, on both sides. */
double damage_unclipped_scale (const DamageOptions *options);

/* The reverse: a copy of @image, a restoration of what was damaged by such
 * @options, in the range of @depth bits. */
Image *damage_restore_range (const Image *image, const DamageOptions *options,
                             int depth, GError **error);

/* ---- for the files of the kinds ---- */

/* A number above 0 and at most @most, and nothing else. */
gboolean damage_parse_number (const char *text, double most, double *value);

/* Whether @fraction is from 0 to 1; FALSE with @error set (USAGE) if not. */
gboolean damage_check_fraction (double fraction, const char *of_what,
                                GError **error);

/* Marks @count of the first @n bytes, which are 0, with 1: each set of them is
 * as likely as any other. */
void damage_draw (guint8 *marks, gsize n, gsize count, guint64 seed,
                  guint64 stream);
