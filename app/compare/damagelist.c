#include "app/compare/damagelist.h"

#include "app/cli/optionlist.h"
#include "app/cli/suggest.h"
#include "base/error.h"

static const DamageKind *
find_kind (const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL, *all = NULL;

  for (int i = 0; damage_kinds[i] != NULL; i++) {
    g_ptr_array_add (names, (gpointer) damage_kinds[i]->name);
    if (g_str_equal (name, damage_kinds[i]->name))
      return damage_kinds[i];
  }
  g_ptr_array_add (names, NULL);
  hint = suggest (name, (const char *const *) names->pdata);
  all = g_strjoinv (", ", (char **) names->pdata);
  tessera_fail (error, TESSERA_ERROR_USAGE, "unknown damage '%s': %s%s", name,
                hint != NULL ? hint : "there are ", hint != NULL ? "" : all);
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
