/* assets.h - the files of the page, inside the program
 *
 * They are listed in page/page.gresource.xml.
 */
#pragma once

#include <gio/gio.h>

/* The bytes of the file at @path of an address, as in "/page.css", and its
 * type; "/" is the page itself.  The caller owns the bytes, which are NULL if
 * the page has no such file. */
GBytes *asset_find (const char *path, const char **type);
