#include "app/files/skipped.h"

#include "app/cli/terminal.h"
#include "base/error.h"

/* Pictures that are named; more are only counted. */
#define MOST_NAMED 5

void
skipped_files_init (SkippedFiles *self)
{
  *self = (SkippedFiles){ .names = g_ptr_array_new_with_free_func (g_free) };
}

void
skipped_files_clear (SkippedFiles *self)
{
  g_clear_pointer (&self->names, g_ptr_array_unref);
  g_clear_pointer (&self->first, g_free);
}

void
skipped_files_add (SkippedFiles *self, const char *path, const char *why)
{
  g_autofree char *text = g_str_has_prefix (why, path)
                            ? g_strdup (why)
                            : g_strdup_printf ("%s: %s", path, why);

  if (self->count++ == 0)
    self->first = g_strdup (text);
  if (self->count <= MOST_NAMED)
    g_ptr_array_add (self->names, g_steal_pointer (&text));
}

void
skipped_files_print (SkippedFiles *self)
{
  for (guint i = 0; i < self->names->len; i++)
    terminal_note ("skipped: %s", (char *) self->names->pdata[i]);
  g_ptr_array_set_size (self->names, 0);
}

void
skipped_files_set_error (const SkippedFiles *self, GError **error)
{
  if (self->count == 1)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         self->first);
  else
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "none of the %d pictures can be used; the first one: %s",
                 self->count, self->first);
}
