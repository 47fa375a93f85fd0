/* inpaint.c - fill the pixels that a mask names */
#include "app/command.h"
#include "app/mend/repair.h"

static const char about[] =
  "Examples:\n"
  "  tessera inpaint photo.png --mask mask.png -o mended.png\n"
  "  tessera inpaint photo.png --mask stain.png --see-through -o mended.png\n"
  "  tessera inpaint photo.png --mask-color ff00ff -o mended.png\n"
  "  tessera inpaint cutout.png --mask-alpha -o filled.png\n"
  "  tessera inpaint old.png -o mended.png --mask-out found.png\n"
  "  tessera inpaint old.png --find scratches,border -o mended.png\n"
  "  tessera inpaint *.png --mask marks/ -o mended/\n"
  "  curl -s URL | tessera inpaint - --mask mask.png -o - > mended.png\n"
  "\n"
  "Fills the marked pixels of a picture.  They are marked by a mask of the\n"
  "same size, a colour, transparency, or several of these.  Without any,\n"
  "damage of all kinds is found: scratches, dust, stamps, torn corners,\n"
  "blacked-out blocks, dead pixels.  All other pixels are kept, bit for bit\n"
  "in a PNG.";

static gboolean
run (char **argv, GError **error)
{
  MaskSources sources = { .strength = 1 };
  const Option options[] = {
    { "mask", 'm', "FILE", "fill where this picture is not black", option_file,
      .value = &sources.file, .role = INPUT_FILE },
    { "mask-channels", 0, "NAME",
      "red, green, blue: separate, together or auto", option_choice,
      .value = &sources.colours, .choices = mask_colours },
    { "mask-color", 0, "RRGGBB", "fill pixels of this colour", option_colour,
      .value = &sources.colour },
    { "mask-alpha", 0, NULL, "fill fully transparent pixels", option_flag,
      .value = &sources.transparent },
    { "see-through", 0, NULL,
      "the mask is of half-opaque marks or stains", option_flag,
      .value = &sources.see_through },
    { "find", 0, "KINDS", "find damage: all, or scratches,dust,border,...",
      option_kinds, .value = &sources.kinds,
      .choices = repair_kind_names () },
    { "find-strength", 0, "F", "find more damage (above 1) or less (below; 1)",
      option_real, .value = &sources.strength, .min = FIND_STRENGTH_MIN,
      .max = FIND_STRENGTH_MAX },
  };
  const RepairTask task = {
    .about = about,
    .label = "filling",
    .past = "filled",
    .options = options,
    .option_count = G_N_ELEMENTS (options),
    .sources = &sources,
    .kinds = "all",
    .none_found = "found no damage; mark what to fill with --mask, "
                  "--mask-color or --mask-alpha, or look for fainter damage "
                  "with --find-strength",
  };

  return repair_run (&task, argv, error);
}

const Command command_inpaint = { .name = "inpaint",
                                  .summary =
                                    "fill the missing parts of a picture",
                                  .run = run,
                                  .is_shared = TRUE };
