/* mosaic.h - a dictionary as a picture to look at */
#pragma once

#include "dictlearn/dictionary.h"
#include "imaging/image.h"

/* All atoms as tiles in rows, in the order of the dictionary, with a line of
 * grey between them.  Each is scaled so that its largest entry in size is
 * black or white; zero is grey.  @zoom >= 1 is the side of an entry in pixels.
 * NULL with @error set when there is not enough memory. */
Image *dictionary_mosaic (const Dictionary *dictionary, int zoom,
                          GError **error);
