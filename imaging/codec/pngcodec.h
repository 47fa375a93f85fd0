/* pngcodec.h - what the files of the PNG codec share
 *
 * libpng leaves by longjmp() on errors.  For both directions, all that is
 * owned hangs on one struct, which is freed outside of the one function that
 * calls setjmp().
 */
#pragma once

#include <png.h>

#include "base/error.h"
#include "imaging/codec/codec.h"

/* The two directions; see Codec. */
Image *pngcodec_read (const guint8 *data, gsize size,
                      const ImageLimits *limits, GError **error);
GBytes *pngcodec_write (const Image *image, const EncodeOptions *options,
                        GError **error);

/* Sets @error unless it is set: later errors only follow from the first. */
void pngcodec_note (GError **error, TesseraError code, const char *format, ...)
  G_GNUC_PRINTF (3, 4);
void pngcodec_note_no_memory (GError **error);

/* Memory for png_create_..._struct_2(), with a GError ** as the pointer: so we
 * can tell a lack of memory (MEMORY) from a broken file. */
png_voidp pngcodec_allocate (png_structp png, png_alloc_size_t size);
void pngcodec_free (png_structp png, png_voidp memory);
