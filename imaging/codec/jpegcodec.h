/* jpegcodec.h - what the files of the JPEG codec share
 *
 * libjpeg reports errors by a function that must not return; ours leaves by
 * longjmp().  For both directions, all that is owned hangs on one struct,
 * which is freed outside of the one function that calls setjmp().
 */
#pragma once

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "base/error.h"
#include "imaging/codec/codec.h"

/* The two directions; see Codec. */
Image *jpegcodec_read (const guint8 *data, gsize size,
                       const ImageLimits *limits, GError **error);
GBytes *jpegcodec_write (const Image *image, const EncodeOptions *options,
                         GError **error);

/* For jpegpatch.c: the same with the tables and the size of the colours of
 * @like; and a JPEG of coefficients, with the metadata of @image. */
GBytes *jpegcodec_write_like (const Image *image, j_decompress_ptr like,
                              GError **error);
GBytes *jpegcodec_write_coefficients (const Image *image,
                                      j_decompress_ptr like,
                                      jvirt_barray_ptr *arrays,
                                      GError **error);

typedef struct {
  struct jpeg_error_mgr base; /* first, so that libjpeg's pointer is ours */
  const char *trouble;        /* prefix of libjpeg's messages */
  TesseraError code;          /* for it */
  gboolean lenient;           /* go on after data that makes no sense */
  gboolean has_ended;         /* before its end; then: */
  JDIMENSION full_rows;       /* rows of whole blocks before that */
  jmp_buf escape;             /* set by the user with setjmp() */
  GError *error;              /* set before the jump */
} JpegErrors;

/* Returns the value for the field @err of libjpeg's struct. */
struct jpeg_error_mgr *jpegcodec_errors_init (JpegErrors *errors,
                                              TesseraError code,
                                              const char *trouble);

/* Sets the error and jumps out; @cinfo is libjpeg's struct. */
void jpegcodec_fail (j_common_ptr cinfo, TesseraError code, const char *format,
                     ...) G_GNUC_PRINTF (3, 4) G_GNUC_NORETURN;
