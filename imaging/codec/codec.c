/* codec.c - the table of formats, and what they have in common */
#include "imaging/codec/codec.h"

#include <string.h>

#include "base/error.h"
#include "imaging/codec/exif.h"
#include "imaging/codec/orient.h"

static const Codec *const codecs[] = { &codec_png, &codec_jpeg };

static const Codec *
codec_for_data (const guint8 *data, gsize size)
{
  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (codecs[i]->matches (data, size))
      return codecs[i];
  return NULL;
}

static const Codec *
codec_for_format (ImageFormat format)
{
  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (codecs[i]->format == format)
      return codecs[i];
  return NULL;
}

/* The picture as the file stores it. */
static Image *
decode_stored (GBytes *bytes, const ImageLimits *limits, GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const Codec *codec = codec_for_data (data, size);

  if (codec != NULL)
    return codec->decode (data, size, limits, error);
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                       size == 0 ? "the file is empty"
                                 : "not a PNG or JPEG picture");
  return NULL;
}

Image *
image_decode (GBytes *data, const char *name, const ImageLimits *limits,
              GError **error)
{
  Image *image = decode_stored (data, limits, error);

  if (image != NULL)
    image->meta.orientation = exif_orientation (image->meta.exif);
  if (image != NULL && image->meta.orientation != 1) {
    g_autoptr (Image) stored = image;

    image = orient_upright (stored, stored->meta.orientation, error);
  }
  if (image == NULL)
    g_prefix_error (error, "%s: ", name);
  return image;
}

GBytes *
image_encode (const Image *image, ImageFormat format,
              const EncodeOptions *options, GError **error)
{
  const Codec *codec = codec_for_format (format);

  g_return_val_if_fail (codec != NULL, NULL);
  if (image->meta.orientation == 1)
    return codec->encode (image, options, error);

  g_autoptr (Image) stored =
    orient_stored (image, image->meta.orientation, error);

  return stored != NULL ? codec->encode (stored, options, error) : NULL;
}

gboolean
image_format_from_path (const char *path, ImageFormat *format)
{
  const char *dot = strrchr (path, '.');

  if (dot == NULL)
    return FALSE;
  g_autofree char *ending = g_ascii_strdown (dot + 1, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (g_strv_contains (codecs[i]->extensions, ending)) {
      *format = codecs[i]->format;
      return TRUE;
    }
  return FALSE;
}

const char *const *
image_format_endings (void)
{
  static char **endings;

  if (g_once_init_enter (&endings)) {
    g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

    for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
      g_strv_builder_addv (builder, (const char **) codecs[i]->extensions);
    g_once_init_leave (&endings, g_strv_builder_end (builder));
  }
  return (const char *const *) endings;
}

gboolean
image_limits_allow (const ImageLimits *limits, gsize width, gsize height,
                    GError **error)
{
  gsize max_side = (gsize) limits->max_side;

  if (width > max_side || height > max_side) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                 "the picture has %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT
                 " pixels, more than the limit of %d per side",
                 width, height, limits->max_side);
    return FALSE;
  }
  if (width > limits->max_pixels / height) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                 "the picture has %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT
                 " pixels, more than the limit of %" G_GSIZE_FORMAT,
                 width, height, limits->max_pixels);
    return FALSE;
  }
  return TRUE;
}

gboolean
image_limits_forgive (const ImageLimits *limits, gsize rows, GError **error)
{
  if (!limits->lenient || rows == 0
      || !g_error_matches (*error, TESSERA_ERROR, TESSERA_ERROR_INPUT))
    return FALSE;
  g_clear_error (error);
  return TRUE;
}
