/* record.c - a record is the description, then lines "output SIZE SHA256":
 * first the new result, then the one that it replaces, if that was ours */
#include "app/batch/record.h"

#include "app/files/files.h"
#include "app/files/folder.h"
#include "app/files/output.h"

#include <string.h>

#define OUTPUT_LINE "output "

char *
record_describe (const BatchItem *item, const char *recipe)
{
  GString *text = g_string_new (recipe);
  const char *const files[] = { item->input, item->mask };
  static const char *const names[] = { "input", "mask" };

  for (int i = 0; i < 2; i++) {
    struct stat info;

    if (files[i] != NULL && stat (files[i], &info) == 0)
      g_string_append_printf (
        text, "%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld\n", names[i],
        (gint64) info.st_size, (gint64) info.st_mtim.tv_sec,
        info.st_mtim.tv_nsec);
  }
  return g_string_free (text, FALSE);
}

static char *
record_path (const char *folder, const BatchItem *item)
{
  g_autofree char *name = g_strconcat (item->name, ".txt", NULL);

  return g_build_filename (folder, RECORD_FOLDER, name, NULL);
}

/* "output SIZE SHA256\n" */
static char *
output_line (GBytes *bytes)
{
  g_autofree char *sum =
    g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);

  return g_strdup_printf (OUTPUT_LINE "%" G_GSIZE_FORMAT " %s\n",
                          g_bytes_get_size (bytes), sum);
}

/* The line for the file that is there, NULL if it cannot be read. */
static char *
existing_line (const BatchItem *item)
{
  g_autoptr (GBytes) bytes = file_read (item->output, NULL);

  return bytes != NULL ? output_line (bytes) : NULL;
}

/* Where the lines of outputs begin, behind the description; or NULL. */
static const char *
find_outputs (const char *text)
{
  const char *end = strstr (text, "\n" OUTPUT_LINE);

  return end != NULL ? end + 1 : NULL;
}

ResultState
record_look_up (const char *folder, const BatchItem *item,
                const char *description)
{
  g_autofree char *path = record_path (folder, item);
  g_autofree char *text = NULL;
  g_autofree char *line = NULL;
  const char *outputs, *found;

  if (!g_file_test (item->output, G_FILE_TEST_EXISTS))
    return RESULT_MISSING;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return RESULT_FOREIGN;
  outputs = find_outputs (text);
  line = existing_line (item);
  found = outputs != NULL && line != NULL ? strstr (outputs, line) : NULL;
  if (found == NULL)
    return RESULT_FOREIGN;
  return found == outputs && g_str_has_prefix (text, description)
             && outputs == text + strlen (description)
           ? RESULT_CURRENT
           : RESULT_OUTDATED;
}

gboolean
record_write (const char *folder, const BatchItem *item,
              const char *description, GBytes *bytes, GError **error)
{
  g_autofree char *path = record_path (folder, item);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *line = output_line (bytes);
  g_autofree char *before = NULL;
  g_autoptr (GBytes) text = NULL;
  char *record;

  if (record_look_up (folder, item, description) == RESULT_OUTDATED)
    before = existing_line (item);
  record = g_strconcat (description, line, before, NULL);
  text = g_bytes_new_take (record, strlen (record));
  return folder_make (parent, error) && output_write (path, text, TRUE, error);
}
