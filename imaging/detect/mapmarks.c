#include "imaging/detect/mapmarks.h"

#include "imaging/detect/marks.h"

#include <math.h>

/* Logits for a factor of e in strength. */
#define SLOPE 1.5

typedef struct {
  const DamageMap *map;
  DamageClasses wanted;
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

  return (marking->wanted & DAMAGE_CLASS (kind_of (marking->map, blob))) != 0;
}

Mask *
damage_map_marks (const DamageMap *map, DamageClasses wanted, double strength,
                  GError **error)
{
  g_autoptr (Mask) mask = mask_new (map->width, map->height, error);
  g_auto (BytePlane) likely = { 0 };
  const int least =
    damage_map_byte (damage_map_threshold (map) - SLOPE * log (strength));
  Marking marking = { map, wanted };

  if (mask == NULL
      || !byte_plane_init (&likely, map->width, map->height, error))
    return NULL;
  for (gsize i = 0; i < byte_plane_size (&likely); i++)
    likely.data[i] = map->likelihood[i] >= least;
  return blobs_keep (&likely, is_wanted, &marking, mask, error)
           ? g_steal_pointer (&mask)
           : NULL;
}
