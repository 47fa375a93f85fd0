/* find.c - find damage and write it as a mask */
#include "app/command.h"
#include "app/mend/repair.h"

static const char about[] =
  "Examples:\n"
  "  tessera find photo.jpg -o mask.png\n"
  "  tessera find photo.jpg --find scratches,dust --find-strength 2 -o mask.png\n"
  "  tessera find scans/ -o masks/ --recursive\n"
  "  tessera restore scans/ --mask masks/ -o restored/ --recursive\n"
  "\n"
  "Finds damage and writes it as a mask: white where something is to be filled,\n"
  "gray where scratches and dust may let the picture shine through.  Look at\n"
  "the mask, edit it, and give it to restore or inpaint with --mask; as it is,\n"
  "it leads to the picture that they make without.";

static gboolean
run (char **argv, GError **error)
{
  MaskSources sources = { 0 };
  const RepairTask task = {
    .about = about,
    .label = "searching",
    .past = "marked",
    .is_search = TRUE,
    .sources = &sources,
    .kinds = "all",
    .none_found = "found no damage; look for fainter damage with "
                  "--find-strength",
  };

  return repair_run (&task, argv, error);
}

const Command command_find = { .name = "find",
                               .summary = "find damage and write it as a mask",
                               .run = run,
                               .is_shared = TRUE };
