/* webp.c - WebP, by libwebp
 *
 * Lossy and lossless files are read, and files are written lossless unless a
 * quality is asked for: 8 bits a sample, colour with or without alpha.  WebP
 * knows no grey, which is written as colour with three equal samples.
 *
 * Metadata are the chunks ICCP, EXIF and XMP of the container.
 */
#include "imaging/codec/codec.h"

#include "base/error.h"
#include "imaging/codec/bytesink.h"
#include "imaging/codec/profile.h"

#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>

static const char *const chunk_names[] = { "ICCP", "EXIF", "XMP " };

/* ---- metadata ---- */

/* EXIF may start as in a JPEG. */
static GBytes *
tiff_data_of (GBytes *exif)
{
  static const char head[6] = "Exif\0";
  gsize size;
  const guint8 *data = g_bytes_get_data (exif, &size);

  if (size >= sizeof head && memcmp (data, head, sizeof head) == 0)
    return g_bytes_new_from_bytes (exif, sizeof head, size - sizeof head);
  return g_bytes_ref (exif);
}

static void
interpret (ImageMeta *meta, const ImageChunk *chunk)
{
  if (g_str_equal (chunk->name, "ICCP"))
    profile_set (meta, g_bytes_ref (chunk->data));
  else if (g_str_equal (chunk->name, "EXIF"))
    meta->exif = tiff_data_of (chunk->data);
  else
    meta->xmp = g_bytes_ref (chunk->data);
}

/* Keeps the chunk called @name, if there is one. */
static gboolean
read_chunk (const WebPDemuxer *demux, const char *name,
            const ImageLimits *limits, ImageMeta *meta, GError **error)
{
  WebPChunkIterator at;
  ImageChunk *chunk;

  if (!WebPDemuxGetChunk (demux, name, 1, &at))
    return TRUE;
  if (at.chunk.size > limits->max_metadata) {
    WebPDemuxReleaseChunkIterator (&at);
    return tessera_fail (error, TESSERA_ERROR_LIMIT,
                         "the metadata of the WebP has more than %"
                         G_GSIZE_FORMAT " bytes",
                         limits->max_metadata);
  }
  chunk = image_chunk_new (name, 0, g_bytes_new (at.chunk.bytes,
                                                 at.chunk.size));
  WebPDemuxReleaseChunkIterator (&at);
  g_ptr_array_add (meta->chunks, chunk);
  interpret (meta, chunk);
  if (meta->icc == NULL)
    image_chunks_remove (meta->chunks, "ICCP");
  return TRUE;
}

/* A file that breaks off may lack the chunks behind the pixels. */
static gboolean
read_meta (const WebPData *file, const ImageLimits *limits, ImageMeta *meta,
           GError **error)
{
  WebPDemuxState state;
  WebPDemuxer *demux = WebPDemuxPartial (file, &state);
  gboolean ok = TRUE;

  meta->format = TESSERA_WEBP;
  meta->chunks = image_chunks_new ();
  if (demux == NULL)
    return limits->lenient
           || tessera_fail (error, TESSERA_ERROR_INPUT, "the WebP is broken");
  for (gsize i = 0; ok && i < G_N_ELEMENTS (chunk_names); i++)
    ok = read_chunk (demux, chunk_names[i], limits, meta, error);
  WebPDemuxDelete (demux);
  return ok;
}

/* ---- reading ---- */

static gboolean
check_header (const WebPData *file, const ImageLimits *limits,
              WebPBitstreamFeatures *features, GError **error)
{
  switch (WebPGetFeatures (file->bytes, file->size, features)) {
  case VP8_STATUS_OK:
    break;
  case VP8_STATUS_NOT_ENOUGH_DATA:
    return tessera_fail (error, TESSERA_ERROR_INPUT, "the WebP is truncated");
  default:
    return tessera_fail (error, TESSERA_ERROR_INPUT, "the WebP is broken");
  }
  if (features->has_animation)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "the WebP is an animation; extract a frame first, "
                         "for example with webpmux");
  return image_limits_allow (limits, (gsize) features->width,
                             (gsize) features->height, error);
}

/* Whether the file is as long as its header says: the last bytes of a picture
 * may hold no pixel, and libwebp does not miss them. */
static gboolean
is_whole (const WebPData *file)
{
  guint32 size;

  if (file->size < 8 || memcmp (file->bytes, "RIFF", 4) != 0)
    return FALSE;
  memcpy (&size, file->bytes + 4, sizeof size);
  return file->size - 8 >= GUINT32_FROM_LE (size);
}

