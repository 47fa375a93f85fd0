/* damagemap.h - how likely and of which kind damage is, everywhere
 *
 * The network (damagenet.h) looks at the whole picture, if that is large in a
 * reduced size: damage on a large scan is wide.  What it sees there says how
 * damaged the picture is as a whole.  It then looks at the picture at twice the
 * size, and again at twice that size wherever something was seen, so that fine
 * marks are found and wide ones get a sharp border.  Each pixel keeps the
 * largest likelihood.
 */
#pragma once

#include "base/progress.h"
#include "imaging/image.h"

typedef enum {
  DAMAGE_LINES,  /* scratches, cracks, creases, hairs */
  DAMAGE_SPECKS, /* dust, dirt, mould */
  DAMAGE_AREAS,  /* lost emulsion, torn edges and corners */
  DAMAGE_TEXT,   /* dates and other print on top of the picture */
  DAMAGE_STAINS, /* water, ink, fingerprints, tape */
  DAMAGE_CLASSES
} DamageClass;

/* Row after row, one byte per pixel. */
typedef struct {
  int width, height;
  guint8 *likelihood; /* LIKELIHOOD_ZERO + LIKELIHOOD_UNIT times the logit */
  guint8 *kind;       /* a DamageClass: the likeliest, if there is damage */
} DamageMap;

#define LIKELIHOOD_ZERO 128
#define LIKELIHOOD_UNIT 16

/* A logit as the map has it; not 0, which all pixels have. */
static inline int
damage_map_byte (double logit)
{
  return (int) CLAMP (LIKELIHOOD_ZERO + LIKELIHOOD_UNIT * logit, 1, 255);
}

/* The logit from which on a pixel is likelier damaged than not: in a cracked
 * print a faint line is a crack, in a sound one it is a wire.  The network
 * learned where damage was frequent.  In a picture of which a share s is damaged,
 * a logit l means
 *
 *   p = sigmoid (l + OFFSET + GAIN ln s),
 *
 * and s is the mean of p (Saerens, Latinne and Decaestecker, 2002: a prior from
 * the classifier's own outputs, by expectation-maximisation; there GAIN is 1 for
 * independent samples). */
double damage_map_threshold (const DamageMap *map);

/* The map of @image.  The same bytes for any number of threads.  @progress may
 * be NULL.  NULL with @error set: MEMORY, CANCELLED. */
DamageMap *damage_map_new (const Image *image, const Progress *progress,
                           GError **error);

/* @map may be NULL. */
void damage_map_free (DamageMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DamageMap, damage_map_free)
