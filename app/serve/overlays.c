#include "app/serve/overlays.h"

#include "imaging/maskruns.h"

/* What is kept; an empty mask if that is nothing. */
static Mask *
kept (Photo *photo, OverlaysOf of, GError **error)
{
  g_autoptr (GBytes) runs = photo_overlays (photo, of);
  int width = photo_width (photo), height = photo_height (photo);

  return runs != NULL ? mask_from_runs (runs, width, height, error)
                      : mask_new (width, height, error);
}

static gsize
pixels_of (const Mask *mask)
{
  return (gsize) mask->width * (gsize) mask->height;
}

gboolean
overlays_keep (Photo *photo, OverlaysOf of, const Mask *mask, GError **error)
{
  g_autoptr (Mask) overlays = of == OVERLAYS_FOUND
                                ? mask_new (mask->width, mask->height, error)
                                : kept (photo, of, error);
  GBytes *runs;

  if (overlays == NULL)
    return FALSE;
  for (gsize i = 0; i < pixels_of (mask); i++)
    if (mask->missing[i])
      overlays->missing[i] = mask->missing[i] & MASK_THROUGH ? MASK_PIXEL : 0;
  runs = mask_to_runs (overlays, error);
  if (runs == NULL)
    return FALSE;
  photo_set_overlays (photo, of, runs);
  return TRUE;
}

gboolean
overlays_apply (Photo *photo, OverlaysOf of, Mask *mask, GError **error)
{
  g_autoptr (Mask) overlays = kept (photo, of, error);

  if (overlays == NULL)
    return FALSE;
  for (gsize i = 0; i < pixels_of (mask); i++)
    if (overlays->missing[i] && (mask->missing[i] & MASK_PIXEL))
      mask->missing[i] |= MASK_THROUGH;
  return TRUE;
}
