/* restore.c - find damage, fill it and remove noise, in one go */
#include "app/command.h"
#include "app/mend/repair.h"

static const char about[] =
  "Examples:\n"
  "  tessera restore photo.jpg -o restored.png\n"
  "  tessera restore scans/ -o restored/ --recursive\n"
  "  tessera restore photo.jpg --no-noise -o restored.jpg --mask-out "
  "found.png\n"
  "  tessera restore faded.jpg --fading -o restored.jpg\n"
  "  tessera restore photo.jpg --mask edited.png --strength 0.7 -o "
  "restored.png\n"
  "\n"
  "Finds scratches, dust, stains, torn corners and other damage and fills "
  "it,\n"
  "and removes noise where there certainly is any.  A mask, a color or\n"
  "transparency may mark what to fill instead; \"tessera find\" shows the\n"
  "damage without filling it.  Without noise to remove, all other pixels are\n"
  "kept, bit for bit in a PNG.  --fading brings back contrast and neutral "
  "colors\n"
  "of a faded picture; sepia keeps its tone unless it is \"--fading neutral\".";

static gboolean
run (char **argv, GError **error)
{
  MaskSources sources = { 0 };
  NoiseRequest noise = { 0 };
  int fading = -1;
  const Option options[] = {
    { "no-damage", 0, NULL, "look for no damage: remove noise only",
      option_flag, .value = &sources.nothing },
    { "no-noise", 0, NULL, "leave noise alone: fill damage only", option_flag,
      .value = &noise.keep },
    { "fading", 0, "NAME",
      "bring back faded colors: auto, neutral, always",
      option_choice, .value = &fading, .choices = fading_mode_names,
      .may_be_bare = TRUE },
  };
  const RepairTask task = {
    .about = about,
    .label = "restoring",
    .past = "filled",
    .options = options,
    .option_count = G_N_ELEMENTS (options),
    .sources = &sources,
    .kinds = "all",
    .none_found = "found no damage",
    .fill_grain = 1,
    .noise = &noise,
    .fading = &fading,
  };

  return repair_run (&task, argv, error);
}

const Command command_restore = { .name = "restore",
                                  .summary =
                                    "find damage, fill it and remove noise",
                                  .run = run,
                                  .is_shared = TRUE };
