#include "app/chart/table.h"

#include "app/cli/jsonreport.h"

#include <math.h>
#include <string.h>

typedef struct {
  enum { TEXT, COUNT, NUMBER } kind;
  union {
    char *text;
    gint64 count;
    double number;
  };
} Cell;

struct Table {
  const char *const *columns;
  guint width;   /* number of columns */
  GArray *cells; /* Cell, row after row */
};

static void
clear_cell (gpointer data)
{
  Cell *cell = data;

  if (cell->kind == TEXT)
    g_free (cell->text);
}

Table *
table_new (const char *const *columns)
{
  Table *self = g_new (Table, 1);

  self->columns = columns;
  self->width = g_strv_length ((char **) columns);
  self->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  g_array_set_clear_func (self->cells, clear_cell);
  return self;
}

void
table_free (Table *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->cells);
  g_free (self);
}

void
table_add_count (Table *self, gint64 count)
{
  Cell cell = { .kind = COUNT, .count = count };

  g_array_append_val (self->cells, cell);
}

void
table_add_number (Table *self, double number)
{
  Cell cell = { .kind = NUMBER, .number = number };

  g_array_append_val (self->cells, cell);
}

void
table_add_text (Table *self, const char *text)
{
  Cell cell = { .kind = TEXT, .text = g_strdup (text) };

  g_array_append_val (self->cells, cell);
}

void
table_add_spread (Table *self, const Spread *spread)
{
  gboolean is_empty = spread->count == 0;

  table_add_number (self, spread_mean (spread));
  table_add_number (self, is_empty ? NAN : spread->min);
  table_add_number (self, is_empty ? NAN : spread->max);
}

static const Cell *
cell_at (const Table *self, guint row, guint column)
{
  return &g_array_index (self->cells, Cell, row * self->width + column);
}

static guint
count_rows (const Table *self)
{
  return self->cells->len / self->width;
}

/* ---- CSV ---- */

static void
append_number (GString *csv, double number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (number))
    return;
  /* Fifteen digits look better than seventeen; use them if they do. */
  g_ascii_formatd (digits, sizeof digits, "%.15g", number);
  if (g_ascii_strtod (digits, NULL) != number)
    g_ascii_dtostr (digits, sizeof digits, number);
  g_string_append (csv, digits);
}

/* Whether spreadsheets take a cell with this text for a formula: by a sign at
 * its start, in narrow or wide letters, or a blank that they skip. */
static gboolean
looks_like_formula (const char *text)
{
  static const char *const starts[] = { "=", "+", "-", "@", "\t", "\r", "\n",
                                        "\xef\xbc\x9d", "\xef\xbc\x8b",
                                        "\xef\xbc\x8d", "\xef\xbc\xa0" };

  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    if (g_str_has_prefix (text, starts[i]))
      return TRUE;
  return FALSE;
}

/* In quotes where it needs them, which are doubled inside (RFC 4180); and with
 * an apostrophe in front where a spreadsheet would run it. */
static void
append_text (GString *csv, const char *text)
{
  const char *mark = looks_like_formula (text) ? "'" : "";

  if (strpbrk (text, ",\"\r\n") == NULL) {
    g_string_append_printf (csv, "%s%s", mark, text);
    return;
  }
  g_string_append_printf (csv, "\"%s", mark);
  for (; *text != '\0'; text++) {
    if (*text == '"')
      g_string_append_c (csv, '"');
    g_string_append_c (csv, *text);
  }
  g_string_append_c (csv, '"');
}

static void
append_cell (GString *csv, const Cell *cell)
{
  switch (cell->kind) {
  case TEXT:
    if (cell->text != NULL)
      append_text (csv, cell->text);
    break;
  case COUNT:
    g_string_append_printf (csv, "%" G_GINT64_FORMAT, cell->count);
    break;
  case NUMBER:
    append_number (csv, cell->number);
    break;
  }
}

GBytes *
table_to_csv (const Table *self)
{
  GString *csv = g_string_new (NULL);

  for (guint column = 0; column < self->width; column++)
    g_string_append_printf (csv, "%s%s", column > 0 ? "," : "",
                            self->columns[column]);
  g_string_append_c (csv, '\n');
  for (guint row = 0; row < count_rows (self); row++)
    for (guint column = 0; column < self->width; column++) {
      append_cell (csv, cell_at (self, row, column));
      g_string_append_c (csv, column + 1 < self->width ? ',' : '\n');
    }
  return g_string_free_to_bytes (csv);
}

/* ---- JSON ---- */

static void
set_member (JsonObject *object, const char *name, const Cell *cell)
{
  switch (cell->kind) {
  case TEXT:
    json_report_set_text (object, name, cell->text);
    break;
  case COUNT:
    json_object_set_int_member (object, name, cell->count);
    break;
  case NUMBER:
    json_report_set_number (object, name, cell->number);
    break;
  }
}

JsonArray *
table_to_json (const Table *self)
{
  JsonArray *rows = json_array_new ();

  for (guint row = 0; row < count_rows (self); row++) {
    JsonObject *object = json_object_new ();

    for (guint column = 0; column < self->width; column++)
      set_member (object, self->columns[column], cell_at (self, row, column));
    json_array_add_object_element (rows, object);
  }
  return rows;
}

/* ---- text ---- */

static char *
cell_to_text (const Cell *cell)
{
  switch (cell->kind) {
  case TEXT:
    if (cell->text != NULL)
      return g_strdup (cell->text);
    break;
  case COUNT:
    return g_strdup_printf ("%" G_GINT64_FORMAT, cell->count);
  case NUMBER:
    if (isfinite (cell->number))
      return g_strdup_printf ("%.4g", cell->number);
    break;
  }
  return g_strdup ("-");
}

static int
widest (const Table *self, guint column)
{
  gsize width = strlen (self->columns[column]);

  for (guint row = 0; row < count_rows (self); row++) {
    g_autofree char *text = cell_to_text (cell_at (self, row, column));

    width = MAX (width, strlen (text));
  }
  return (int) width;
}

char *
table_to_text (const Table *self)
{
  g_autofree int *widths = g_new (int, self->width);
  GString *text = g_string_new (NULL);

  for (guint column = 0; column < self->width; column++) {
    widths[column] = widest (self, column);
    g_string_append_printf (text, "%s%*s", column > 0 ? "  " : "",
                            widths[column], self->columns[column]);
  }
  for (guint i = 0; i < count_rows (self) * self->width; i++) {
    g_autofree char *cell =
      cell_to_text (&g_array_index (self->cells, Cell, i));

    g_string_append_printf (text, "%s%*s", i % self->width > 0 ? "  " : "\n",
                            widths[i % self->width], cell);
  }
  return g_string_free (text, FALSE);
}
