#include "base/list.h"

/* The least room that is asked for. */
#define LEAST_ROOM 16

List *
list_new (gsize size, GDestroyNotify clear)
{
  List *self = g_new0 (List, 1);

  self->size = size;
  self->clear = clear;
  return self;
}

void
list_free (List *self)
{
  if (self == NULL)
    return;
  list_cut (self, 0);
  g_free (self->data);
  g_free (self);
}

gboolean
list_reserve (List *self, guint count)
{
  guint64 least = (guint64) self->len + count;
  guint64 room = MAX (MAX (least, LEAST_ROOM), 2 * (guint64) self->room);
  char *data = NULL;

  if (least <= self->room)
    return TRUE;
  if (room <= G_MAXUINT)
    data = g_try_realloc_n (self->data, (gsize) room, self->size);
  if (data == NULL) {
    self->is_short = TRUE;
    return FALSE;
  }
  self->data = data;
  self->room = (guint) room;
  return TRUE;
}

void
list_cut (List *self, guint count)
{
  for (guint i = count; self->clear != NULL && i < self->len; i++)
    self->clear (self->data + i * self->size);
  self->len = MIN (self->len, count);
}

void
list_move (List *self, List *from)
{
  if (list_append (self, from->data, from->len))
    from->len = 0;
}

/* Merges two runs that follow each other, of @before and @count - @before
 * values, from @from to @to. */
static void
merge (const char *from, guint before, guint count, gsize size,
       GCompareFunc compare, char *to)
{
  for (guint i = 0, j = before; i < before || j < count; to += size) {
    gboolean first =
      j == count
      || (i < before && compare (from + i * size, from + j * size) <= 0);
    guint next = first ? i++ : j++;

    memcpy (to, from + next * size, size);
  }
}

gboolean
list_sort (List *self, GCompareFunc compare)
{
  char *from = self->data;
  char *to = g_try_malloc_n (MAX (1, self->len), self->size);

  if (to == NULL) {
    self->is_short = TRUE;
    return FALSE;
  }
  for (guint64 run = 1; run < self->len; run *= 2) {
    char *other = from;

    for (guint64 i = 0; i < self->len; i += 2 * run) {
      gsize start = (gsize) i * self->size;

      merge (from + start, (guint) MIN (run, self->len - i),
             (guint) MIN (2 * run, self->len - i), self->size, compare,
             to + start);
    }
    from = to;
    to = other;
  }
  if (from != self->data) {
    self->data = from;
    self->room = self->len;
  }
  g_free (to);
  return TRUE;
}

gboolean
list_check (const List *self, const char *what, GError **error)
{
  if (self->is_short)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory for %s", what);
  return TRUE;
}
