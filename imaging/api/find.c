/* find.c - finding damage, and estimating the noise level */
#include "imaging/api/api.h"
#include "imaging/detect/detect.h"
#include "imaging/detect/findnoise.h"
#include "imaging/detect/noise.h"

static const Detector *
detector_number (int i)
{
  for (int j = 0; j <= i; j++)
    if (detectors[j] == NULL || j == i)
      return detectors[j];
  return NULL;
}

const char *
tessera_find_name (int i)
{
  const Detector *detector = detector_number (i);

  return detector != NULL ? detector->name : NULL;
}

const char *
tessera_find_noun (int i)
{
  const Detector *detector = detector_number (i);

  return detector != NULL ? detector->noun : NULL;
}

/* 0 is the default. */
static gboolean
read_strength (double given, double *strength, GError **error)
{
  if (given == 0)
    return TRUE;
  if (!(given >= FIND_STRENGTH_MIN && given <= FIND_STRENGTH_MAX))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "the strength must be %g to %g", FIND_STRENGTH_MIN,
                         FIND_STRENGTH_MAX);
  *strength = given;
  return TRUE;
}

TesseraMask *
tessera_find_damage (TesseraContext *context, const TesseraImage *image,
                     const TesseraFindOptions *options, GError **error)
{
  TesseraFindOptions o = { 0 };
  DamageSearch search = { .strength = 1 };
  const Progress *progress;
  Mask *mask;
  Call call;

  g_return_val_if_fail (image != NULL, NULL);

  if (!options_read (options, &o, sizeof o, error)
      || !read_strength (o.strength, &search.strength, error))
    return NULL;
  search.kinds = detectors_named (o.kinds, error);
  if (search.kinds == NULL)
    return NULL;
  progress = call_begin (&call, context, o.progress, o.progress_data);
  mask = damage_find (image, &search, NULL, progress, error);
  if (mask != NULL)
    call_complete (&call);
  call_end (&call);
  g_ptr_array_unref (search.kinds);
  return mask;
}

double
tessera_noise_level (TesseraContext *context, const TesseraImage *image,
                     const TesseraMask *ignore, GError **error)
{
  double level;
  Call call;

  g_return_val_if_fail (image != NULL, -1);

  if (ignore != NULL
      && !mask_check_size (ignore, image->width, image->height, error))
    return -1;
  call_begin (&call, context, NULL, NULL);
  if (!image_noise_level (image, ignore, &level, error))
    level = -1;
  call_end (&call);
  return level;
}

TesseraNoiseKind
noise_kind_of (const FoundNoise *noise)
{
  switch (noise->kind) {
  case NOISE_NONE:
    return TESSERA_NOISE_NONE;
  case NOISE_WHITE:
    return TESSERA_NOISE_WHITE;
  case NOISE_COLOURED:
    return TESSERA_NOISE_COLOURED;
  case NOISE_JPEG:
    return TESSERA_NOISE_JPEG;
  }
  return TESSERA_NOISE_NONE;
}

gboolean
tessera_find_noise (TesseraContext *context, const TesseraImage *image,
                    const TesseraMask *ignore, TesseraNoiseReport *report,
                    GError **error)
{
  TesseraNoiseReport filled = { 0 };
  FoundNoise found;
  gboolean ok;
  Call call;

  g_return_val_if_fail (image != NULL && report != NULL, FALSE);

  if ((ignore != NULL
       && !mask_check_size (ignore, image->width, image->height, error))
      || !report_write (&filled, sizeof filled, report, error))
    return FALSE;
  call_begin (&call, context, NULL, NULL);
  ok = image_find_noise (image, ignore, &found, error);
  call_end (&call);
  if (!ok)
    return FALSE;
  filled.kind = noise_kind_of (&found);
  filled.is_certain = found.is_sure;
  filled.sigma = found.sigma;
  return report_write (&filled, sizeof filled, report, error);
}
