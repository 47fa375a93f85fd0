/* damagelist.h - kinds of damage by name: "missing:0.5,blocks:3x36,noise:25"
 *
 * A new kind is a row of the table in damagelist.c: how it is written, what it
 * does to a picture, and which restoration it asks for.
 */
#pragma once

#include "app/cli/option.h"
#include "imaging/damage.h"

/* What a damaged picture asks for. */
typedef enum {
  RESTORE_INPAINT, /* pixels are missing, and a mask says which */
  RESTORE_DENOISE, /* every pixel is noisy, and the deviation is known */
} RestoreKind;

typedef struct {
  char *name;  /* as it was written */
  char *label; /* for people */
  DamageOptions options;
  RestoreKind restore_kind;
} Damage;

/* A list of them, none twice, into a GArray * of Damage, for g_array_unref(),
 * which must be NULL or a list to be replaced. */
gboolean option_damage_list (const Option *option, const char *text,
                             GError **error);
