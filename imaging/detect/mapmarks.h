/* mapmarks.h - marks from a map of damage
 *
 * A mark is a set of 8-connected pixels that reach the threshold of the map.
 * Its kind is that of most of its pixels.  Strength s lowers the threshold by
 * SLOPE ln s logits.
 */
#pragma once

#include "imaging/detect/damagemap.h"
#include "imaging/mask.h"

/* One set bit for each DamageClass that is wanted. */
typedef guint DamageClasses;
#define DAMAGE_CLASS(kind) (1u << (kind))

/* The marks of @map whose kinds are in @wanted.  NULL with @error set: MEMORY.
 */
Mask *damage_map_marks (const DamageMap *map, DamageClasses wanted,
                        double strength, GError **error);
