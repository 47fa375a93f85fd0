/* exif.h - the first directory of EXIF data */
#pragma once

#include <glib.h>

/* The orientation, 1 .. 8, that the first directory of the TIFF data @exif
 * names; 1, which is upright, when it names none or makes no sense.
 * @exif may be NULL. */
int exif_orientation (GBytes *exif);

/* The tag of the density along x. */
#define EXIF_X_RESOLUTION 0x011a

/* Whether that directory has a field.  @exif may be NULL. */
gboolean exif_has (GBytes *exif, guint32 tag);

/* The place that a field of that directory names; 0 if there is none. */
guint32 exif_place (GBytes *exif, guint32 tag);

/* The text of a field of that directory, for g_free(); NULL if there is
 * none. */
char *exif_text (GBytes *exif, guint32 tag);
