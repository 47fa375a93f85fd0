/* codec.c - the table of formats, and what they have in common */
#include "imaging/codec/codec.h"

#include <string.h>

#include "base/error.h"
#include "imaging/codec/exif.h"
#include "imaging/codec/foreign.h"
#include "imaging/codec/jpegtraces.h"
#include "imaging/codec/orient.h"

static const Codec *const codecs[] = {
  &codec_png,
  &codec_jpeg,
#ifdef HAVE_TIFF
  &codec_tiff,
#endif
#ifdef HAVE_WEBP
  &codec_webp,
#endif
};

/* Canon's raw files begin like a TIFF. */
static const Codec *
codec_for_data (const guint8 *data, gsize size)
{
  if (size >= 11 && memcmp (data + 8, "CR\002", 3) == 0)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (codecs[i]->matches (data, size))
      return codecs[i];
  return NULL;
}

const Codec *
codec_of_data (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return codec_for_data (data, size);
}

static const Codec *
codec_for_format (TesseraFormat format)
{
  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (codecs[i]->format == format)
      return codecs[i];
  return NULL;
}

/* The picture as the file stores it. */
static Image *
decode_stored (GBytes *bytes, guint64 place, const ImageLimits *limits,
               GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const Codec *codec = codec_for_data (data, size);

  if (codec != NULL && codec->decode_page != NULL)
    return codec->decode_page (data, size, place, limits, error);
  if (codec != NULL)
    return codec->decode (data, size, limits, error);
  if (size == 0)
    tessera_fail (error, TESSERA_ERROR_INPUT, "the file is empty");
  else if (foreign_describe (data, size) != NULL)
    tessera_fail (error, TESSERA_ERROR_INPUT, "%s",
                  foreign_describe (data, size));
  else
    tessera_fail (error, TESSERA_ERROR_INPUT, "not a %s picture",
                  image_format_list ());
  return NULL;
}

Image *
codec_decode_page (GBytes *data, guint64 place, const char *name,
                   const ImageLimits *limits, GError **error)
{
  Image *image = decode_stored (data, place, limits, error);

  if (image != NULL && !image_trace_jpeg (image, error))
    g_clear_pointer (&image, image_free);
  if (image != NULL && image->meta.exif != NULL)
    image->meta.orientation = exif_orientation (image->meta.exif);
  if (image != NULL && image->meta.orientation != 1) {
    g_autoptr (Image) stored = image;

    image = orient_upright (stored, stored->meta.orientation, error);
  }
  if (image == NULL)
    g_prefix_error (error, "%s: ", name);
  return image;
}

Image *
image_decode (GBytes *data, const char *name, const ImageLimits *limits,
              GError **error)
{
  return codec_decode_page (data, 0, name, limits, error);
}

/* ---- writing ---- */

/* Divides colours by alpha, for formats where they are not multiplied. */
static void
unmultiply (Image *image)
{
  int colours = image_colours (image), peak = image_peak (image);
  guint16 *pixel = image->samples;

  for (gsize i = 0; i < image_pixels (image); i++, pixel += image->channels)
    for (int c = 0; c < colours && pixel[colours] > 0; c++)
      pixel[c] = (guint16) MIN (
        peak, ((gint64) pixel[c] * peak + pixel[colours] / 2)
                / pixel[colours]);
  image->meta.is_premultiplied = FALSE;
}

/* Sets *@stored to @image as a file of that format stores it, or to NULL if
 * that is no different.  Where the file cannot say how the picture is turned,
 * it is stored upright. */
static gboolean
make_stored (const Image *image, const Codec *codec, Image **stored,
             GError **error)
{
  gboolean divide =
    image->meta.is_premultiplied && !codec->stores_premultiplied;
  gboolean turn =
    image->meta.orientation != 1
    && (codec->stores_orientation || image->meta.exif != NULL);

  *stored = NULL;
  if (turn)
    *stored = orient_stored (image, image->meta.orientation, error);
  else if (divide)
    *stored = image_copy (image, error);
  if (*stored == NULL)
    return !turn && !divide;
  if (divide)
    unmultiply (*stored);
  return TRUE;
}

