#include "imaging/image.h"

#include "imaging/api/api.h"
#include "imaging/codec/pages.h"

#include <math.h>
#include <string.h>

/* The name of a picture in memory, for messages. */
#define IN_MEMORY "picture"

/* ---- files ---- */

static gboolean
read_limits (const TesseraReadOptions *options, ImageLimits *limits,
             gsize *page, GError **error)
{
  TesseraReadOptions o = { 0 };

  *limits = IMAGE_LIMITS_DEFAULTS;
  if (!options_read (options, &o, sizeof o, error))
    return FALSE;
  if (o.max_side < 0 || o.max_scans < 0)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "limits must not be negative");
  if (o.max_pixels > 0)
    limits->max_pixels = o.max_pixels;
  if (o.max_side > 0)
    limits->max_side = o.max_side;
  if (o.max_scans > 0)
    limits->max_scans = o.max_scans;
  if (o.max_metadata > 0)
    limits->max_metadata = o.max_metadata;
  limits->lenient = o.lenient != 0;
  *page = o.page;
  return TRUE;
}

static Image *
decode (GBytes *bytes, const char *name, const TesseraReadOptions *options,
        GError **error)
{
  g_autoptr (PageReader) file = page_reader_new (bytes);
  ImageLimits limits;
  gsize page = 0;
  Image *image;

  if (!read_limits (options, &limits, &page, error))
    return NULL;
  image = page_reader_decode (file, (int) MIN (page, G_MAXINT), name, &limits,
                              error);
  if (image != NULL)
    image->meta.pages = page_reader_count (file);
  return image;
}

TesseraImage *
tessera_image_read (const char *path, const TesseraReadOptions *options,
                    GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (path != NULL, NULL);

  bytes = read_whole_file (path, error);
  return bytes != NULL ? decode (bytes, path, options, error) : NULL;
}

TesseraImage *
tessera_image_decode (const void *data, size_t size,
                      const TesseraReadOptions *options, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (data != NULL || size == 0, NULL);

  bytes = g_bytes_new_static (data, size);
  return decode (bytes, IN_MEMORY, options, error);
}

static gboolean
choose_format (const TesseraImage *image, const char *path,
               TesseraFormat wanted, TesseraFormat *format, GError **error)
{
  *format = wanted != TESSERA_FORMAT_AUTO ? wanted : image->meta.format;
  return wanted != TESSERA_FORMAT_AUTO || path == NULL
         || image_format_from_path (path, format)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "%s: the ending must be that of a %s picture", path,
                          image_format_list ());
}

/* How to write @image to the file @path, or to memory if that is NULL. */
static gboolean
read_options (const TesseraImage *image, const char *path,
              const TesseraWriteOptions *options, TesseraFormat *format,
              EncodeOptions *own, GError **error)
{
  TesseraWriteOptions o = { 0 };

  *own = ENCODE_DEFAULTS;
  if (!options_read (options, &o, sizeof o, error)
      || !choose_format (image, path, o.format, format, error))
    return FALSE;
  if (o.jpeg_quality < 0 || o.jpeg_quality > 100) {
    tessera_fail (error, TESSERA_ERROR_USAGE,
                  "the quality of a JPEG is %d: give one from 1 to 100",
                  o.jpeg_quality);
    return FALSE;
  }
  if (o.jpeg_quality > 0)
    own->jpeg_quality = o.jpeg_quality;
  return TRUE;
}

static GBytes *
encode (const TesseraImage *image, const char *path,
        const TesseraWriteOptions *options, GError **error)
{
  EncodeOptions own;
  TesseraFormat format;

  return read_options (image, path, options, &format, &own, error)
           ? image_encode (image, format, &own, error)
           : NULL;
}

gboolean
tessera_image_write (const TesseraImage *image, const char *path,
                     const TesseraWriteOptions *options, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (image != NULL && path != NULL, FALSE);

  bytes = encode (image, path, options, error);
  return bytes != NULL && write_whole_file (path, bytes, error);
}

gboolean
tessera_image_write_pages (const TesseraImage *const *pages, int count,
                           const char *path,
                           const TesseraWriteOptions *options, GError **error)
{
  EncodeOptions own;
  TesseraFormat format;
  g_autoptr (PageWriter) writer = NULL;
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (pages != NULL && count > 0 && path != NULL, FALSE);

  if (!read_options (pages[0], path, options, &format, &own, error))
    return FALSE;
  writer = page_writer_new (format, &own);
  for (int i = 0; i < count; i++)
    if (!page_writer_add (writer, pages[i], error))
      return FALSE;
  bytes = page_writer_finish (writer);
  return write_whole_file (path, bytes, error);
}

char *
tessera_image_left_out (const TesseraImage *image, TesseraFormat format)
{
  g_return_val_if_fail (image != NULL, NULL);

  return image_left_out_words (
    image, format == TESSERA_FORMAT_AUTO ? image->meta.format : format);
}

void *
tessera_image_encode (const TesseraImage *image,
                      const TesseraWriteOptions *options, size_t *size,
                      GError **error)
{
  GBytes *bytes;

  g_return_val_if_fail (image != NULL && size != NULL, NULL);

  bytes = encode (image, NULL, options, error);
  return bytes != NULL ? g_bytes_unref_to_data (bytes, size) : NULL;
}