/* Decodes into @pixels, rows without gaps, and sets how many rows there are
 * of it. */
static gboolean
decode_rows (const WebPData *file, const Image *image, guint8 *pixels,
             int *rows, GError **error)
{
  gsize stride = (gsize) image->width * (gsize) image->channels;
  WebPIDecoder *decoder =
    WebPINewRGB (image->channels == 4 ? MODE_RGBA : MODE_RGB, pixels,
                 stride * (gsize) image->height, (int) stride);
  VP8StatusCode status =
    decoder != NULL ? WebPIAppend (decoder, file->bytes, file->size)
                    : VP8_STATUS_OUT_OF_MEMORY;

  *rows = 0;
  if (decoder != NULL)
    WebPIDecGetRGB (decoder, rows, NULL, NULL, NULL);
  WebPIDelete (decoder);
  if (status == VP8_STATUS_OK && !is_whole (file))
    status = VP8_STATUS_NOT_ENOUGH_DATA;
  switch (status) {
  case VP8_STATUS_OK:
    return TRUE;
  case VP8_STATUS_OUT_OF_MEMORY:
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory for the WebP");
  case VP8_STATUS_SUSPENDED:
  case VP8_STATUS_NOT_ENOUGH_DATA:
    return tessera_fail (error, TESSERA_ERROR_INPUT, "the WebP is truncated");
  default:
    return tessera_fail (error, TESSERA_ERROR_INPUT, "the WebP is broken");
  }
}

static gboolean
read_pixels (const WebPData *file, const ImageLimits *limits, Image *image,
             GError **error)
{
  gsize stride = (gsize) image->width * (gsize) image->channels;
  g_autofree guint8 *pixels = tessera_try_new (
    guint8, stride * (gsize) image->height, "the WebP", error);
  GError *trouble = NULL;
  int rows;

  if (pixels == NULL)
    return FALSE;
  if (!decode_rows (file, image, pixels, &rows, &trouble)
      && !image_limits_forgive (limits, (gsize) rows, &trouble)) {
    g_propagate_error (error, trouble);
    return FALSE;
  }
  for (gsize i = 0; i < stride * (gsize) rows; i++)
    image->samples[i] = pixels[i];
  return TRUE;
}

static Image *
decode (const guint8 *data, gsize size, const ImageLimits *limits,
        GError **error)
{
  WebPData file = { data, size };
  WebPBitstreamFeatures features;
  g_autoptr (Image) image = NULL;

  if (!check_header (&file, limits, &features, error))
    return NULL;
  image = image_new (features.width, features.height,
                     features.has_alpha ? 4 : 3, 8, error);
  if (image == NULL || !read_meta (&file, limits, &image->meta, error)
      || !read_pixels (&file, limits, image, error))
    return NULL;
  image->meta.is_lossy = features.format == 1;
  if (image->meta.is_lossy)
    image->meta.cell_width = image->meta.cell_height = 2;
  return g_steal_pointer (&image);
}

/* ---- writing ---- */

static gboolean
check_image (const Image *image, GError **error)
{
  const char *what = NULL;

  if (image->depth == 16)
    what = "16 bits a sample";
  else if (image->meta.has_key)
    what = "a transparent color";
  else if (MAX (image->width, image->height) > WEBP_MAX_DIMENSION)
    what = "more than 16383 pixels a side";
  return what == NULL
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "WebP cannot hold %s; write a PNG instead", what);
}

static int
append (const uint8_t *data, size_t size, const WebPPicture *picture)
{
  return byte_sink_append (picture->custom_ptr, data, size);
}

/* Gives @picture the pixels of @image: 0xAARRGGBB. */
static gboolean
import (const Image *image, WebPPicture *picture)
{
  int colours = image_colours (image), peak = image_peak (image);
  guint32 scale = 255 / (guint32) peak; /* exact for 1, 2, 4 and 8 bits */

  picture->use_argb = 1;
  picture->width = image->width;
  picture->height = image->height;
  if (!WebPPictureAlloc (picture))
    return FALSE;
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) {
      const guint16 *pixel = image_pixel (image, x, y);
      guint32 alpha =
        image_has_alpha (image) ? pixel[colours] * scale : 255;
      guint32 red = pixel[0] * scale;
      guint32 green = colours == 3 ? pixel[1] * scale : red;
      guint32 blue = colours == 3 ? pixel[2] * scale : red;

      picture->argb[y * picture->argb_stride + x] =
        alpha << 24 | red << 16 | green << 8 | blue;
    }
  return TRUE;
}

