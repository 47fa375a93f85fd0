/* find.c - select what is damaged */
#include "app/gimp/filter.h"

enum { KINDS, STRENGTH, OPERATION };

static const char *const operations[] = {
  "Replace the selection", "Add to the selection",
  "Subtract from the selection", "Intersect with the selection", NULL
};

static const Setting settings[] = {
  [KINDS] = { .name = "kinds",
              .label = "Damage:",
              .help = "Kinds of damage to look for",
              .type = SETTING_KINDS },
  [STRENGTH] = { .name = "strength",
                 .label = "_Strength:",
                 .help = "Find more damage (above 1) or less (below 1)",
                 .type = SETTING_REAL,
                 .start = 1,
                 .min = 0.25,
                 .max = 4 },
  [OPERATION] = { .name = "operation",
                  .label = "_Result:",
                  .help = "What becomes of the selection",
                  .type = SETTING_CHOICE,
                  .choices = operations },
};

static TesseraMask *
find (const Job *job, const TesseraImage *image, GError **error)
{
  g_autofree char *kinds = kinds_to_text (job->values->value[KINDS]);
  TesseraFindOptions options = { .size = sizeof options,
                                 .progress = job->progress,
                                 .progress_data = job->progress_data,
                                 .kinds = kinds,
                                 .strength = job->values->value[STRENGTH] };

  return tessera_find_damage (job->context, image, &options, error);
}

static GimpChannelOps
operation (const Values *values)
{
  static const GimpChannelOps ops[] = { GIMP_CHANNEL_OP_REPLACE,
                                        GIMP_CHANNEL_OP_ADD,
                                        GIMP_CHANNEL_OP_SUBTRACT,
                                        GIMP_CHANNEL_OP_INTERSECT };

  return ops[(int) values->value[OPERATION]];
}

static const char *
nothing_done (const TesseraRestoreReport *report)
{
  (void) report;
  return "Found no damage; a higher strength finds fainter damage";
}

const Filter filter_find = {
  .procedure = "plug-in-tessera-find",
  .label = "_Find Damage...",
  .title = "Find Damage",
  .blurb = "Select scratches, dust and other damage",
  .help =
    "Looks for scratches, cracks, dust, stamps, torn corners, blacked-out "
    "blocks and dead pixels in the layer, and selects them.  Look at the "
    "selection, change it, and fill it with Heal Selection.",
  .settings = settings,
  .setting_count = G_N_ELEMENTS (settings),
  .missing = find,
  .operation = operation,
  .nothing_done = nothing_done,
};
