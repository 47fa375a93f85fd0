/* jpegread.c - reading JPEG with libjpeg */
#include "imaging/codec/jpegcodec.h"

#include "imaging/codec/jpegmarkers.h"
#include "imaging/codec/jpegmeta.h"

enum {
  /* Coefficients that libjpeg holds of a progressive picture: two bytes each,
   * in up to three channels, and what rounding up to whole blocks adds. */
  MEMORY_PER_PIXEL = 8,
  MEMORY_SLACK = 64 * 1024 * 1024,
};

typedef struct {
  struct jpeg_decompress_struct cinfo; /* first, see check_scans() */
  JpegErrors errors;
  struct jpeg_progress_mgr progress;
  JpegMarkers markers;
  const ImageLimits *limits;
  const guint8 *data; /* the file */
  gsize size;
  Image *image; /* NULL before the header was read */
  guint8 *row;
  gboolean is_one_scan; /* not progressive */
} Reader;

/* A file of some kilobytes can hold thousands of passes over a large picture,
 * each of which takes time. */
static void
check_scans (j_common_ptr common)
{
  const Reader *reader = (const Reader *) common;

  if (reader->cinfo.input_scan_number > reader->limits->max_scans)
    jpegcodec_fail (common, TESSERA_ERROR_LIMIT,
                    "the JPEG has more than the limit of %d scans",
                    reader->limits->max_scans);
}

static void
open_file (Reader *reader)
{
  j_decompress_ptr cinfo = &reader->cinfo;

  jpeg_create_decompress (cinfo);
  reader->progress.progress_monitor = check_scans;
  cinfo->progress = &reader->progress;
  cinfo->mem->max_memory_to_use = (long) MIN (
    reader->limits->max_pixels * MEMORY_PER_PIXEL + MEMORY_SLACK, G_MAXLONG);
  jpeg_mem_src (cinfo, reader->data, reader->size);
  jpegmarkers_keep (&reader->markers, cinfo, reader->limits->max_metadata);
  jpeg_read_header (cinfo, TRUE);
}

/* Huffman coding spends at least one bit on each block of 8 x 8 samples.
 * Arithmetic coding can spend next to nothing. */
static gboolean
could_hold_picture (const Reader *reader)
{
  gsize blocks = 0;

  for (int i = 0; i < reader->cinfo.num_components; i++) {
    const jpeg_component_info *component = &reader->cinfo.comp_info[i];

    blocks += (gsize) component->width_in_blocks * component->height_in_blocks;
  }
  return reader->cinfo.arith_code || blocks / 8 <= reader->size;
}

static void
check_colours (Reader *reader)
{
  j_common_ptr common = (j_common_ptr) &reader->cinfo;

  switch (reader->cinfo.jpeg_color_space) {
  case JCS_GRAYSCALE:
  case JCS_RGB:
  case JCS_YCbCr:
    return;
  case JCS_CMYK:
  case JCS_YCCK:
    jpegcodec_fail (common, TESSERA_ERROR_INPUT,
                    "the JPEG is in CMYK colors; convert it to RGB first");
  default:
    jpegcodec_fail (common, TESSERA_ERROR_INPUT,
                    "the JPEG has %d channels of an unknown kind",
                    reader->cinfo.num_components);
  }
}

/* Checks that the picture is small enough, and that the file is large enough
 * to hold it. */
static gboolean
check_size (Reader *reader)
{
  if (!image_limits_allow (reader->limits, reader->cinfo.image_width,
                           reader->cinfo.image_height, &reader->errors.error))
    return FALSE;
  if (!could_hold_picture (reader))
    jpegcodec_fail ((j_common_ptr) &reader->cinfo, TESSERA_ERROR_INPUT,
                    "the JPEG is truncated");
  return TRUE;
}

static gboolean
make_image (Reader *reader)
{
  j_decompress_ptr cinfo = &reader->cinfo;
  gboolean grey = cinfo->jpeg_color_space == JCS_GRAYSCALE;
  int channels = grey ? 1 : 3;

  cinfo->out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
  cinfo->dct_method = JDCT_ISLOW; /* the exact one */
  reader->row =
    tessera_try_new (guint8, (gsize) cinfo->image_width * (gsize) channels,
                     "the JPEG", &reader->errors.error);
  if (reader->row == NULL)
    return FALSE;
  reader->image =
    image_new ((int) cinfo->image_width, (int) cinfo->image_height, channels,
               8, &reader->errors.error);
  return reader->image != NULL;
}

