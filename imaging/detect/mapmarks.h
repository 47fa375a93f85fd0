/* mapmarks.h - marks from a map of damage
 *
 * A mark is a set of 8-connected pixels of likelihood `low` or more, one of
 * which at least reaches `high` (Canny's hysteresis, 1986): a faint part
 * belongs to a mark that is sure elsewhere.  `high` is lower in a picture with
 * much damage that is sure: in a cracked print a faint line is a crack, in a
 * sound one it is a wire.  The kind of a mark is that of most of its pixels.
 * Strength s moves both thresholds by SLOPE ln s logits.
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
