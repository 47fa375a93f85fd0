/* setting.h - what a filter lets one choose
 *
 * All settings are numbers: in the dialog, as arguments of a procedure and as
 * the last values, which GIMP keeps.  Choices count from 0, flags are 0 or 1.
 */
#pragma once

#include <libgimp/gimp.h>

typedef enum {
  SETTING_CHOICE,
  SETTING_FLAG,
  SETTING_WHOLE,
  SETTING_REAL,
  SETTING_KINDS /* of damage, bit i is tessera_find_name (i); as an argument,
                   their names with commas between, or "all" */
} SettingType;

typedef struct {
  const char *name;  /* of the argument */
  const char *label; /* in the dialog */
  const char *help;  /* one line */
  SettingType type;
  double start;               /* the default; of KINDS all */
  double min, max;            /* of WHOLE and REAL */
  const char *const *choices; /* labels of CHOICE, NULL at the end */
} Setting;

#define MAX_SETTINGS 8

/* Values of the settings of a filter, in their order. */
typedef struct {
  double value[MAX_SETTINGS];
} Values;

/* How an argument for @setting is declared.  The caller frees the
 * description. */
GimpParamDef setting_argument (const Setting *setting);

/* Sets all values to the defaults. */
void settings_start (const Setting *settings, int count, Values *values);

/* Takes the values from arguments.  FALSE with @error set (USAGE) if one of
 * them is out of range. */
gboolean settings_from_arguments (const Setting *settings, int count,
                                  const GimpParam *arguments, Values *values,
                                  GError **error);

/* The number of labels of a CHOICE. */
int setting_choices (const Setting *setting);

/* The names of kinds, with commas between; the caller frees them. */
char *kinds_to_text (double kinds);
