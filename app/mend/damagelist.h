/* damagelist.h - kinds of damage by name: "missing:0.5,blocks:3x36,noise:25"
 *
 * A new kind is a row of the table in damagelist.c: how it is written, and
 * what it does to a picture.
 */
#pragma once

#include "app/cli/option.h"
#include "imaging/damage.h"

typedef struct {
  char *name;  /* as it was written */
  char *label; /* for people */
  DamageOptions options;
} Damage;

/* SIDExCOUNT; FALSE if @text is anything else. */
gboolean damage_parse_blocks (const char *text, DamageOptions *options);

/* A list of them, none twice, into a GArray * of Damage, for g_array_unref(),
 * which must be NULL or a list to be replaced. */
gboolean option_damage_list (const Option *option, const char *text,
                             GError **error);
