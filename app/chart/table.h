/* table.h - results with named columns, as CSV, as JSON and as text
 *
 * A table is filled cell by cell, row after row.
 */
#pragma once

#include "app/chart/spread.h"

#include <json-glib/json-glib.h>

typedef struct Table Table;

/* @columns, names without commas and quotes, NULL at the end, must live as
 * long as the table, which the caller owns. */
Table *table_new (const char *const *columns);
void table_free (Table *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Table, table_free)

/* The next cell.  A number that is not finite and a text that is NULL are
 * empty cells; texts are copied. */
void table_add_count (Table *self, gint64 count);
void table_add_number (Table *self, double number);
void table_add_text (Table *self, const char *text);

/* Three cells: mean, least and largest. */
void table_add_spread (Table *self, const Spread *spread);

/* A line of names, then one line per row.  Numbers have as many digits as they
 * need to be read back the same.  A text that a spreadsheet would take for a
 * formula has an apostrophe in front. */
GBytes *table_to_csv (const Table *self);

/* One object per row, its members named like the columns; an empty cell is
 * null.  The caller owns it. */
JsonArray *table_to_json (const Table *self);

/* Aligned columns, numbers with four digits, without a newline at the end. */
char *table_to_text (const Table *self);
