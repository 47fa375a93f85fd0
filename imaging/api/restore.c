#include "imaging/restore.h"

#include "imaging/api/api.h"

static gboolean
choose_quality (TesseraQuality wanted, RestoreQuality *quality, GError **error)
{
  switch (wanted) {
  case TESSERA_QUALITY_FAST:
    *quality = QUALITY_FAST;
    return TRUE;
  case TESSERA_QUALITY_NORMAL:
    *quality = QUALITY_NORMAL;
    return TRUE;
  case TESSERA_QUALITY_BEST:
    *quality = QUALITY_BEST;
    return TRUE;
  }
  return tessera_fail (error, TESSERA_ERROR_USAGE, "there is no quality %d",
                       (int) wanted);
}

static gboolean
choose_fill (TesseraFill wanted, ThickFill *fill, GError **error)
{
  switch (wanted) {
  case TESSERA_FILL_AUTO:
    *fill = FILL_AUTO;
    return TRUE;
  case TESSERA_FILL_SMOOTH:
    *fill = FILL_SMOOTH;
    return TRUE;
  case TESSERA_FILL_TEXTURE:
    *fill = FILL_TEXTURE;
    return TRUE;
  }
  return tessera_fail (error, TESSERA_ERROR_USAGE, "there is no fill %d",
                       (int) wanted);
}

static gboolean
choose_fading (TesseraFading wanted, FadingMode *mode, GError **error)
{
  switch (wanted) {
  case TESSERA_FADING_KEEP:
    *mode = FADING_KEEP;
    return TRUE;
  case TESSERA_FADING_AUTO:
    *mode = FADING_AUTO;
    return TRUE;
  case TESSERA_FADING_NEUTRAL:
    *mode = FADING_NEUTRAL;
    return TRUE;
  case TESSERA_FADING_ALWAYS:
    *mode = FADING_ALWAYS;
    return TRUE;
  }
  return tessera_fail (error, TESSERA_ERROR_USAGE,
                       "there is no way %d to treat fading", (int) wanted);
}

static gboolean
choose_sigma (const TesseraRestoreOptions *o, double *sigma, GError **error)
{
  switch (o->noise) {
  case TESSERA_NOISE_KEEP:
    *sigma = 0;
    return TRUE;
  case TESSERA_NOISE_ESTIMATE:
    *sigma = SIGMA_UNKNOWN;
    return TRUE;
  case TESSERA_NOISE_GIVEN:
    *sigma = o->sigma;
    return (o->sigma >= 0 && o->sigma <= SIGMA_MAX)
           || tessera_fail (error, TESSERA_ERROR_USAGE,
                            "sigma is %g: give one from 0 to %g", o->sigma,
                            SIGMA_MAX);
  }
  return tessera_fail (error, TESSERA_ERROR_USAGE,
                       "there is no way %d to treat noise", (int) o->noise);
}

#define MOST_STRENGTH 10.

static gboolean
check_amounts (const TesseraRestoreOptions *o, GError **error)
{
  if (!(o->strength >= 0 && o->strength <= MOST_STRENGTH))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "the strength is %g: give one from 0 to %g",
                         o->strength, MOST_STRENGTH);
  if (!(o->grain >= 0 && o->grain <= 1))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "the grain to leave is %g: give 0 to 1", o->grain);
  return (o->grow >= 0 && o->grow <= MASK_MOST_WIDENED)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "marks are to be widened by %d: give 0 to %d pixels",
                          o->grow, MASK_MOST_WIDENED);
}

/* Restores @image with that mask. */
static gboolean
restore (TesseraContext *context, TesseraImage *image,
         const TesseraMask *missing, const TesseraRestoreOptions *o,
         RestoreReport *report, GError **error)
{
  RestoreOptions options = RESTORE_DEFAULTS;
  g_autoptr (Mask) wide = NULL;
  const Progress *progress;
  gboolean ok;
  Call call;

  options.dictionary = o->dictionary;
  options.paper_protocol = o->paper_protocol != 0;
  options.seed = o->seed;
  options.see_through = o->see_through != 0;
  options.strength = o->strength;
  options.grain = options.fill_grain = o->grain;
  options.area = (ImageArea){ o->area.x, o->area.y, o->area.width,
                              o->area.height };
  if (!choose_quality (o->quality, &options.quality, error)
      || !choose_fill (o->fill, &options.fill, error)
      || !choose_fading (o->fading, &options.fading, error)
      || !choose_sigma (o, &options.sigma, error) || !check_amounts (o, error))
    return FALSE;
  if (o->grow > 0) {
    missing = wide = mask_widened (missing, o->grow, error);
    if (wide == NULL)
      return FALSE;
  }
  progress = call_begin (&call, context, o->progress, o->progress_data);
  ok = image_restore (image, missing, &options, report, progress, error);
  if (ok)
    call_complete (&call);
  call_end (&call);
  return ok;
}

gboolean
tessera_restore (TesseraContext *context, TesseraImage *image,
                 const TesseraMask *missing,
                 const TesseraRestoreOptions *options,
                 TesseraRestoreReport *report, GError **error)
{
  TesseraRestoreOptions o = { 0 };
  TesseraRestoreReport filled = { 0 };
  g_auto (RestoreReport) own = { 0 };
  g_autoptr (Mask) nothing = NULL;

  g_return_val_if_fail (image != NULL, FALSE);

  /* The second fails, before any work, if the report cannot be written. */
  if (!options_read (options, &o, sizeof o, error)
      || (report != NULL
          && !report_write (&filled, sizeof filled, report, error)))
    return FALSE;
  if (missing == NULL) {
    missing = nothing = mask_new (image->width, image->height, error);
    if (missing == NULL)
      return FALSE;
  }
  if (!restore (context, image, missing, &o, &own, error))
    return FALSE;
  filled.filled_pixels = own.masked_pixels;
  filled.patches = own.patches;
  filled.sigma = own.sigma;
  filled.noise_kind = noise_kind_of (&own.noise);
  filled.noise_is_certain = own.noise.is_sure;
  filled.fading = own.fading.strength;
  filled.fading_span = own.fading.span;
  filled.is_toned = own.fading.is_toned;
  filled.noise_sigma = own.noise.sigma;
  return report == NULL
         || report_write (&filled, sizeof filled, report, error);
}
