/* version.h - the version of the program and of what it is made with */
#pragma once

#include <glib.h>

/* Prints them to standard output. */
gboolean version_show (GError **error);
