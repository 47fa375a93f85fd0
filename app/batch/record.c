/* record.c - a record is the description, then lines "output SIZE SHA256":
 * first the new result, then the one that it replaces, if that was ours */
#include "app/batch/record.h"

#include "app/files/files.h"
#include "app/files/folder.h"
#include "app/files/output.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define OUTPUT_LINE "output "
#define ENDING ".txt"
#define OTHER_CASE ".TESSERA" /* RECORD_FOLDER, where case does not count */

/* Far more than any has: a few lines of options, and some lines of outputs. */
#define LARGEST_RECORD ((off_t) 1 << 20)

void
found_result_clear (FoundResult *found)
{
  g_clear_pointer (&found->line, g_free);
}

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

/* ---- where records are ---- */

typedef struct {
  int folder; /* descriptor; -1 if it cannot be opened */
  char *name, *path;
} RecordPlace;

static void
record_place_clear (RecordPlace *place)
{
  if (place->folder >= 0)
    close (place->folder);
  g_free (place->name);
  g_free (place->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RecordPlace, record_place_clear)

gboolean
record_folder_ignores_case (const char *folder)
{
  int root = folder_open (folder, NULL);
  int records =
    folder_open_below (folder, RECORD_FOLDER, FOLDER_IS_MADE, NULL);
  struct stat one, other;
  gboolean same = root >= 0 && records >= 0 && fstat (records, &one) == 0
                  && fstatat (root, OTHER_CASE, &other, 0) == 0
                  && one.st_dev == other.st_dev && one.st_ino == other.st_ino;

  if (records >= 0)
    close (records);
  if (root >= 0)
    close (root);
  return same;
}

/* The name of the record for a result called @name.  One that leaves no room
 * for the ending is replaced by its checksum. */
static char *
name_of_record (const char *name)
{
  g_autofree char *sum = NULL;

  if (strlen (name) + strlen (ENDING) > NAME_MAX)
    sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, name, -1);
  return g_strconcat (sum != NULL ? sum : name, ENDING, NULL);
}

/* Finds the record of @item.  Whoever gives us a folder may have put anything
 * below ".tessera": no link there is followed. */
static RecordPlace
find_record (const char *folder, const BatchItem *item, FolderNeed need,
             GError **error)
{
  g_autofree char *name = g_build_filename (RECORD_FOLDER, item->name, NULL);
  g_autofree char *inner = g_path_get_dirname (name);
  g_autofree char *base = g_path_get_basename (name);
  RecordPlace place = { .name = name_of_record (base) };

  place.path = g_build_filename (folder, inner, place.name, NULL);
  place.folder = folder_open_below (folder, inner, need, error);
  return place;
}

/* The text of a record, or NULL for want of one. */
static char *
read_record (const char *folder, const BatchItem *item)
{
  g_auto (RecordPlace) place =
    find_record (folder, item, FOLDER_MUST_EXIST, NULL);
  g_autoptr (GBytes) bytes = NULL;
  struct stat info;
  int fd = place.folder >= 0
             ? file_open_plain (place.folder, place.name, &info)
             : -1;

  if (fd < 0)
    return NULL;
  if (info.st_size <= LARGEST_RECORD)
    bytes = descriptor_read (fd, NULL);
  close (fd);
  return bytes != NULL ? g_strndup (g_bytes_get_data (bytes, NULL),
                                    g_bytes_get_size (bytes))
                       : NULL;
}

/* ---- what they say ---- */

/* "output SIZE SHA256\n" */
static char *
output_line (GBytes *bytes)
{
  g_autofree char *sum =
    g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);

  return g_strdup_printf (OUTPUT_LINE "%" G_GSIZE_FORMAT " %s\n",
                          g_bytes_get_size (bytes), sum);
}

/* Whether @line is one of the lines of @text, but not its first. */
static gboolean
has_line (const char *text, const char *line)
{
  const char *at = text;

  while ((at = strchr (at, '\n')) != NULL)
    if (g_str_has_prefix (++at, line))
      return TRUE;
  return FALSE;
}

/* What the record @text makes of a result with this line. */
static ResultState
judge (const char *text, const char *description, const char *line)
{
  if (g_str_has_prefix (text, description)
      && g_str_has_prefix (text + strlen (description), line))
    return RESULT_CURRENT;
  return has_line (text, line) ? RESULT_OUTDATED : RESULT_FOREIGN;
}

/* ---- results ---- */

/* What is there, by name alone: RESULT_FOREIGN for a file. */
static ResultState
look_at_name (const BatchItem *item)
{
  struct stat info;

  if (lstat (item->output, &info) != 0)
    return RESULT_MISSING;
  return S_ISLNK (info.st_mode) ? RESULT_LINKED : RESULT_FOREIGN;
}

/* Describes the file that is there.  FALSE if that is none that we have made,
 * or cannot be read; found->state then says RESULT_LINKED where a link is on
 * the way to it. */
static gboolean
read_result (const char *folder, const BatchItem *item, FoundResult *found)
{
  g_autofree char *inner = g_path_get_dirname (item->name);
  g_autofree char *base = g_path_get_basename (item->name);
  g_autoptr (GBytes) bytes = NULL;
  int parent = folder_open_below (folder, inner, FOLDER_MUST_EXIST, NULL);
  int fd;

  if (parent < 0) {
    found->state = RESULT_LINKED;
    return FALSE;
  }
  fd = file_open_plain (parent, base, &found->file);
  close (parent);
  if (fd < 0)
    return FALSE;
  bytes = descriptor_read (fd, NULL);
  close (fd);
  if (bytes == NULL)
    return FALSE;
  found->line = output_line (bytes);
  return TRUE;
}

void
record_look_up (const char *folder, const BatchItem *item,
                const char *description, FoundResult *found)
{
  g_autofree char *text = NULL;

  *found = (FoundResult){ .state = look_at_name (item) };
  if (found->state == RESULT_FOREIGN && read_result (folder, item, found)) {
    text = read_record (folder, item);
    if (text != NULL)
      found->state = judge (text, description, found->line);
  }
}

gboolean
record_write (const char *folder, const BatchItem *item,
              const char *description, GBytes *bytes,
              const FoundResult *found, GError **error)
{
  g_auto (RecordPlace) place =
    find_record (folder, item, FOLDER_IS_MADE, error);
  g_autofree char *line = output_line (bytes);
  g_autoptr (GBytes) text = NULL;
  char *record;

  if (place.folder < 0)
    return FALSE;
  record = g_strconcat (
    description, line,
    found->state == RESULT_OUTDATED ? found->line : NULL, NULL);
  text = g_bytes_new_take (record, strlen (record));
  return output_write_at (&(OutputPlace){ .folder = place.folder,
                                          .name = place.name,
                                          .path = place.path,
                                          .mode = REPLACE_EXISTING },
                          text, error);
}
