/* machine.h - what the program runs on, for reports */
#pragma once

#include <json-glib/json-glib.h>

/* An object with the version of the program, system, processor, number of
 * cores and of threads in use, and the BLAS.  The caller owns it. */
JsonObject *machine_to_json (void);
