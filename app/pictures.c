#include "app/pictures.h"

#include "base/error.h"
#include "imaging/codec.h"

#include <string.h>

/* Folders in folders: deeper than anybody sorts pictures, and an end to links
 * that lead in a circle. */
#define MOST_LEVELS 16

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Sorted names in @folder, or NULL. */
static GPtrArray *
list_folder (const char *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *names;
  const char *name;

  if (dir == NULL) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: the folder cannot be read", folder);
    return NULL;
  }
  names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (name[0] != '.')
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_name);
  return names;
}

static gboolean
add_folder (GPtrArray *pictures, const char *folder, int level, GError **error)
{
  g_autoptr (GPtrArray) names = list_folder (folder, error);

  if (names == NULL)
    return FALSE;
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
    ImageFormat format;

    if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
      if (level < MOST_LEVELS
          && !add_folder (pictures, path, level + 1, error))
        return FALSE;
    } else if (image_format_from_path (path, &format))
      g_ptr_array_add (pictures, g_steal_pointer (&path));
  }
  return TRUE;
}

GPtrArray *
pictures_find (char **arguments, GError **error)
{
  g_autoptr (GPtrArray) pictures = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; arguments[i] != NULL; i++)
    if (g_file_test (arguments[i], G_FILE_TEST_IS_DIR)) {
      if (!add_folder (pictures, arguments[i], 0, error))
        return NULL;
    } else if (g_file_test (arguments[i], G_FILE_TEST_EXISTS))
      g_ptr_array_add (pictures, g_strdup (arguments[i]));
    else {
      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                   "%s: no such file or folder", arguments[i]);
      return NULL;
    }
  if (pictures->len == 0) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "%s: no PNG or JPEG picture in it", arguments[0]);
    return NULL;
  }
  return g_steal_pointer (&pictures);
}
