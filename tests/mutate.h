/* mutate.h - hostile files, made from good ones
 *
 * The same seed and number give the same file on every machine, so a failure
 * is named by them.
 */
#pragma once

#include <glib.h>

/* Changes @file in one to four ways, mostly one: bits are flipped, numbers
 * replaced by those that overflow, pieces removed, repeated, swapped and
 * invented, and some files end early.  Half of the changes hit the first 256
 * bytes. */
void mutate (GByteArray *file, guint64 seed, guint64 number);

/* Makes the checksums of the chunks of a PNG right, so that what was changed
 * is looked at.  Does nothing to other files. */
void mutate_repair_png (guint8 *data, gsize size);