const Codec *
codec_of_format (TesseraFormat format, GError **error)
{
  const Codec *codec = codec_for_format (format);

  if (codec == NULL)
    tessera_fail (error, TESSERA_ERROR_USAGE,
                  "this format is not built in; there are %s",
                  image_format_list ());
  return codec;
}

gboolean
codec_append (const Codec *codec, const Image *image, PageSink *pages,
              const EncodeOptions *options, GError **error)
{
  g_autoptr (Image) stored = NULL;

  return make_stored (image, codec, &stored, error)
         && codec->append (stored != NULL ? stored : image, pages, options,
                           error);
}

GBytes *
image_encode (const Image *image, TesseraFormat format,
              const EncodeOptions *options, GError **error)
{
  const Codec *codec = codec_of_format (format, error);
  g_autoptr (Image) stored = NULL;

  if (codec == NULL || !make_stored (image, codec, &stored, error))
    return NULL;
  return codec->encode (stored != NULL ? stored : image, options, error);
}

static void
add_once (GPtrArray *names, const char *name)
{
  if (!g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
    g_ptr_array_add (names, g_strdup (name));
}

/* WebP has no place for the resolution, or for the shape of pixels, but in EXIF
 * data. */
static gboolean
loses_density (const ImageMeta *meta, TesseraFormat format)
{
  gboolean is_said = meta->density_unit == DENSITY_ASPECT
                       ? meta->density_x != meta->density_y
                       : meta->density_unit != DENSITY_NONE;

  return format == TESSERA_WEBP && is_said
         && !exif_has (meta->exif, EXIF_X_RESOLUTION);
}

void
image_left_out (const Image *image, TesseraFormat format, GPtrArray *names)
{
  const ImageMeta *meta = &image->meta;
  const Codec *codec = codec_for_format (meta->format);

  for (guint i = 0; meta->left_out != NULL && i < meta->left_out->len; i++)
    add_once (names, meta->left_out->pdata[i]);
  if (loses_density (meta, format))
    add_once (names, "the resolution");
  if (format == meta->format || codec == NULL || codec->loses == NULL
      || meta->chunks == NULL)
    return;
  for (guint i = 0; i < meta->chunks->len; i++) {
    const char *what = codec->loses (meta, meta->chunks->pdata[i], format);

    if (what != NULL)
      add_once (names, what);
  }
}

char *
image_join_names (const GPtrArray *names)
{
  g_autoptr (GString) words = g_string_new (NULL);

  for (guint i = 0; names != NULL && i < names->len; i++)
    g_string_append_printf (words, "%s%s", i > 0 ? ", " : "",
                            (const char *) names->pdata[i]);
  return words->len > 0 ? g_string_free (g_steal_pointer (&words), FALSE)
                        : NULL;
}

char *
image_left_out_words (const Image *image, TesseraFormat format)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  image_left_out (image, format, names);
  return image_join_names (names);
}

gboolean
image_format_from_path (const char *path, TesseraFormat *format)
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

const char *
image_format_name (TesseraFormat format)
{
  const Codec *codec = codec_for_format (format);

  g_return_val_if_fail (codec != NULL, NULL);
  return codec->name;
}

const char *
image_format_type (TesseraFormat format)
{
  const Codec *codec = codec_for_format (format);

  g_return_val_if_fail (codec != NULL, NULL);
  return codec->type;
}

const char *
image_format_list (void)
{
  static char *list;

  if (g_once_init_enter (&list)) {
    GString *text = g_string_new (NULL);
    gsize count = G_N_ELEMENTS (codecs);

    for (gsize i = 0; i < count; i++)
      g_string_append_printf (
        text, "%s%s",
        i == 0           ? ""
        : i == count - 1 ? " or "
                         : ", ",
        codecs[i]->name);
    g_once_init_leave (&list, g_string_free (text, FALSE));
  }
  return list;
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

const char *
image_ending_of (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const Codec *codec = codec_for_data (data, size);

  return codec != NULL ? codec->extensions[0] : NULL;
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
