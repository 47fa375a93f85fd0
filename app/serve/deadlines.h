/* deadlines.h - connections that take too long are cut
 *
 * A client that sends a byte now and then is never idle, and would hold its
 * connection for ever.  So each gets a deadline.  Strangers, who have not
 * shown the key, get only a few connections: those that wait longest are cut
 * first, since honest clients send at once.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include <glib.h>

typedef struct Deadlines Deadlines;

Deadlines *deadlines_new (void);
void deadlines_free (Deadlines *self);

/* Gives the connection named by @key, with its socket @fd, so many seconds
 * from now. */
void deadlines_set (Deadlines *self, gconstpointer key, int fd, int seconds);

/* The same for a stranger.  If there are more than @most of them, the one that
 * was first is cut. */
void deadlines_set_stranger (Deadlines *self, gconstpointer key, int fd,
                             int seconds, guint most);

/* Call it before the socket is closed. */
void deadlines_remove (Deadlines *self, gconstpointer key);

/* Shuts down the sockets whose time is over.  Call it regularly. */
void deadlines_enforce (Deadlines *self);
