#include "app/synth/cells.h"

#include <math.h>

void
cells_clear (Cells *cells)
{
  g_clear_pointer (&cells->header, g_strfreev);
  g_clear_pointer (&cells->rows, g_ptr_array_unref);
}

static void
free_row (gpointer row)
{
  g_strfreev (row);
}

Cells
cells_read (const char *folder, const char *name)
{
  Cells cells = { NULL, g_ptr_array_new_with_free_func (free_row) };
  g_autofree char *file = g_strconcat (name, ".csv", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return cells;
  lines = g_strsplit (text, "\n", -1);
  cells.header = g_strsplit (g_strchomp (lines[0]), ",", -1);
  for (int i = 1; lines[i] != NULL; i++) {
    char **row = g_strsplit (g_strchomp (lines[i]), ",", -1);

    if (g_strv_length (row) == g_strv_length (cells.header))
      g_ptr_array_add (cells.rows, row);
    else
      g_strfreev (row);
  }
  return cells;
}

const char *
cells_text (const Cells *cells, guint row, const char *column)
{
  for (int i = 0; cells->header[i] != NULL; i++)
    if (g_str_equal (cells->header[i], column))
      return ((char **) g_ptr_array_index (cells->rows, row))[i];
  return "";
}

double
cells_number (const Cells *cells, guint row, const char *column)
{
  const char *text = cells_text (cells, row, column);

  return *text != '\0' ? g_ascii_strtod (text, NULL) : NAN;
}

GPtrArray *
cells_values (const Cells *cells, const char *column)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < cells->rows->len; i++) {
    gpointer text = (gpointer) cells_text (cells, i, column);

    if (!g_ptr_array_find_with_equal_func (list, text, g_str_equal, NULL))
      g_ptr_array_add (list, text);
  }
  return list;
}

static gboolean
matches (const Cells *cells, guint row, const char *column, const char *value)
{
  return column == NULL
         || g_str_equal (cells_text (cells, row, column), value);
}

double
cells_mean (const Cells *cells, const char *column, const char *key_a,
            const char *value_a, const char *key_b, const char *value_b)
{
  double sum = 0;
  int count = 0;

  for (guint i = 0; i < cells->rows->len; i++)
    if (matches (cells, i, key_a, value_a)
        && matches (cells, i, key_b, value_b)) {
      sum += cells_number (cells, i, column);
      count++;
    }
  return count > 0 ? sum / count : NAN;
}
