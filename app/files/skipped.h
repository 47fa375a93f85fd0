/* skipped.h - pictures that could not be used
 *
 * The first few are named and all are counted.  Whether any picture is usable
 * is known only later: until then the names are kept, since an error is one
 * line.
 */
#pragma once

#include <glib.h>

typedef struct {
  int count;
  char *first;      /* why, or NULL */
  GPtrArray *names; /* char *, still to be named */
} SkippedFiles;

void skipped_files_init (SkippedFiles *self);
void skipped_files_clear (SkippedFiles *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SkippedFiles, skipped_files_clear)

/* One more.  @why may begin with the path. */
void skipped_files_add (SkippedFiles *self, const char *path, const char *why);

/* Names those that were not named yet. */
void skipped_files_print (SkippedFiles *self);

/* Sets @error (INPUT): nothing else was there.  At least one was added. */
void skipped_files_set_error (const SkippedFiles *self, GError **error);
