/* savephoto.h - the file of a restored photograph */
#pragma once

#include "app/serve/photo.h"

/* Version @number of @photo in the format of its file; of it only @area,
 * unless that is all.  Where nothing has changed that is the file itself; a
 * JPEG keeps the blocks without a changed pixel, unless most of them have one.
 * NULL with @error set: INPUT when there is no such version, MEMORY. */
GBytes *photo_save (Photo *photo, int number, const ImageArea *area,
                    GError **error);
