/* jpeg.c - JPEG, by libjpeg: what reading and writing have in common */
#include "imaging/codec/jpegcodec.h"
#include "imaging/codec/jpegmeta.h"

#include <jerror.h>
#include <string.h>

void
jpegcodec_fail (j_common_ptr cinfo, TesseraError code, const char *format, ...)
{
  JpegErrors *errors = (JpegErrors *) cinfo->err;
  va_list args;

  va_start (args, format);
  errors->error = g_error_new_valist (TESSERA_ERROR, code, format, args);
  va_end (args);
  longjmp (errors->escape, 1);
}

/* Fails with libjpeg's message. */
static void G_GNUC_NORETURN
fail_with_message (j_common_ptr cinfo)
{
  const JpegErrors *errors = (const JpegErrors *) cinfo->err;
  char message[JMSG_LENGTH_MAX];

  cinfo->err->format_message (cinfo, message);
  jpegcodec_fail (cinfo, errors->code, "%s: %s", errors->trouble, message);
}

static void
on_error (j_common_ptr cinfo)
{
  switch (cinfo->err->msg_code) {
  case JERR_OUT_OF_MEMORY:
  case JERR_NO_BACKING_STORE: /* more than max_memory_to_use */
    jpegcodec_fail (cinfo, TESSERA_ERROR_MEMORY,
                    "not enough memory for the JPEG");
  default:
    fail_with_message (cinfo);
  }
}

/* Warnings after which the picture is still what the file says. */
static gboolean
is_harmless (int warning)
{
  switch (warning) {
  case JWRN_ADOBE_XFORM:
  case JWRN_BOGUS_ICC:
  case JWRN_EXTRANEOUS_DATA:
  case JWRN_JFIF_MAJOR:
  case JWRN_NOT_SEQUENTIAL:
    return TRUE;
  default:
    return FALSE;
  }
}

/* Remembers how far a file went that was truncated. */
static void
note_end (j_decompress_ptr cinfo)
{
  JpegErrors *errors = (JpegErrors *) cinfo->err;

  if (!errors->has_ended)
    errors->full_rows = cinfo->input_iMCU_row;
  errors->has_ended = TRUE;
}

/* libjpeg only warns of data that is missing or makes no sense, and fills in
 * something.  @level is negative for warnings. */
static void
on_message (j_common_ptr cinfo, int level)
{
  const JpegErrors *errors = (const JpegErrors *) cinfo->err;
  int warning = cinfo->err->msg_code;

  if (level < 0 && warning == JWRN_JPEG_EOF && cinfo->is_decompressor)
    note_end ((j_decompress_ptr) cinfo);
  if (level >= 0 || errors->lenient || is_harmless (warning))
    return;
  if (warning == JWRN_JPEG_EOF)
    jpegcodec_fail (cinfo, TESSERA_ERROR_INPUT, "the JPEG is truncated");
  fail_with_message (cinfo);
}

struct jpeg_error_mgr *
jpegcodec_errors_init (JpegErrors *errors, TesseraError code,
                       const char *trouble)
{
  jpeg_std_error (&errors->base);
  errors->base.error_exit = on_error;
  errors->base.emit_message = on_message;
  errors->code = code;
  errors->trouble = trouble;
  return &errors->base;
}

static gboolean
has_signature (const guint8 *data, gsize size)
{
  static const guint8 signature[] = { 0xff, 0xd8, 0xff };

  return size >= sizeof signature
         && memcmp (data, signature, sizeof signature) == 0;
}

static const char *const extensions[] = { "jpg", "jpeg", "jpe", "jfif", NULL };

const Codec codec_jpeg = {
  .format = TESSERA_JPEG,
  .name = "JPEG",
  .type = "image/jpeg",
  .extensions = extensions,
  .matches = has_signature,
  .decode = jpegcodec_read,
  .encode = jpegcodec_write,
  .loses = jpegmeta_loses,
};
