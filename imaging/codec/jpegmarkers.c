/* jpegmarkers.c - a marker processor of our own for libjpeg
 *
 * libjpeg reads the marker and leaves to us a length of two bytes, which
 * counts itself, and what follows it.
 */
#include "imaging/codec/jpegmarkers.h"

#include <string.h>

enum {
  LENGTH_SIZE = 2,
  OVERHEAD = 128, /* what a segment costs in memory beside its bytes */
  JFIF_SIZE = 14,
  ADOBE_SIZE = 12,
};

/* Makes sure that there is a byte to read; at the end of the file libjpeg
 * fails, or, if it is to be lenient, makes up an end marker. */
static void
need_byte (j_decompress_ptr cinfo)
{
  if (cinfo->src->bytes_in_buffer == 0)
    cinfo->src->fill_input_buffer (cinfo);
}

static guint
read_byte (j_decompress_ptr cinfo)
{
  need_byte (cinfo);
  cinfo->src->bytes_in_buffer--;
  return *cinfo->src->next_input_byte++;
}

static void
read_bytes (j_decompress_ptr cinfo, guint8 *to, gsize size)
{
  struct jpeg_source_mgr *source = cinfo->src;

  while (size > 0) {
    gsize some;

    need_byte (cinfo);
    some = MIN (size, source->bytes_in_buffer);
    memcpy (to, source->next_input_byte, some);
    source->next_input_byte += some;
    source->bytes_in_buffer -= some;
    to += some;
    size -= some;
  }
}

/* A segment with room for @size bytes, which libjpeg frees with the rest. */
static jpeg_saved_marker_ptr
new_segment (j_decompress_ptr cinfo, gsize size)
{
  jpeg_saved_marker_ptr segment = cinfo->mem->alloc_large (
    (j_common_ptr) cinfo, JPOOL_IMAGE, sizeof *segment + size);

  *segment =
    (struct jpeg_marker_struct){ .marker = (UINT8) cinfo->unread_marker,
                                 .original_length = (unsigned int) size,
                                 .data_length = (unsigned int) size,
                                 .data = (JOCTET *) (segment + 1) };
  return segment;
}

static void
append (JpegMarkers *self, j_decompress_ptr cinfo,
        jpeg_saved_marker_ptr segment)
{
  if (self->last == NULL)
    cinfo->marker_list = segment;
  else
    self->last->next = segment;
  self->last = segment;
}

static gboolean
starts_with (jpeg_saved_marker_ptr segment, const char *text, gsize size)
{
  return segment->data_length >= size
         && memcmp (segment->data, text, strlen (text)) == 0;
}

/* Tells libjpeg what it would have found out itself: the density, and how
 * colours are coded. */
static void
interpret (j_decompress_ptr cinfo, jpeg_saved_marker_ptr segment)
{
  const JOCTET *data = segment->data;

  if (segment->marker == JPEG_APP0 && starts_with (segment, "JFIF", JFIF_SIZE)
      && data[4] == '\0') {
    cinfo->saw_JFIF_marker = TRUE;
    cinfo->JFIF_major_version = data[5];
    cinfo->JFIF_minor_version = data[6];
    cinfo->density_unit = data[7];
    cinfo->X_density = (UINT16) (data[8] << 8 | data[9]);
    cinfo->Y_density = (UINT16) (data[10] << 8 | data[11]);
  } else if (segment->marker == JPEG_APP0 + 14
             && starts_with (segment, "Adobe", ADOBE_SIZE)) {
    cinfo->saw_Adobe_marker = TRUE;
    cinfo->Adobe_transform = data[11];
  }
}

static void
count (JpegMarkers *self, j_decompress_ptr cinfo, gsize size)
{
  self->size += size + OVERHEAD;
  if (self->size > self->max_size)
    jpegcodec_fail ((j_common_ptr) cinfo, TESSERA_ERROR_LIMIT,
                    "the metadata is larger than the limit of "
                    "%" G_GSIZE_FORMAT " bytes",
                    self->max_size);
}

/* Reads one segment.  Returns TRUE, since it never has to wait for data. */
static boolean
keep_segment (j_decompress_ptr cinfo)
{
  JpegMarkers *self = cinfo->client_data;
  guint length = read_byte (cinfo) << 8;
  jpeg_saved_marker_ptr segment;

  length |= read_byte (cinfo);
  if (length < LENGTH_SIZE) /* invalid, and skipped by libjpeg too */
    return TRUE;
  length -= LENGTH_SIZE;
  count (self, cinfo, length);
  segment = new_segment (cinfo, length);
  read_bytes (cinfo, segment->data, length);
  append (self, cinfo, segment);
  interpret (cinfo, segment);
  return TRUE;
}

void
jpegmarkers_keep (JpegMarkers *self, j_decompress_ptr cinfo, gsize max_size)
{
  *self = (JpegMarkers){ .max_size = max_size };
  cinfo->client_data = self;
  for (int i = 0; i < 16; i++)
    jpeg_set_marker_processor (cinfo, JPEG_APP0 + i, keep_segment);
  jpeg_set_marker_processor (cinfo, JPEG_COM, keep_segment);
}
