/* heal.c - fill what is selected */
#include "app/gimp/filter.h"
#include "app/gimp/selection.h"

enum { QUALITY, FILL, SEE_THROUGH, SEED };

static const char *const qualities[] = { "Fast", "Normal", "Best", NULL };
static const char *const fills[] = { "Automatic", "Smooth", "Texture", NULL };

static const Setting settings[] = {
  [QUALITY] = { .name = "quality",
                .label = "_Quality:",
                .help = "How much time may be spent",
                .type = SETTING_CHOICE,
                .start = 1,
                .choices = qualities },
  [FILL] = { .name = "fill",
             .label = "_Large holes:",
             .help = "What fills large holes",
             .type = SETTING_CHOICE,
             .choices = fills },
  [SEE_THROUGH] = { .name = "see-through",
                    .label = "Use what _shines through",
                    .help = "The selection is of half-opaque marks or stains",
                    .type = SETTING_FLAG },
  [SEED] = { .name = "seed",
             .label = "_Another fill:",
             .help = "Another number leads to another fill of large holes",
             .type = SETTING_WHOLE,
             .max = 1000 },
};

static TesseraMask *
selected (const Job *job, const TesseraImage *image, GError **error)
{
  (void) image;
  return selection_read (job->drawable, &job->part, error);
}

static void
choose (const Values *values, TesseraRestoreOptions *options)
{
  options->quality =
    (TesseraQuality) (TESSERA_QUALITY_FAST + (int) values->value[QUALITY]);
  options->fill = (TesseraFill) (int) values->value[FILL];
  options->see_through = (int) values->value[SEE_THROUGH];
  options->seed = (uint64_t) values->value[SEED];
}

static const char *
nothing_done (const TesseraRestoreReport *report)
{
  (void) report;
  return "Nothing of the layer is selected";
}

const Filter filter_heal = {
  .procedure = "plug-in-tessera-heal",
  .label = "_Heal Selection...",
  .title = "Heal Selection",
  .blurb = "Fill the selected pixels with what fits their surroundings",
  .help = "Fills scratches, stains and holes: select them first, by hand or "
          "with Find Damage.  The selected pixels have no influence on the "
          "result unless what shines through is used.  Pixels that are not "
          "selected stay as they are.",
  .settings = settings,
  .setting_count = G_N_ELEMENTS (settings),
  .needs_selection = TRUE,
  .missing = selected,
  .choose = choose,
  .nothing_done = nothing_done,
};
