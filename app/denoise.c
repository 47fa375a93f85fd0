/* denoise.c - find damaged pixels and repair them */
#include "app/command.h"
#include "app/interrupt.h"
#include "app/repair.h"
#include "imaging/detect.h"

static const char about[] =
  "Examples:\n"
  "  tessera denoise speckled.png -o clean.png\n"
  "  tessera denoise speckled.png --missing-color 000000 -o clean.png\n"
  "  tessera denoise speckled.png --mask dead.png -o clean.png\n"
  "\n"
  "Repairs dead and random-valued pixels.  They are found by how they stand\n"
  "out from their neighbours, unless a mask or a colour names them.  All\n"
  "other pixels stay as they are.";

static Mask *
find_dead_pixels (const Image *image, GError **error)
{
  const Progress progress = { .cancellable = interrupt_cancellable () };

  return mask_of_dead_pixels (image, &progress, error);
}

gboolean
denoise_run (char **argv, GError **error)
{
  MaskSources sources = { 0 };
  const Option options[] = {
    { "mask", 'm', "FILE", "repair where this picture is not black",
      option_file, .value = &sources.file, .role = INPUT_FILE },
    { "missing-color", 0, "RRGGBB", "repair pixels of this colour",
      option_colour, .value = &sources.colour },
  };
  const RepairTask task = {
    .about = about,
    .label = "repairing",
    .past = "repaired",
    .options = options,
    .option_count = G_N_ELEMENTS (options),
    .sources = &sources,
    .detect = find_dead_pixels,
    .none_found = "found no damaged pixels",
    .reports_sigma = TRUE,
  };

  return repair_run (&task, argv, error);
}
