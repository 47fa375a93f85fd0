/* overlays.h - which pixels of a mask may be looked through
 *
 * Runs say of a pixel only whether it is missing.  Which of those are below
 * overlays (MASK_THROUGH) stays here, with the photograph: of what was found
 * last, and of the grey pixels of masks that were loaded.
 */
#pragma once

#include "app/serve/photo.h"
#include "imaging/mask.h"

/* Keeps the pixels of @mask that may be looked through.  Those of masks that
 * were loaded before count on outside of @mask. */
gboolean overlays_keep (Photo *photo, OverlaysOf of, const Mask *mask,
                        GError **error);

/* Says of @mask, of the size of the photograph, which of its pixels may be
 * looked through. */
gboolean overlays_apply (Photo *photo, OverlaysOf of, Mask *mask,
                         GError **error);
