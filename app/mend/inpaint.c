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
  "same size, a color, transparency, or several of these.  Without any,\n"
  "damage of all kinds is found: scratches, dust, stamps, torn corners,\n"
  "blacked-out blocks, dead pixels.  All other pixels are kept, bit for bit\n"
  "in a PNG.";

static gboolean
run (char **argv, GError **error)
{
  MaskSources sources = { 0 };
  const RepairTask task = {
    .about = about,
    .label = "filling",
    .past = "filled",
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
