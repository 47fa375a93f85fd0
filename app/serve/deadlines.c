#include "app/serve/deadlines.h"

#include <sys/socket.h>

typedef struct {
  int fd;
  gint64 end; /* microseconds */
} Deadline;

struct Deadlines {
  GMutex lock;
  GHashTable *table; /* connection -> Deadline */
};

Deadlines *
deadlines_new (void)
{
  Deadlines *self = g_new0 (Deadlines, 1);

  g_mutex_init (&self->lock);
  self->table = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return self;
}

void
deadlines_free (Deadlines *self)
{
  g_hash_table_unref (self->table);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
deadlines_set (Deadlines *self, gconstpointer key, int fd, int seconds)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  Deadline *deadline = g_new (Deadline, 1);

  *deadline = (Deadline){ fd, g_get_monotonic_time ()
                                + (gint64) seconds * G_USEC_PER_SEC };
  g_hash_table_insert (self->table, (gpointer) key, deadline);
}

void
deadlines_remove (Deadlines *self, gconstpointer key)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  g_hash_table_remove (self->table, key);
}

void
deadlines_enforce (Deadlines *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  gint64 now = g_get_monotonic_time ();
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Deadline *deadline = value;

    /* Whoever serves the connection sees its end and closes it. */
    if (deadline->end < now)
      shutdown (deadline->fd, SHUT_RDWR);
  }
}
