/* denoise.c - repair damaged pixels and remove noise */
#include "app/command.h"
#include "app/mend/repair.h"

static const char about[] =
  "Examples:\n"
  "  tessera denoise grainy.png -o clean.png\n"
  "  tessera denoise grainy.png --strength 0.7 --grain 0.2 -o clean.png\n"
  "  tessera denoise grainy.png --sigma 20 --quality best -o clean.png\n"
  "  tessera denoise speckled.png --sigma 0 -o clean.png\n"
  "  tessera denoise scans/ -o clean/ --recursive\n"
  "\n"
  "Repairs dead and random-valued pixels and removes noise.  Damaged pixels\n"
  "are found by how they stand out from their neighbors, unless a mask or a\n"
  "color marks them.  The noise level is estimated unless --sigma gives it.\n"
  "Without noise, or with --sigma 0, undamaged pixels are not changed.";

static gboolean
run (char **argv, GError **error)
{
  MaskSources sources = { 0 };
  NoiseRequest noise = { 0 };
  const Option options[] = {
    { "mask", 'm', "FILE", "repair where this picture is not black",
      option_file, .value = &sources.file, .role = INPUT_FILE },
    { "mask-channels", 0, "NAME",
      "red, green, blue: separate, together or auto", option_choice,
      .value = &sources.colours, .choices = mask_colours },
    { "missing-color", 0, "RRGGBB", "repair pixels of this color",
      option_colour, .value = &sources.colour },
  };
  const RepairTask task = {
    .about = about,
    .label = "repairing",
    .past = "repaired",
    .options = options,
    .option_count = G_N_ELEMENTS (options),
    .sources = &sources,
    .detector = &detector_dead_pixels,
    .none_found = "found no damaged pixels",
    .noise = &noise,
  };

  return repair_run (&task, argv, error);
}

const Command command_denoise = { .name = "denoise",
                                  .summary =
                                    "repair dead pixels and remove noise",
                                  .run = run,
                                  .is_shared = TRUE };
