/* exif.h - the one thing we read from EXIF data: how the picture is turned */
#pragma once

#include <glib.h>

/* The orientation, 1 .. 8, that the first directory of the TIFF data @exif
 * names; 1, which is upright, when it names none or makes no sense.
 * @exif may be NULL. */
int exif_orientation (GBytes *exif);
