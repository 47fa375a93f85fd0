/* find.c - finding damage, and estimating the noise level */
#include "imaging/api/api.h"
#include "imaging/detect/detect.h"
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

/* The detectors that @kinds names, NULL at the end; NULL with @error set if a
 * name is unknown. */
static GPtrArray *
choose_detectors (const char *kinds, GError **error)
{
  g_autoptr (GPtrArray) chosen = g_ptr_array_new ();
  g_auto (GStrv) names = g_strsplit (kinds != NULL ? kinds : "", ",", -1);

  for (int i = 0; kinds == NULL && detectors[i] != NULL; i++)
    g_ptr_array_add (chosen, (gpointer) detectors[i]);
  for (int i = 0; kinds != NULL && names[i] != NULL; i++) {
    const Detector *detector = detector_find (names[i]);

    if (detector == NULL) {
      tessera_fail (error, TESSERA_ERROR_USAGE,
                    "there is no kind of damage called '%s'", names[i]);
      return NULL;
    }
    g_ptr_array_add (chosen, (gpointer) detector);
  }
  return g_steal_pointer (&chosen);
}

/* Adds to @mask what the detectors find. */
static gboolean
find_all (const TesseraImage *image, const GPtrArray *chosen,
          const Progress *progress, Mask *mask, GError **error)
{
  for (guint i = 0; i < chosen->len; i++) {
    const Detector *detector = chosen->pdata[i];
    ProgressPart part = { progress, (double) i / chosen->len,
                          (double) (i + 1) / chosen->len };
    Progress share = progress_part (&part);
    g_autoptr (Mask) found = detector->find (image, &share, error);

    if (found == NULL)
      return FALSE;
    mask_add (mask, found);
  }
  return TRUE;
}

TesseraMask *
tessera_find_damage (TesseraContext *context, const TesseraImage *image,
                     const TesseraFindOptions *options, GError **error)
{
  TesseraFindOptions o = { 0 };
  g_autoptr (GPtrArray) chosen = NULL;
  g_autoptr (Mask) mask = NULL;
  const Progress *progress;
  gboolean ok;
  Call call;

  g_return_val_if_fail (image != NULL, NULL);

  if (!options_read (options, &o, sizeof o, error))
    return NULL;
  chosen = choose_detectors (o.kinds, error);
  if (chosen == NULL)
    return NULL;
  mask = mask_new (image->width, image->height, error);
  if (mask == NULL)
    return NULL;
  progress = call_begin (&call, context, o.progress, o.progress_data);
  ok = find_all (image, chosen, progress, mask, error);
  if (ok)
    call_complete (&call);
  call_end (&call);
  return ok ? g_steal_pointer (&mask) : NULL;
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
  level = image_noise_level (image, ignore);
  call_end (&call);
  return level;
}
