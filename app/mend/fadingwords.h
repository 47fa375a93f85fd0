/* fadingwords.h - descriptions of what was done about fading */
#pragma once

#include "imaging/fading.h"

#include <json-glib/json-glib.h>

/* What was brought back: "contrast and colors"; NULL for nothing. */
const char *fading_in_words (const FoundFading *found);

/* The same for programs: span, strength, toned, changed.  The caller owns
 * it. */
JsonObject *fading_to_json (const FoundFading *found);