/* Notes the steps of quantisation, which say how far samples may be off.  A
 * file with a step of 0, which decoders take, says nothing. */
static void
read_steps (const Reader *reader)
{
  const struct jpeg_decompress_struct *cinfo = &reader->cinfo;
  ImageMeta *meta = &reader->image->meta;

  if (cinfo->jpeg_color_space == JCS_RGB)
    return;
  for (int i = 0; i < MIN (cinfo->num_components, 3); i++) {
    const jpeg_component_info *component = &cinfo->comp_info[i];

    if (component->quant_table == NULL)
      return;
    for (int f = 0; f < DCTSIZE2; f++) {
      if (component->quant_table->quantval[f] == 0)
        return;
      meta->steps[i][f] = component->quant_table->quantval[f];
    }
  }
  meta->has_steps = TRUE;
}

/* How much smaller than the picture its colours are kept. */
static void
read_cells (const Reader *reader)
{
  const struct jpeg_decompress_struct *cinfo = &reader->cinfo;
  const jpeg_component_info *blue = &cinfo->comp_info[1];

  if (cinfo->jpeg_color_space != JCS_YCbCr)
    return;
  reader->image->meta.cell_width =
    cinfo->max_h_samp_factor / blue->h_samp_factor;
  reader->image->meta.cell_height =
    cinfo->max_v_samp_factor / blue->v_samp_factor;
}

/* Of a picture in several passes, all rows are there in some quality. */
static void
note_stored_rows (Reader *reader)
{
  int row = reader->cinfo.max_v_samp_factor * DCTSIZE;

  if (reader->errors.has_ended && reader->is_one_scan)
    reader->image->meta.stored_rows =
      MIN ((int) reader->errors.full_rows * row, reader->image->height);
}

static void
read_rows (Reader *reader)
{
  j_decompress_ptr cinfo = &reader->cinfo;
  Image *image = reader->image;
  gsize count = (gsize) image->width * (gsize) image->channels;

  while (cinfo->output_scanline < cinfo->output_height) {
    guint16 *samples = image_pixel (image, 0, (int) cinfo->output_scanline);

    jpeg_read_scanlines (cinfo, &reader->row, 1);
    for (gsize i = 0; i < count; i++)
      samples[i] = reader->row[i];
  }
}

static Image *
finish_image (Reader *reader)
{
  note_stored_rows (reader);
  return g_steal_pointer (&reader->image);
}

/* Reads the file.  An error inside libjpeg comes back to the setjmp() here. */
static gboolean
read_file (Reader *reader)
{
  if (setjmp (reader->errors.escape))
    return FALSE;
  open_file (reader);
  check_colours (reader);
  if (!check_size (reader) || !make_image (reader))
    return FALSE;
  jpegmeta_read (&reader->cinfo, &reader->image->meta);
  reader->is_one_scan = !jpeg_has_multiple_scans (&reader->cinfo);
  jpeg_start_decompress (&reader->cinfo);
  read_rows (reader);
  read_steps (reader);
  read_cells (reader);
  jpeg_finish_decompress (&reader->cinfo);
  return TRUE;
}

Image *
jpegcodec_read (const guint8 *data, gsize size, const ImageLimits *limits,
                GError **error)
{
  Reader reader = { .data = data, .size = size, .limits = limits };
  Image *image = NULL;

  reader.cinfo.err = jpegcodec_errors_init (
    &reader.errors, TESSERA_ERROR_INPUT, "the JPEG is broken");
  reader.errors.lenient = limits->lenient;
  if (read_file (&reader)
      || image_limits_forgive (limits, reader.cinfo.output_scanline,
                               &reader.errors.error))
    image = finish_image (&reader);
  else
    g_propagate_error (error, reader.errors.error);
  jpeg_destroy_decompress (&reader.cinfo);
  image_free (reader.image);
  g_free (reader.row);
  return image;
}
