/* jpegwrite.c - writing JPEG with libjpeg
 *
 * Colour is kept at full resolution (4:4:4): a picture that was restored must
 * not lose its edges on the way to the disk.
 */
#include "imaging/codec/jpegcodec.h"

#include "imaging/codec/bytesink.h"
#include "imaging/codec/jpegmeta.h"

enum { BUFFER_SIZE = 16 * 1024 };

typedef struct {
  struct jpeg_compress_struct cinfo;
  JpegErrors errors;
  struct jpeg_destination_mgr target;
  guint8 buffer[BUFFER_SIZE]; /* what libjpeg has written, ... */
  ByteSink sink;              /* ... and where it goes when full */
  const Image *image;
  int quality;
  guint8 *row;
} Writer;

static gboolean
refuse (GError **error, const char *what)
{
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
               "JPEG cannot hold %s; write a PNG instead", what);
  return FALSE;
}

static gboolean
check_image (const Image *image, GError **error)
{
  if (image->depth == 16)
    return refuse (error, "16 bits per sample");
  if (image_has_alpha (image) || image->meta.has_key)
    return refuse (error, "transparency");
  if (MAX (image->width, image->height) > JPEG_MAX_DIMENSION)
    return refuse (error, "more than 65500 pixels per side");
  return jpegmeta_fits (&image->meta, error);
}

static void
restart_buffer (j_compress_ptr cinfo)
{
  Writer *writer = cinfo->client_data;

  writer->target.next_output_byte = writer->buffer;
  writer->target.free_in_buffer = BUFFER_SIZE;
}

static void
append (Writer *writer, gsize size)
{
  if (!byte_sink_append (&writer->sink, writer->buffer, size))
    jpegcodec_fail ((j_common_ptr) &writer->cinfo, TESSERA_ERROR_MEMORY,
                    "not enough memory for the JPEG");
}

static boolean
empty_buffer (j_compress_ptr cinfo)
{
  append (cinfo->client_data, BUFFER_SIZE);
  restart_buffer (cinfo);
  return TRUE;
}

static void
finish_buffer (j_compress_ptr cinfo)
{
  Writer *writer = cinfo->client_data;

  append (writer, BUFFER_SIZE - writer->target.free_in_buffer);
}

static void
open_file (Writer *writer)
{
  j_compress_ptr cinfo = &writer->cinfo;

  jpeg_create_compress (cinfo);
  cinfo->client_data = writer;
  writer->target.init_destination = restart_buffer;
  writer->target.empty_output_buffer = empty_buffer;
  writer->target.term_destination = finish_buffer;
  cinfo->dest = &writer->target;
}

static void
set_parameters (Writer *writer)
{
  j_compress_ptr cinfo = &writer->cinfo;
  const Image *image = writer->image;

  cinfo->image_width = (JDIMENSION) image->width;
  cinfo->image_height = (JDIMENSION) image->height;
  cinfo->input_components = image->channels;
  cinfo->in_color_space = image->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults (cinfo);
  jpeg_set_quality (cinfo, writer->quality, TRUE);
  cinfo->dct_method = JDCT_ISLOW;
  cinfo->optimize_coding = TRUE;
  for (int i = 0; i < cinfo->num_components; i++)
    cinfo->comp_info[i].h_samp_factor = cinfo->comp_info[i].v_samp_factor = 1;
  jpegmeta_set_density (cinfo, &image->meta);
}

static void
write_rows (Writer *writer)
{
  const Image *image = writer->image;
  gsize count = (gsize) image->width * (gsize) image->channels;
  int scale = 255 / image_peak (image); /* exact for 1, 2, 4 and 8 bits */

  for (int y = 0; y < image->height; y++) {
    const guint16 *samples = image_pixel (image, 0, y);

    for (gsize i = 0; i < count; i++)
      writer->row[i] = (guint8) (samples[i] * scale);
    jpeg_write_scanlines (&writer->cinfo, &writer->row, 1);
  }
}

/* Writes the file.  An error inside libjpeg comes back to the setjmp() here.
 */
static gboolean
write_file (Writer *writer)
{
  if (setjmp (writer->errors.escape))
    return FALSE;
  open_file (writer);
  set_parameters (writer);
  jpeg_start_compress (&writer->cinfo, TRUE);
  jpegmeta_write (&writer->cinfo, &writer->image->meta);
  write_rows (writer);
  jpeg_finish_compress (&writer->cinfo);
  return TRUE;
}

GBytes *
jpegcodec_write (const Image *image, const EncodeOptions *options,
                 GError **error)
{
  Writer writer = { .image = image, .quality = options->jpeg_quality };
  GBytes *bytes = NULL;

  if (!check_image (image, error))
    return NULL;
  writer.row = tessera_try_new (
    guint8, (gsize) image->width * (gsize) image->channels, "the JPEG", error);
  if (writer.row == NULL)
    return NULL;
  writer.cinfo.err = jpegcodec_errors_init (
    &writer.errors, TESSERA_ERROR_FAILED, "cannot make a JPEG");
  if (write_file (&writer))
    bytes = byte_sink_finish (&writer.sink);
  else
    g_propagate_error (error, writer.errors.error);
  jpeg_destroy_compress (&writer.cinfo);
  byte_sink_clear (&writer.sink);
  g_free (writer.row);
  return bytes;
}
