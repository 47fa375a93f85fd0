/* skipped.h - pictures that could not be used
 *
 * The first few are named and all are counted.  Whether there is a good one at
 * all shows only later: until then the names are kept, since an error is one
 * line.
 */
#pragma once

#include <glib.h>

typedef struct {
  int count;
  char *first;      /* why, or NULL */
  GPtrArray *names; /* char *, still to be named */
} LeftOut;

void left_out_init (LeftOut *self);
void left_out_clear (LeftOut *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeftOut, left_out_clear)

/* One more.  @why may begin with the path. */
void left_out_add (LeftOut *self, const char *path, const char *why);

/* Names those that were not named yet. */
void left_out_say (LeftOut *self);

/* Sets @error (INPUT): nothing else was there.  At least one was added. */
void left_out_set_error (const LeftOut *self, GError **error);
