/* layer.h - the pixels of a layer, as the library takes them
 *
 * Layers of 8 bits, and of 16 bits, are read and written bit for bit.  All
 * other precisions (linear light, 32 bits, floating point) are converted to 16
 * bits for the work; pixels that it does not change keep what they had.
 */
#pragma once

#include "include/tessera.h"

#include <libgimp/gimp.h>

/* Whether the pixels of @drawable can be worked on, and written if they are
 * @to_be_written.  FALSE with @error set (INPUT) if it is indexed, a group or
 * locked. */
gboolean layer_check (gint32 drawable, gboolean to_be_written, GError **error);

/* All of @drawable. */
GeglRectangle layer_extent (gint32 drawable);

TesseraImage *layer_read (gint32 drawable, const GeglRectangle *part,
                          GError **error);

/* Writes what differs in @restored, which has the size of @drawable, within
 * @bounds and the selection.  One step to undo. */
gboolean layer_write (gint32 drawable, const TesseraImage *restored,
                      const GeglRectangle *bounds, GError **error);
