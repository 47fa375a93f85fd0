#include "app/cli/optionlist.h"

#include "base/error.h"

/* The elements; NULL with @error set if there are too few or too many. */
static char **
split (const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", OPTION_LIST_MAX + 1);
  guint count = g_strv_length (parts);

  if (count >= 1 && count <= OPTION_LIST_MAX)
    return g_steal_pointer (&parts);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "must be a list of 1 to %d elements, as in 1,10,100",
               OPTION_LIST_MAX);
  return NULL;
}

/* Reads each element with @parse into a cell of @size bytes. */
static gboolean
parse_list (const Option *option, const char *text, OptionParser parse,
            guint size, GError **error)
{
  g_auto (GStrv) parts = split (text, error);
  g_autoptr (GArray) list = g_array_new (FALSE, TRUE, size);
  GArray **place = option->value;
  Option element = *option;

  for (int i = 0; parts != NULL && parts[i] != NULL; i++) {
    g_array_set_size (list, (guint) i + 1);
    element.value = list->data + (gsize) i * size;
    if (!parse (&element, parts[i], error)) {
      if (parts[1] != NULL)
        g_prefix_error (error, "'%s': ", parts[i]);
      return FALSE;
    }
  }
  if (parts == NULL)
    return FALSE;
  g_clear_pointer (place, g_array_unref);
  *place = g_steal_pointer (&list);
  return TRUE;
}

gboolean
option_int_list (const Option *option, const char *text, GError **error)
{
  return parse_list (option, text, option_int, sizeof (int), error);
}

gboolean
option_seed_list (const Option *option, const char *text, GError **error)
{
  const GArray *list;

  if (!parse_list (option, text, option_seed, sizeof (guint64), error))
    return FALSE;
  list = *(GArray **) option->value;
  for (guint i = 0; i < list->len; i++)
    for (guint j = 0; j < i; j++)
      if (g_array_index (list, guint64, i) == g_array_index (list, guint64, j))
        return tessera_fail (error, TESSERA_ERROR_USAGE,
                             "%" G_GUINT64_FORMAT " is given twice",
                             g_array_index (list, guint64, i));
  return TRUE;
}

gboolean
option_real_list (const Option *option, const char *text, GError **error)
{
  return parse_list (option, text, option_real, sizeof (double), error);
}

gboolean
option_word_list (const Option *option, const char *text, GError **error)
{
  g_auto (GStrv) words = split (text, error);
  char ***place = option->value;
  Option element = *option;
  int choice;

  if (words == NULL)
    return FALSE;
  element.value = &choice;
  for (int i = 0; words[i] != NULL; i++) {
    if (!option_choice (&element, words[i], error)) {
      if (words[1] != NULL)
        g_prefix_error (error, "'%s': ", words[i]);
      return FALSE;
    }
    for (int j = 0; j < i; j++)
      if (g_str_equal (words[i], words[j])) {
        g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                     "'%s' is given twice", words[i]);
        return FALSE;
      }
  }
  g_clear_pointer (place, g_strfreev);
  *place = g_steal_pointer (&words);
  return TRUE;
}
