/* noisewords.h - descriptions of the noise of a picture */
#pragma once

#include "imaging/detect/findnoise.h"

#include <json-glib/json-glib.h>

/* What was found, as "grain of about 7 levels in the mid tones, 4 in the
 * shadows"; the caller owns it. */
char *noise_in_words (const FoundNoise *noise);

/* The same for programs: kind, whether it is sure, level by brightness and how
 * much neighbours share.  The caller owns it. */
JsonObject *noise_to_json (const FoundNoise *noise);
