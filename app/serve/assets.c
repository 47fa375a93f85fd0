#include "app/serve/assets.h"

#include "base/embedded.h"

#define FOLDER "/tessera/page"
#define FIRST_PAGE "/index.html"

/* From page.gresource.xml. */
extern GResource *page_get_resource (void);

static const struct {
  const char *ending, *type;
} types[] = {
  { ".html", "text/html; charset=utf-8" },
  { ".css", "text/css; charset=utf-8" },
  { ".js", "text/javascript; charset=utf-8" },
  { ".svg", "image/svg+xml" },
};

GBytes *
asset_find (const char *path, const char **type)
{
  const char *file = g_str_equal (path, "/") ? FIRST_PAGE : path;
  g_autofree char *place = g_strconcat (FOLDER, file, NULL);

  if (g_str_equal (path, FIRST_PAGE)) /* it has one address */
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_has_suffix (file, types[i].ending)) {
      *type = types[i].type;
      return embedded_file (page_get_resource, place);
    }
  return NULL;
}
