/* cells.h - a table that was written before, read back
 *
 * Its cells are texts without commas, as in all tables of this folder.
 */
#pragma once

#include <glib.h>

typedef struct {
  char **header;
  GPtrArray *rows; /* char ** */
} Cells;

/* Reads NAME.csv in @folder; no rows if there is none. */
Cells cells_read (const char *folder, const char *name);
void cells_clear (Cells *cells);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cells, cells_clear)

/* A cell; "" and NaN if there is no such column, NaN if the cell is empty. */
const char *cells_text (const Cells *cells, guint row, const char *column);
double cells_number (const Cells *cells, guint row, const char *column);

/* The different cells of a column, in the order of the table: an array of
 * const char * that the caller owns. */
GPtrArray *cells_values (const Cells *cells, const char *column);

/* The mean of @column over rows with these values (all rows for a key that is
 * NULL); NaN if there are none. */
double cells_mean (const Cells *cells, const char *column, const char *key_a,
                   const char *value_a, const char *key_b,
                   const char *value_b);