/* ---- objects ---- */

TesseraImage *
tessera_image_new (int width, int height, int channels, int depth,
                   GError **error)
{
  gboolean whole = depth == 8 || depth == 16;
  gboolean small = depth == 1 || depth == 2 || depth == 4;

  if (width < 1 || height < 1 || channels < 1 || channels > 4
      || !(whole || (small && channels == 1))) {
    tessera_fail (error, TESSERA_ERROR_USAGE,
                  "there are no pictures of %d x %d pixels, %d channels and "
                  "%d bits",
                  width, height, channels, depth);
    return NULL;
  }
  return image_new (width, height, channels, depth, error);
}

TesseraImage *
tessera_image_copy (const TesseraImage *image, GError **error)
{
  g_return_val_if_fail (image != NULL, NULL);

  return image_copy (image, error);
}

void
tessera_image_free (TesseraImage *image)
{
  image_free (image);
}

int
tessera_image_width (const TesseraImage *image)
{
  g_return_val_if_fail (image != NULL, 0);

  return image->width;
}

int
tessera_image_height (const TesseraImage *image)
{
  g_return_val_if_fail (image != NULL, 0);

  return image->height;
}

int
tessera_image_channels (const TesseraImage *image)
{
  g_return_val_if_fail (image != NULL, 0);

  return image->channels;
}

int
tessera_image_depth (const TesseraImage *image)
{
  g_return_val_if_fail (image != NULL, 0);

  return image->depth;
}

int
tessera_image_pages (const TesseraImage *image)
{
  g_return_val_if_fail (image != NULL, 0);

  return MAX (1, image->meta.pages);
}

/* ---- samples ---- */

static gboolean
check_pixels (const TesseraImage *image, const TesseraPixels *pixels,
              GError **error)
{
  if (pixels->type < TESSERA_UINT8 || pixels->type > TESSERA_FLOAT64)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "there is no type of numbers %d", (int) pixels->type);
  if (pixels->type == TESSERA_UINT8 && image->depth > 8)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "samples of %d bits do not fit type UINT8",
                         image->depth);
  return TRUE;
}

static guint8 *
sample_at (const TesseraPixels *pixels, int x, int y, int c)
{
  return (guint8 *) pixels->data + y * pixels->row_stride
         + x * pixels->pixel_stride + c * pixels->channel_stride;
}

/* Samples need not be aligned. */
static void
put_sample (guint8 *at, TesseraType type, guint16 sample, int peak)
{
  double number = (double) sample / peak;
  float single = (float) number;

  switch (type) {
  case TESSERA_UINT8:
    *at = (guint8) sample;
    break;
  case TESSERA_UINT16:
    memcpy (at, &sample, sizeof sample);
    break;
  case TESSERA_FLOAT32:
    memcpy (at, &single, sizeof single);
    break;
  case TESSERA_FLOAT64:
    memcpy (at, &number, sizeof number);
    break;
  }
}

/* The sample at @at, where @peak is the largest value. */
static double
take_sample (const guint8 *at, TesseraType type, int peak)
{
  guint16 sample;
  double number;
  float single;

  switch (type) {
  case TESSERA_UINT8:
    return *at;
  case TESSERA_UINT16:
    memcpy (&sample, at, sizeof sample);
    return sample;
  case TESSERA_FLOAT32:
    memcpy (&single, at, sizeof single);
    return (double) single * peak;
  case TESSERA_FLOAT64:
    memcpy (&number, at, sizeof number);
    return number * peak;
  }
  return NAN;
}

gboolean
tessera_image_get_pixels (const TesseraImage *image,
                          const TesseraPixels *pixels, GError **error)
{
  g_return_val_if_fail (image != NULL && pixels != NULL, FALSE);

  if (!check_pixels (image, pixels, error))
    return FALSE;
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < image->channels; c++)
        put_sample (sample_at (pixels, x, y, c), pixels->type,
                    image_pixel (image, x, y)[c], image_peak (image));
  return TRUE;
}

static gboolean
check_numbers (const TesseraImage *image, const TesseraPixels *pixels,
               GError **error)
{
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < image->channels; c++)
        if (isnan (take_sample (sample_at (pixels, x, y, c), pixels->type, 1)))
          return tessera_fail (error, TESSERA_ERROR_INPUT,
                               "channel %d of the pixel in column %d, row %d "
                               "is not a number",
                               c, x, y);
  return TRUE;
}

gboolean
tessera_image_set_pixels (TesseraImage *image, const TesseraPixels *pixels,
                          GError **error)
{
  int peak;

  g_return_val_if_fail (image != NULL && pixels != NULL, FALSE);

  if (!check_pixels (image, pixels, error)
      || !check_numbers (image, pixels, error))
    return FALSE;
  peak = image_peak (image);
  image_drop_palette (image);
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      for (int c = 0; c < image->channels; c++) {
        double number =
          take_sample (sample_at (pixels, x, y, c), pixels->type, peak);

        image_pixel (image, x, y)[c] =
          (guint16) CLAMP (floor (number + 0.5), 0, peak);
      }
  return TRUE;
}
