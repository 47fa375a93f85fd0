/* selection.h - the selection of an image, and masks of the library */
#pragma once

#include "include/tessera.h"

#include <libgimp/gimp.h>

/* The smallest rectangle of @drawable that holds what is selected of it, or
 * all of it if nothing is selected.  FALSE with @error set (INPUT) if the
 * selection is elsewhere, or if there is none and @is_needed. */
gboolean selection_bounds (gint32 drawable, gboolean is_needed,
                           GeglRectangle *bounds, GError **error);

/* A mask of @part of @drawable in which every pixel is missing that is
 * selected at least a little. */
TesseraMask *selection_read (gint32 drawable, const GeglRectangle *part,
                             GError **error);

/* Makes the missing pixels of @mask, which has the size of @drawable, the
 * selection, or combines them with it.  One step to undo. */
gboolean selection_combine (gint32 drawable, const TesseraMask *mask,
                            GimpChannelOps operation, GError **error);
