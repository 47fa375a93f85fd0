/* profile.h - colour profiles, as far as files of pictures care
 *
 * A profile begins with its size.  Formats count its bytes too, and where the
 * two disagree, some readers refuse the whole file.
 */
#pragma once

#include "imaging/image.h"

enum { PROFILE_HEADER_SIZE = 128 }; /* no profile is shorter */

/* The size that a profile of at least 4 bytes claims to have. */
gsize profile_size (const guint8 *data);

/* Takes @data, which is used up and may be NULL, as the profile of a picture:
 * as many bytes as it says.  If it says more than there are, or less than a
 * header, it is left out, and FALSE returned. */
gboolean profile_set (ImageMeta *meta, GBytes *data);

/* Leaves a profile out and says so. */
void profile_leave_out (ImageMeta *meta);
