#include "app/serve/assets.h"

/* Each file as it is, put between two symbols by the assembler. */
#define EMBED(symbol, file)                                                   \
  __asm__(".pushsection .rodata\n"                                            \
          "tessera_page_" #symbol "_start:\n"                                 \
          ".incbin \"app/serve/page/" file "\"\n"                             \
          "tessera_page_" #symbol "_end:\n"                                   \
          ".byte 0\n"                                                         \
          ".popsection\n");                                                   \
  extern const guint8 tessera_page_##symbol##_start[],                        \
    tessera_page_##symbol##_end[]

#define ASSET(symbol, path, type)                                             \
  {                                                                           \
    path, type, tessera_page_##symbol##_start, tessera_page_##symbol##_end    \
  }

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"

EMBED (index, "index.html");
EMBED (icon, "icon.svg");
EMBED (style, "page.css");
EMBED (main, "main.js");
EMBED (api, "api.js");
EMBED (compare, "compare.js");
EMBED (desk, "desk.js");
EMBED (history, "history.js");
EMBED (mask, "mask.js");
EMBED (mend, "mend.js");
EMBED (painting, "painting.js");
EMBED (pointer, "pointer.js");
EMBED (strip, "strip.js");
EMBED (ui, "ui.js");
EMBED (view, "view.js");

static const Asset assets[] = {
  ASSET (index, "/", HTML),
  ASSET (icon, "/icon.svg", "image/svg+xml"),
  ASSET (style, "/page.css", CSS),
  ASSET (main, "/main.js", SCRIPT),
  ASSET (api, "/api.js", SCRIPT),
  ASSET (compare, "/compare.js", SCRIPT),
  ASSET (desk, "/desk.js", SCRIPT),
  ASSET (history, "/history.js", SCRIPT),
  ASSET (mask, "/mask.js", SCRIPT),
  ASSET (mend, "/mend.js", SCRIPT),
  ASSET (painting, "/painting.js", SCRIPT),
  ASSET (pointer, "/pointer.js", SCRIPT),
  ASSET (strip, "/strip.js", SCRIPT),
  ASSET (ui, "/ui.js", SCRIPT),
  ASSET (view, "/view.js", SCRIPT),
};

const Asset *
asset_find (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (assets); i++)
    if (g_str_equal (path, assets[i].path))
      return &assets[i];
  return NULL;
}
