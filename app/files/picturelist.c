#include "app/files/picturelist.h"

#include "app/cli/terminal.h"
#include "app/files/folder.h"
#include "app/files/identity.h"
#include "base/error.h"
#include "imaging/codec/codec.h"

#include <string.h>
#include <sys/stat.h>

/* Folders in folders: deeper than any collection of pictures. */
#define MOST_LEVELS 64

typedef struct {
  GPtrArray *pictures;
  GHashTable *seen; /* files and folders, since links may lead in a circle */
} Search;

static gboolean
is_one_of (const char *name, const char *const *words)
{
  for (int i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (name, words[i]) == 0)
      return TRUE;
  return FALSE;
}

/* Sets for colouring have each picture twice, in the folders "color" and
 * "gray".  Learning from one and testing with the other would leak the
 * answer. */
static gboolean
is_grey_twin (const GPtrArray *names, const char *name)
{
  static const char *const grey[] = { "gray", "grey", NULL };
  static const char *const colour[] = { "color", "colour", NULL };

  for (guint i = 0; is_one_of (name, grey) && i < names->len; i++)
    if (is_one_of (names->pdata[i], colour))
      return TRUE;
  return FALSE;
}

static gboolean
add_folder (Search *search, const char *folder, int level, GError **error)
{
  g_autoptr (GPtrArray) names = folder_names (folder);

  if (names == NULL)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "%s: the folder cannot be read", folder);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
    g_autoptr (GError) unreadable = NULL;
    TesseraFormat format;
    struct stat info;

    if (stat (path, &info) != 0)
      continue;
    if (S_ISDIR (info.st_mode) && is_grey_twin (names, names->pdata[i]))
      terminal_note (
        "skipped: %s: gray copies of the color pictures next to it", path);
    else if (S_ISDIR (info.st_mode)) {
      if (level < MOST_LEVELS && identity_add (search->seen, &info)
          && !add_folder (search, path, level + 1, &unreadable))
        terminal_note ("skipped: %s", unreadable->message);
    } else if (S_ISREG (info.st_mode) && image_format_from_path (path, &format)
               && identity_add (search->seen, &info))
      g_ptr_array_add (search->pictures, g_steal_pointer (&path));
  }
  return TRUE;
}

static gboolean
add_argument (Search *search, const char *path, GError **error)
{
  struct stat info;

  if (stat (path, &info) != 0) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: no such file or folder", path);
    return FALSE;
  }
  if (!identity_add (search->seen, &info))
    return TRUE;
  if (S_ISDIR (info.st_mode))
    return add_folder (search, path, 0, error);
  g_ptr_array_add (search->pictures, g_strdup (path));
  return TRUE;
}

GPtrArray *
picture_list_find (char **arguments, GError **error)
{
  g_autoptr (GPtrArray) pictures = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) seen = identities_new ();
  Search search = { pictures, seen };

  for (int i = 0; arguments[i] != NULL; i++)
    if (!add_argument (&search, arguments[i], error))
      return NULL;
  if (pictures->len == 0) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: no %s picture in it", arguments[0],
                 image_format_list ());
    return NULL;
  }
  return g_steal_pointer (&pictures);
}
