#include "app/serve/browser.h"

static gboolean
has_desktop (void)
{
  return g_getenv ("DISPLAY") != NULL || g_getenv ("WAYLAND_DISPLAY") != NULL;
}

/* Writes a page that leads to @address and returns where it is, or NULL. */
static char *
write_redirect (WorkFolder *folder, const char *address)
{
  g_autofree char *path = work_folder_new_path (folder, ".html");
  g_autofree char *page = g_strdup_printf (
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"referrer\" content=\"no-referrer\">\n"
    "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n"
    "<title>Tessera</title>\n"
    "<p><a href=\"%s\">Open Tessera</a></p>\n",
    address, address);

  if (!g_file_set_contents_full (path, page, -1,
                                 G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL))
    return NULL;
  return g_filename_to_uri (path, NULL, NULL);
}

void
browser_open (WorkFolder *folder, const char *address)
{
  g_autofree char *page =
    has_desktop () ? write_redirect (folder, address) : NULL;
  const char *argv[] = { "xdg-open", page, NULL };

  if (page != NULL)
    g_spawn_async (NULL, (char **) argv, NULL,
                   G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL
                     | G_SPAWN_STDERR_TO_DEV_NULL,
                   NULL, NULL, NULL, NULL);
}
