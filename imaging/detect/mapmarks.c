#include "imaging/detect/mapmarks.h"

#include "imaging/detect/marks.h"

#include <math.h>

/* Logits, for strength 1 and a sound picture. */
#define HIGH 4.75
#define LOW 0.25
#define SLOPE 1.5

/* In a damaged picture less is enough.  Where the share of pixels of SURE
 * logits or more is ten times SOUND, the largest in most sound pictures, HIGH
 * falls by EASE, at most to LEAST_HIGH. */
#define SURE 3.5
#define SOUND 4e-4
#define EASE 3.
#define LEAST_HIGH 2.5

typedef struct {
  const DamageMap *map;
  DamageClasses wanted;
  int high; /* as the map has it */
} Marking;

/* The kind of most pixels of @blob, the first of several. */
static DamageClass
kind_of (const DamageMap *map, const Blob *blob)
{
  gsize votes[DAMAGE_CLASSES] = { 0 };
  DamageClass best = 0;

  for (gsize k = 0; k < blob->count; k++)
    votes[map->kind[blob->pixels[k]]]++;
  for (DamageClass kind = 1; kind < DAMAGE_CLASSES; kind++)
    if (votes[kind] > votes[best])
      best = kind;
  return best;
}

static gboolean
is_wanted (const Blob *blob, gpointer data)
{
  const Marking *marking = data;
  const guint8 *likelihood = marking->map->likelihood;
  DamageClass kind = kind_of (marking->map, blob);
  int largest = 0;

  if (!(marking->wanted & DAMAGE_CLASS (kind)))
    return FALSE;
  for (gsize k = 0; k < blob->count; k++)
    largest = MAX (largest, likelihood[blob->pixels[k]]);
  return largest >= marking->high;
}

/* HIGH for this picture. */
static double
high_for (const DamageMap *map)
{
  const int sure = LIKELIHOOD_ZERO + (int) (LIKELIHOOD_UNIT * SURE);
  gsize size = (gsize) map->width * (gsize) map->height, count = 0;

  for (gsize i = 0; i < size; i++)
    count += map->likelihood[i] >= sure;
  return CLAMP (
    HIGH - EASE * log10 (((double) count + 1e-3) / (double) size / SOUND),
    LEAST_HIGH, HIGH);
}

/* A logit as the map has it. */
static int
threshold (double logit, double strength)
{
  double moved = logit - SLOPE * log (strength);

  return (int) CLAMP (LIKELIHOOD_ZERO + LIKELIHOOD_UNIT * moved, 1, 255);
}

Mask *
damage_map_marks (const DamageMap *map, DamageClasses wanted, double strength,
                  GError **error)
{
  g_autoptr (Mask) mask = mask_new (map->width, map->height, error);
  g_auto (BytePlane) likely = { 0 };
  const int low = threshold (LOW, strength);
  Marking marking = { map, wanted, threshold (high_for (map), strength) };

  if (mask == NULL
      || !byte_plane_init (&likely, map->width, map->height, error))
    return NULL;
  for (gsize i = 0; i < byte_plane_size (&likely); i++)
    likely.data[i] = map->likelihood[i] >= low;
  return blobs_keep (&likely, is_wanted, &marking, mask, error)
           ? g_steal_pointer (&mask)
           : NULL;
}
