/* denoise.c - remove noise and repair dead pixels */
#include "app/gimp/filter.h"

enum { QUALITY, SIGMA, STRENGTH, GRAIN };

static const char *const qualities[] = { "Fast", "Normal", "Best", NULL };

static const Setting settings[] = {
  [QUALITY] = { .name = "quality",
                .label = "_Quality:",
                .help = "How much time may be spent",
                .type = SETTING_CHOICE,
                .start = 1,
                .choices = qualities },
  [SIGMA] = { .name = "sigma",
              .label = "Noise _level:",
              .help = "Standard deviation of the noise where white is 255; 0 "
                      "measures it",
              .type = SETTING_REAL,
              .max = 255 },
  [STRENGTH] = { .name = "strength",
                 .label = "_Strength:",
                 .help = "Remove that many times the noise that was measured, "
                         "even if it may be texture; 0 removes what is "
                         "certain",
                 .type = SETTING_REAL,
                 .max = 10 },
  [GRAIN] = { .name = "grain",
              .label = "_Grain to keep:",
              .help = "Fraction of the fine grain to keep, where the noise is "
                      "measured",
              .type = SETTING_REAL,
              .max = 1 },
};

static TesseraMask *
dead_pixels (const Job *job, const TesseraImage *image, GError **error)
{
  TesseraFindOptions options = { .size = sizeof options,
                                 .progress = job->progress,
                                 .progress_data = job->progress_data,
                                 .kinds = "dead" };

  return tessera_find_damage (job->context, image, &options, error);
}

static void
choose (const Values *values, TesseraRestoreOptions *options)
{
  options->quality =
    (TesseraQuality) (TESSERA_QUALITY_FAST + (int) values->value[QUALITY]);
  options->sigma = values->value[SIGMA];
  options->noise =
    options->sigma > 0 ? TESSERA_NOISE_GIVEN : TESSERA_NOISE_ESTIMATE;
  options->strength = values->value[STRENGTH];
  options->grain = values->value[GRAIN];
}

static const char *
nothing_done (const TesseraRestoreReport *report)
{
  if (report->noise_kind != TESSERA_NOISE_NONE && !report->noise_is_certain)
    return "What looks like noise may be texture; a strength of 1 removes it";
  return "Found no noise, the layer looks clean; a noise level removes some "
         "all the same";
}

const Filter filter_denoise = {
  .procedure = "plug-in-tessera-denoise",
  .label = "_Remove Noise...",
  .title = "Remove Noise",
  .blurb = "Remove noise and repair dead pixels",
  .help =
    "Measures the noise of the layer, or of the surroundings of the "
    "selection, and removes it.  Dead pixels and pixels of random values "
    "are found and repaired.  Pixels that are not selected stay as they "
    "are.",
  .settings = settings,
  .setting_count = G_N_ELEMENTS (settings),
  .missing = dead_pixels,
  .choose = choose,
  .nothing_done = nothing_done,
};
