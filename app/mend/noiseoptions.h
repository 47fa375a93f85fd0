/* noiseoptions.h - what the user says of noise */
#pragma once

#include "app/cli/commandline.h"
#include "app/mend/repair.h"

/* Adds --sigma, --strength and --noise-out to the options of a
 * command; sets @noise to the defaults, which are to be filled in. */
void noise_add_options (CommandLine *line, NoiseRequest *noise);

/* After parsing: FALSE with @error set (USAGE) if they exclude each other. */
gboolean noise_check_options (const NoiseRequest *noise, GError **error);
