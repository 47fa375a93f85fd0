#include "app/mend/damagelist.h"

#include "app/cli/optionlist.h"
#include "app/cli/suggest.h"
#include "app/cli/terminal.h"
#include "base/error.h"

/* The number behind the colon; FALSE if it is out of place. */
typedef gboolean (*ParseAmount) (const char *text, DamageOptions *options);

typedef struct {
  const char *name;
  const char *form;  /* of the amount */
  const char *range; /* of the amount, in words */
  ParseAmount parse;
  char *(*describe) (const DamageOptions *options);
} DamageKind;

/* ---- kinds ---- */

static gboolean
parse_number (const char *text, double most, double *value)
{
  char *end;

  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && *value > 0 && *value <= most;
}

static gboolean
parse_missing (const char *text, DamageOptions *options)
{
  return parse_number (text, 0.99, &options->missing);
}

static char *
describe_missing (const DamageOptions *options)
{
  return g_strdup_printf ("%.4g %% of the pixels missing",
                          100 * options->missing);
}

gboolean
damage_parse_blocks (const char *text, DamageOptions *options)
{
  g_auto (GStrv) parts = g_strsplit (text, "x", 2);
  const Option numbers[] = {
    { .value = &options->block_side, .min = 1, .max = G_MAXINT },
    { .value = &options->block_count, .min = 1, .max = G_MAXINT },
  };

  return g_strv_length (parts) == 2 && option_int (&numbers[0], parts[0], NULL)
         && option_int (&numbers[1], parts[1], NULL);
}

static char *
describe_blocks (const DamageOptions *options)
{
  return g_strdup_printf ("%d block%s of %d x %d missing",
                          options->block_count, PLURAL (options->block_count),
                          options->block_side, options->block_side);
}

static gboolean
parse_noise (const char *text, DamageOptions *options)
{
  return parse_number (text, 255, &options->noise);
}

static char *
describe_noise (const DamageOptions *options)
{
  return g_strdup_printf ("noise of standard deviation %.4g", options->noise);
}

static gboolean
parse_samples (const char *text, DamageOptions *options)
{
  return parse_number (text, 0.99, &options->samples);
}

static char *
describe_samples (const DamageOptions *options)
{
  return g_strdup_printf ("%.4g %% of the colour samples missing",
                          100 * options->samples);
}

static gboolean
parse_unclipped (const char *text, DamageOptions *options)
{
  options->unclipped = TRUE;
  return parse_noise (text, options);
}

static char *
describe_unclipped (const DamageOptions *options)
{
  return g_strdup_printf ("noise of standard deviation %.4g, not clipped",
                          options->noise);
}

static const DamageKind kinds[] = {
  { "missing", "FRACTION", "above 0 and at most 0.99", parse_missing,
    describe_missing },
  { "blocks", "SIDExCOUNT", "whole numbers from 1", damage_parse_blocks,
    describe_blocks },
  { "noise", "DEVIATION", "above 0 and at most 255", parse_noise,
    describe_noise },
  { "samples", "FRACTION", "above 0 and at most 0.99", parse_samples,
    describe_samples },
  { "unclipped", "DEVIATION", "above 0 and at most 255", parse_unclipped,
    describe_unclipped },
};

/* ---- lists ---- */

static const DamageKind *
find_kind (const char *name, GError **error)
{
  const char *names[G_N_ELEMENTS (kinds) + 1] = { NULL };
  g_autofree char *hint = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    names[i] = kinds[i].name;
    if (g_str_equal (name, names[i]))
      return &kinds[i];
  }
  hint = suggest (name, names);
  tessera_fail (error, TESSERA_ERROR_USAGE, "unknown damage '%s': %s", name,
                hint != NULL ? hint : "use missing, blocks, noise, samples or unclipped");
  return NULL;
}

static gboolean
parse_damage (const char *text, Damage *damage, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 2);
  const DamageKind *kind = find_kind (parts[0] != NULL ? parts[0] : "", error);

  if (kind == NULL)
    return FALSE;
  damage->options = DAMAGE_DEFAULTS;
  if (parts[1] == NULL || !kind->parse (parts[1], &damage->options))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "write %s:%s, %s, as in missing:0.5,blocks:3x36,"
                         "noise:25",
                         kind->name, kind->form, kind->range);
  damage->name = g_strdup (text);
  damage->label = kind->describe (&damage->options);
  return TRUE;
}

static void
clear_damage (gpointer data)
{
  Damage *damage = data;

  g_free (damage->name);
  g_free (damage->label);
}

static gboolean
is_among (const GArray *list, const char *name)
{
  for (guint i = 0; i < list->len; i++)
    if (g_str_equal (g_array_index (list, Damage, i).name, name))
      return TRUE;
  return FALSE;
}

gboolean
option_damage_list (const Option *option, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", OPTION_LIST_MAX + 1);
  g_autoptr (GArray) list = g_array_new (FALSE, TRUE, sizeof (Damage));
  GArray **place = option->value;

  g_array_set_clear_func (list, clear_damage);
  if (g_strv_length (parts) > OPTION_LIST_MAX)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "at most %d kinds of damage", OPTION_LIST_MAX);
  for (int i = 0; parts[i] != NULL; i++) {
    Damage damage;

    if (is_among (list, parts[i]))
      return tessera_fail (error, TESSERA_ERROR_USAGE, "'%s' is given twice",
                           parts[i]);
    if (!parse_damage (parts[i], &damage, error)) {
      if (parts[1] != NULL)
        g_prefix_error (error, "'%s': ", parts[i]);
      return FALSE;
    }
    g_array_append_val (list, damage);
  }
  if (list->len == 0)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "must be a list, as in missing:0.5,blocks:3x36");
  g_clear_pointer (place, g_array_unref);
  *place = g_steal_pointer (&list);
  return TRUE;
}
