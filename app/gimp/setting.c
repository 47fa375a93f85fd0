#include "app/gimp/setting.h"

#include "include/tessera.h"

/* ---- kinds of damage ---- */

static int
kind_count (void)
{
  int count = 0;

  while (tessera_find_name (count) != NULL)
    count++;
  return count;
}

static double
all_kinds (void)
{
  return (double) ((1 << kind_count ()) - 1);
}

/* The bit of the kind called @name, or 0. */
static int
kind_bit (const char *name)
{
  for (int i = 0; i < kind_count (); i++)
    if (g_str_equal (tessera_find_name (i), name))
      return 1 << i;
  return 0;
}

char *
kinds_to_text (double kinds)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < kind_count (); i++)
    if ((int) kinds & (1 << i))
      g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "",
                              tessera_find_name (i));
  return g_string_free (text, FALSE);
}

static gboolean
kinds_from_text (const char *text, double *kinds, GError **error)
{
  g_auto (GStrv) names = g_strsplit (text != NULL ? text : "", ",", -1);
  int bits = 0;

  for (int i = 0; names[i] != NULL; i++) {
    int bit =
      g_str_equal (names[i], "all") ? (int) all_kinds () : kind_bit (names[i]);

    if (bit == 0) {
      g_autofree char *known = kinds_to_text (all_kinds ());

      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                   "there is no kind of damage called '%s'; there are %s",
                   names[i], known);
      return FALSE;
    }
    bits |= bit;
  }
  *kinds = bits != 0 ? bits : all_kinds ();
  return TRUE;
}

/* ---- arguments ---- */

static GimpPDBArgType
argument_type (SettingType type)
{
  switch (type) {
  case SETTING_REAL:
    return GIMP_PDB_FLOAT;
  case SETTING_KINDS:
    return GIMP_PDB_STRING;
  case SETTING_CHOICE:
  case SETTING_FLAG:
  case SETTING_WHOLE:
    break;
  }
  return GIMP_PDB_INT32;
}

int
setting_choices (const Setting *setting)
{
  int count = 0;

  while (setting->choices[count] != NULL)
    count++;
  return count;
}

static double
highest (const Setting *setting)
{
  if (setting->type == SETTING_CHOICE)
    return setting_choices (setting) - 1;
  return setting->type == SETTING_FLAG ? 1 : setting->max;
}

/* Which values an argument can have. */
static char *
describe_range (const Setting *setting)
{
  GString *text;

  if (setting->type == SETTING_KINDS)
    return kinds_to_text (all_kinds ());
  text = g_string_new (NULL);
  if (setting->type != SETTING_CHOICE)
    g_string_printf (text, "%g to %g", setting->min, highest (setting));
  for (int i = 0; setting->choices != NULL && setting->choices[i] != NULL; i++)
    g_string_append_printf (text, "%s%s (%d)", i > 0 ? ", " : "",
                            setting->choices[i], i);
  return g_string_free (text, FALSE);
}

GimpParamDef
setting_argument (const Setting *setting)
{
  g_autofree char *range = describe_range (setting);

  return (GimpParamDef){ argument_type (setting->type), (char *) setting->name,
                         g_strdup_printf ("%s { %s }", setting->help, range) };
}

void
settings_start (const Setting *settings, int count, Values *values)
{
  for (int i = 0; i < count; i++)
    values->value[i] =
      settings[i].type == SETTING_KINDS ? all_kinds () : settings[i].start;
}

/* Takes a value that is a number. */
static gboolean
number_from_argument (const Setting *setting, const GimpParam *argument,
                      double *value, GError **error)
{
  *value = setting->type == SETTING_REAL ? argument->data.d_float
                                         : argument->data.d_int32;
  if (*value >= setting->min && *value <= highest (setting))
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "%s is %g: give %g to %g", setting->name, *value, setting->min,
               highest (setting));
  return FALSE;
}

gboolean
settings_from_arguments (const Setting *settings, int count,
                         const GimpParam *arguments, Values *values,
                         GError **error)
{
  for (int i = 0; i < count; i++) {
    double *value = &values->value[i];

    if (settings[i].type == SETTING_KINDS
          ? !kinds_from_text (arguments[i].data.d_string, value, error)
          : !number_from_argument (&settings[i], &arguments[i], value, error))
      return FALSE;
  }
  return TRUE;
}
