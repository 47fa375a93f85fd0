/* assets.h - the files of the page, inside the program */
#pragma once

#include <glib.h>

typedef struct {
  const char *path; /* in an address: "/page.css" */
  const char *type;
  const guint8 *start, *end;
} Asset;

/* NULL if the page has no such file. */
const Asset *asset_find (const char *path);
