#include "app/serve/deadlines.h"

#include <sys/socket.h>

typedef struct {
  int fd;
  gint64 end;      /* microseconds */
  guint64 arrival; /* number of a stranger, in their order; 0 for others */
} Deadline;

struct Deadlines {
  GMutex lock;
  GHashTable *table; /* connection -> Deadline */
  guint64 arrivals;
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

/* Needs the lock. */
static Deadline *
insert (Deadlines *self, gconstpointer key, int fd, int seconds)
{
  Deadline *deadline = g_new (Deadline, 1);

  *deadline = (Deadline){ .fd = fd,
                          .end = g_get_monotonic_time ()
                                 + (gint64) seconds * G_USEC_PER_SEC };
  g_hash_table_insert (self->table, (gpointer) key, deadline);
  return deadline;
}

void
deadlines_set (Deadlines *self, gconstpointer key, int fd, int seconds)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);

  insert (self, key, fd, seconds);
}

/* Cuts the first stranger if there are more than @most.  Needs the lock. */
static void
cut_first_stranger (Deadlines *self, guint most)
{
  GHashTableIter iter;
  gpointer value;
  Deadline *first = NULL;
  guint count = 0;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Deadline *deadline = value;

    if (deadline->arrival == 0)
      continue;
    count++;
    if (first == NULL || deadline->arrival < first->arrival)
      first = deadline;
  }
  if (count <= most)
    return;
  shutdown (first->fd, SHUT_RDWR);
  first->arrival = 0; /* is as good as gone */
}

void
deadlines_set_stranger (Deadlines *self, gconstpointer key, int fd,
                        int seconds, guint most)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
    g_mutex_locker_new (&self->lock);
  const Deadline *before = g_hash_table_lookup (self->table, key);
  guint64 arrival = before != NULL ? before->arrival : 0;

  insert (self, key, fd, seconds)->arrival =
    arrival != 0 ? arrival : ++self->arrivals;
  cut_first_stranger (self, most);
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
