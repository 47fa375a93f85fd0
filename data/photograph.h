/* photograph.h - pictures of the programs that prepare data */
#pragma once

#include "imaging/image.h"

Image *photograph_read (const char *path, GError **error);

/* At half the size: every 2 x 2 square becomes its average, rounded half up,
 * each colour by itself. */
Image *photograph_halve (const Image *image, GError **error);