static gboolean
set_encoder (WebPConfig *config, int quality)
{
  /* Level 6 of the lossless levels 0 .. 9: libwebp's own choice. */
  if (!WebPConfigInit (config)
      || (quality == 0 && !WebPConfigLosslessPreset (config, 6)))
    return FALSE;
  if (quality > 0)
    config->quality = (float) quality;
  config->exact = 1; /* keep the colour of transparent pixels */
  return TRUE;
}

/* The bare picture. */
static gboolean
encode_picture (const Image *image, int quality, ByteSink *sink,
                GError **error)
{
  WebPConfig config;
  WebPPicture picture;
  WebPEncodingError code = VP8_ENC_ERROR_OUT_OF_MEMORY;
  gboolean ok = FALSE;

  if (!set_encoder (&config, quality) || !WebPPictureInit (&picture))
    return tessera_fail (error, TESSERA_ERROR_FAILED,
                         "libwebp is of another version");
  picture.writer = append;
  picture.custom_ptr = sink;
  if (import (image, &picture)) {
    ok = WebPEncode (&config, &picture);
    code = picture.error_code;
  }
  WebPPictureFree (&picture);
  if (ok)
    return TRUE;
  if (code == VP8_ENC_ERROR_OUT_OF_MEMORY
      || code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY
      || code == VP8_ENC_ERROR_BAD_WRITE)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory for the WebP");
  return tessera_fail (error, TESSERA_ERROR_FAILED,
                       "cannot make a WebP: error %d", (int) code);
}

/* The chunk to write under @name, or NULL. */
static GBytes *
chunk_to_write (const ImageMeta *meta, const char *name)
{
  const ImageChunk *own = meta->format == TESSERA_WEBP
                            ? image_chunks_find (meta->chunks, name)
                            : NULL;

  if (own != NULL)
    return own->data;
  if (g_str_equal (name, "ICCP"))
    return meta->icc;
  return g_str_equal (name, "EXIF") ? meta->exif : meta->xmp;
}

static gboolean
add_chunks (WebPMux *mux, const ImageMeta *meta)
{
  for (gsize i = 0; i < G_N_ELEMENTS (chunk_names); i++) {
    GBytes *bytes = chunk_to_write (meta, chunk_names[i]);
    WebPData data = { 0 };

    if (bytes == NULL)
      continue;
    data.bytes = g_bytes_get_data (bytes, &data.size);
    if (data.size > 0
        && WebPMuxSetChunk (mux, chunk_names[i], &data, 0) != WEBP_MUX_OK)
      return FALSE;
  }
  return TRUE;
}

static gboolean
has_chunks (const ImageMeta *meta)
{
  for (gsize i = 0; i < G_N_ELEMENTS (chunk_names); i++)
    if (chunk_to_write (meta, chunk_names[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* Puts the picture and its metadata into a container. */
static GBytes *
wrap (const ByteSink *sink, const ImageMeta *meta, GError **error)
{
  WebPData picture = { sink->data, sink->size }, file = { 0 };
  WebPMux *mux = WebPMuxNew ();
  GBytes *bytes = NULL;
  guint8 *copy = NULL;

  if (mux != NULL && WebPMuxSetImage (mux, &picture, 0) == WEBP_MUX_OK
      && add_chunks (mux, meta) && WebPMuxAssemble (mux, &file) == WEBP_MUX_OK)
    copy = g_try_malloc (file.size);
  if (copy != NULL)
    bytes = g_bytes_new_take (memcpy (copy, file.bytes, file.size), file.size);
  else
    tessera_fail (error, TESSERA_ERROR_MEMORY,
                  "not enough memory for the WebP");
  WebPDataClear (&file);
  WebPMuxDelete (mux);
  return bytes;
}

static GBytes *
encode (const Image *image, const EncodeOptions *options, GError **error)
{
  g_auto (ByteSink) sink = { 0 };

  if (!check_image (image, error)
      || !encode_picture (image, options->webp_quality, &sink, error))
    return NULL;
  return has_chunks (&image->meta) ? wrap (&sink, &image->meta, error)
                                   : byte_sink_finish (&sink);
}

/* ---- */

static gboolean
has_signature (const guint8 *data, gsize size)
{
  return size >= 12 && memcmp (data, "RIFF", 4) == 0
         && memcmp (data + 8, "WEBP", 4) == 0;
}

static const char *const extensions[] = { "webp", NULL };

const Codec codec_webp = {
  .format = TESSERA_WEBP,
  .name = "WebP",
  .type = "image/webp",
  .extensions = extensions,
  .matches = has_signature,
  .decode = decode,
  .encode = encode,
};
