/* jpegwrite.c - writing JPEG with libjpeg
 *
 * Colour is kept at full resolution (4:4:4): a picture that was restored must
 * not lose its edges on the way to the disk.
 */
#include "imaging/codec/jpegcodec.h"

#include "imaging/codec/bytesink.h"
#include "imaging/codec/jpegmeta.h"

#include <string.h>

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
  j_decompress_ptr like;    /* the file that sets tables; NULL for none */
  jvirt_barray_ptr *arrays; /* coefficients to write in place of samples */
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
set_quality (Writer *writer)
{
  j_compress_ptr cinfo = &writer->cinfo;

  jpeg_set_quality (cinfo, writer->quality, TRUE);
  for (int i = 0; i < cinfo->num_components; i++)
    cinfo->comp_info[i].h_samp_factor = cinfo->comp_info[i].v_samp_factor = 1;
}

/* The steps and the size of colours of another file. */
static void
set_tables (Writer *writer)
{
  j_compress_ptr cinfo = &writer->cinfo;

  for (int i = 0; i < NUM_QUANT_TBLS; i++) {
    const JQUANT_TBL *table = writer->like->quant_tbl_ptrs[i];

    if (table == NULL)
      continue;
    if (cinfo->quant_tbl_ptrs[i] == NULL)
      cinfo->quant_tbl_ptrs[i] = jpeg_alloc_quant_table ((j_common_ptr) cinfo);
    memcpy (cinfo->quant_tbl_ptrs[i]->quantval, table->quantval,
            sizeof table->quantval);
  }
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *from = &writer->like->comp_info[i];
    jpeg_component_info *to = &cinfo->comp_info[i];

    to->h_samp_factor = from->h_samp_factor;
    to->v_samp_factor = from->v_samp_factor;
    to->quant_tbl_no = from->quant_tbl_no;
  }
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
  cinfo->dct_method = JDCT_ISLOW;
  cinfo->optimize_coding = TRUE;
  if (writer->like != NULL)
    set_tables (writer);
  else
    set_quality (writer);
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

/* The same of coefficients, in passes if they came in some. */
static gboolean
write_coefficients (Writer *writer)
{
  j_compress_ptr cinfo = &writer->cinfo;

  if (setjmp (writer->errors.escape))
    return FALSE;
  open_file (writer);
  jpeg_copy_critical_parameters (writer->like, cinfo);
  cinfo->optimize_coding = TRUE;
  if (writer->like->progressive_mode)
    jpeg_simple_progression (cinfo);
  jpegmeta_set_density (cinfo, &writer->image->meta);
  jpeg_write_coefficients (cinfo, writer->arrays);
  jpegmeta_write (cinfo, &writer->image->meta);
  jpeg_finish_compress (cinfo);
  return TRUE;
}

static GBytes *
run (Writer *writer, GError **error)
{
  const Image *image = writer->image;
  GBytes *bytes = NULL;

  if (!check_image (image, error))
    return NULL;
  writer->row = tessera_try_new (
    guint8, (gsize) image->width * (gsize) image->channels, "the JPEG", error);
  if (writer->row == NULL)
    return NULL;
  writer->cinfo.err = jpegcodec_errors_init (
    &writer->errors, TESSERA_ERROR_FAILED, "cannot make a JPEG");
  if (writer->arrays != NULL ? write_coefficients (writer)
                             : write_file (writer))
    bytes = byte_sink_finish (&writer->sink);
  else
    g_propagate_error (error, writer->errors.error);
  jpeg_destroy_compress (&writer->cinfo);
  byte_sink_clear (&writer->sink);
  g_free (writer->row);
  return bytes;
}

GBytes *
jpegcodec_write (const Image *image, const EncodeOptions *options,
                 GError **error)
{
  Writer writer = { .image = image, .quality = options->jpeg_quality };

  return run (&writer, error);
}

GBytes *
jpegcodec_write_like (const Image *image, j_decompress_ptr like,
                      GError **error)
{
  Writer writer = { .image = image, .like = like };

  return run (&writer, error);
}

GBytes *
jpegcodec_write_coefficients (const Image *image, j_decompress_ptr like,
                              jvirt_barray_ptr *arrays, GError **error)
{
  Writer writer = { .image = image, .like = like, .arrays = arrays };

  return run (&writer, error);
}
