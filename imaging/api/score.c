/* score.c - deliberate damage, and scores */
#include "imaging/api/api.h"
#include "imaging/damage/damage.h"
#include "imaging/metric.h"

TesseraImage *
tessera_damage (const TesseraImage *image, const TesseraDamageOptions *options,
                TesseraMask **missing, GError **error)
{
  TesseraDamageOptions o = { 0 };
  DamageOptions own = DAMAGE_DEFAULTS;

  g_return_val_if_fail (image != NULL, NULL);

  if (!options_read (options, &o, sizeof o, error))
    return NULL;
  own.missing = o.missing;
  own.block_side = o.block_side;
  own.block_count = o.block_count;
  own.noise = o.noise;
  own.seed = o.seed;
  return image_damage (image, &own, missing, error);
}

gboolean
tessera_score (const TesseraImage *reference, const TesseraImage *result,
               const TesseraMask *mask, TesseraScore *score, GError **error)
{
  TesseraScore filled = { 0 };
  ImageScore own;

  g_return_val_if_fail (reference != NULL && result != NULL, FALSE);
  g_return_val_if_fail (score != NULL, FALSE);

  if ((mask != NULL
       && !mask_check_size (mask, reference->width, reference->height, error))
      || !image_score (reference, result, mask, &own, error))
    return FALSE;
  filled.psnr = own.psnr;
  filled.ssim = own.ssim;
  filled.ms_ssim = own.ms_ssim;
  filled.psnr_masked = own.psnr_masked;
  filled.pixels = own.pixels;
  filled.masked_pixels = own.masked_pixels;
  return report_write (&filled, sizeof filled, score, error);
}
