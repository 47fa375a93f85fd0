#include "app/mend/noiseoptions.h"

#include "app/files/picturefile.h"
#include "base/error.h"

void
noise_add_options (CommandLine *line, NoiseRequest *noise)
{
  const Option rows[] = {
    { "sigma", 0, "S", "noise level where white is 255; 0: none", option_real,
      .value = &noise->sigma, .min = 0, .max = SIGMA_MAX },
    { "strength", 0, "F", "remove F times the noise found, even if uncertain",
      option_real, .value = &noise->strength, .min = 0.1, .max = 10 },
    { "noise-out", 0, "FILE",
      "also write the removed noise, amplified 4 times", picture_option_output,
      .value = &noise->output, .role = OUTPUT_FILE },
  };

  noise->sigma = SIGMA_UNKNOWN;
  command_line_add (line, rows, G_N_ELEMENTS (rows));
}

gboolean
noise_check_options (const NoiseRequest *noise, GError **error)
{
  return !noise->keep
         || (noise->sigma < 0 && noise->strength <= 0
             && noise->output == NULL)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "--no-noise excludes --sigma, --strength and "
                          "--noise-out");
}
