/* list.h - a list that grows with data
 *
 * GArray ends the program when there is no memory to grow.  This list keeps
 * what it has then, and remembers it: who fills it in a loop may ignore what
 * list_append() returns, and must ask list_check() once before the list is
 * taken for complete.
 */
#pragma once

#include "base/error.h"

#include <string.h>

typedef struct {
  char *data;
  guint len;
  guint room;           /* as many values have memory */
  gsize size;           /* of a value */
  GDestroyNotify clear; /* gets the address of a value; or NULL */
  gboolean is_short;    /* something had no memory */
} List;

/* A list of values of @size bytes each.  @clear may be NULL; it is called for
 * values that are removed, with their address. */
List *list_new (gsize size, GDestroyNotify clear);

/* @self may be NULL. */
void list_free (List *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (List, list_free)

/* Value @i, which is there. */
#define list_at(self, type, i) (((type *) (gpointer) (self)->data)[i])

/* Makes room for @count more values.  FALSE without memory; the list is short
 * then. */
gboolean list_reserve (List *self, guint count);

/* Appends @count values; with NULL for @values they are not set yet.  FALSE,
 * with none of them appended, where there is no memory. */
static inline gboolean
list_append (List *self, gconstpointer values, guint count)
{
  if (count > self->room - self->len && !list_reserve (self, count))
    return FALSE;
  if (values != NULL && count > 0)
    memcpy (self->data + self->len * self->size, values, count * self->size);
  self->len += count;
  return TRUE;
}

/* Keeps the first @count values, at most as many as there are. */
void list_cut (List *self, guint count);

/* Moves all values of @from to the end of @self.  Where there is no memory
 * they stay, and @self is short. */
void list_move (List *self, List *from);

/* Sorts the values; equal ones stay in order.  FALSE without memory: the list
 * is as it was, and short. */
gboolean list_sort (List *self, GCompareFunc compare);

/* FALSE if the list is short, with @error set (MEMORY): "not enough memory for
 * WHAT". */
gboolean list_check (const List *self, const char *what, GError **error);
