/* damagelist.h - a list of damage: "missing:0.5,blocks:3x36,noise:25" */
#pragma once

#include "app/cli/option.h"
#include "imaging/damage/damage.h"

typedef struct {
  char *name;  /* as it was written */
  char *label; /* for people */
  DamageOptions options;
} Damage;

/* A list of them, none twice, into a GArray * of Damage, for g_array_unref(),
 * which must be NULL or a list to be replaced. */
gboolean option_damage_list (const Option *option, const char *text,
                             GError **error);
