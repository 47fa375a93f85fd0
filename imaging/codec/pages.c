/* pages.c - files of several pages, page by page */
#include "imaging/codec/pages.h"

#include "base/error.h"

/* ---- reading ---- */

struct PageReader {
  GBytes *data;
  GArray *places; /* guint64; empty if there is only one page */
};

PageReader *
page_reader_new (GBytes *bytes)
{
  PageReader *self = g_new (PageReader, 1);
  const Codec *codec = codec_of_data (bytes);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  self->data = g_bytes_ref (bytes);
  self->places = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (codec != NULL && codec->find_pages != NULL)
    codec->find_pages (data, size, self->places);
  return self;
}

void
page_reader_free (PageReader *self)
{
  if (self == NULL)
    return;
  g_bytes_unref (self->data);
  g_array_unref (self->places);
  g_free (self);
}

GBytes *
page_reader_data (const PageReader *self)
{
  return self->data;
}

int
page_reader_count (const PageReader *self)
{
  return (int) MAX (self->places->len, 1);
}

Image *
page_reader_decode (const PageReader *self, int page, const char *name,
                    const ImageLimits *limits, GError **error)
{
  guint64 place = 0;

  if (page < 0 || page >= page_reader_count (self)) {
    tessera_fail (error, TESSERA_ERROR_INPUT, "%s: has no page %d", name,
                  page + 1);
    return NULL;
  }
  if (self->places->len > 0)
    place = g_array_index (self->places, guint64, page);
  return codec_decode_page (self->data, place, name, limits, error);
}

/* ---- writing ---- */

struct PageWriter {
  TesseraFormat format;
  EncodeOptions options;
  PageSink pages; /* of a format with pages */
  GBytes *single; /* of one without; NULL before it is there */
};

PageWriter *
page_writer_new (TesseraFormat format, const EncodeOptions *options)
{
  PageWriter *self = g_new0 (PageWriter, 1);

  self->format = format;
  self->options = *options;
  return self;
}

void
page_writer_free (PageWriter *self)
{
  if (self == NULL)
    return;
  byte_sink_clear (&self->pages.bytes);
  g_clear_pointer (&self->single, g_bytes_unref);
  g_free (self);
}

gboolean
page_writer_add (PageWriter *self, const Image *image, GError **error)
{
  const Codec *codec = codec_of_format (self->format, error);

  if (codec == NULL)
    return FALSE;
  if (codec->append != NULL)
    return codec_append (codec, image, &self->pages, &self->options, error);
  if (self->single != NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "%s cannot hold several pages; write a TIFF instead",
                         codec->name);
  self->single = image_encode (image, self->format, &self->options, error);
  return self->single != NULL;
}

GBytes *
page_writer_finish (PageWriter *self)
{
  if (self->single != NULL || self->pages.bytes.size == 0)
    return g_steal_pointer (&self->single);
  return byte_sink_finish (&self->pages.bytes);
}
