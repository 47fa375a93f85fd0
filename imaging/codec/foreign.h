/* foreign.h - formats that we do not read, and what converts them */
#pragma once

#include <glib.h>

/* For a file that no codec reads: "a HEIC picture; convert it first, for
 * example with heif-convert".  NULL if nobody would take it for a picture. */
const char *foreign_describe (const guint8 *data, gsize size);
