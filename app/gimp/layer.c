#include "app/gimp/layer.h"

#include <string.h>

/* How many rows are written at a time: a row of tiles. */
#define BAND 64

static gboolean
refuse (const char *message, GError **error)
{
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT, message);
  return FALSE;
}

gboolean
layer_check (gint32 drawable, gboolean to_be_written, GError **error)
{
  if (!gimp_item_is_drawable (drawable))
    return refuse ("there is no such layer", error);
  if (gimp_drawable_is_indexed (drawable))
    return refuse ("the image has a palette; convert it with Image > Mode > "
                   "RGB first",
                   error);
  if (to_be_written && gimp_item_is_group (drawable))
    return refuse ("a group of layers has no pixels of its own; choose a "
                   "layer",
                   error);
  if (to_be_written && gimp_item_get_lock_content (drawable))
    return refuse ("the pixels of the layer are locked", error);
  return TRUE;
}

GeglRectangle
layer_extent (gint32 drawable)
{
  return (GeglRectangle){ 0, 0, gimp_drawable_width (drawable),
                          gimp_drawable_height (drawable) };
}

/* ---- formats ---- */

static int
channels_of (gint32 drawable)
{
  return (gimp_drawable_is_rgb (drawable) ? 3 : 1)
         + (gimp_drawable_has_alpha (drawable) ? 1 : 0);
}

/* Bits of a sample while it is worked on. */
static int
depth_of (gint32 drawable)
{
  const Babl *format = gimp_drawable_get_format (drawable);
  GimpPrecision precision =
    gimp_image_get_precision (gimp_item_get_image (drawable));
  gboolean is_byte = babl_format_get_type (format, 0) == babl_type ("u8");

  /* Channels and masks hold plain numbers in any case. */
  return is_byte
             && (precision == GIMP_PRECISION_U8_GAMMA
                 || gimp_item_is_channel (drawable))
           ? 8
           : 16;
}

/* How the library sees the samples of @drawable: as a file has them. */
static const Babl *
work_format (gint32 drawable)
{
  static const char *const models[] = { "Y'", "Y'A", "R'G'B'", "R'G'B'A" };
  const Babl *space =
    babl_format_get_space (gimp_drawable_get_format (drawable));
  const char *model =
    gimp_item_is_channel (drawable) ? "Y" : models[channels_of (drawable) - 1];
  g_autofree char *name =
    g_strdup_printf ("%s u%d", model, depth_of (drawable));

  return babl_format_with_space (name, space);
}

/* ---- samples ---- */

/* Memory for @width x @height pixels of @drawable; NULL with @error set. */
static guint8 *
try_samples (gint32 drawable, int width, int height, GError **error)
{
  gsize size =
    (gsize) babl_format_get_bytes_per_pixel (work_format (drawable));
  guint8 *samples = g_try_malloc_n ((gsize) width * (gsize) height, size);

  if (samples == NULL)
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY,
                 "out of memory for %d x %d pixels", width, height);
  return samples;
}

/* @samples, of @width pixels a row, as the library wants them described. */
static TesseraPixels
describe (gint32 drawable, guint8 *samples, int width)
{
  int size = depth_of (drawable) / 8, channels = channels_of (drawable);

  return (TesseraPixels){ .data = samples,
                          .type = size == 1 ? TESSERA_UINT8 : TESSERA_UINT16,
                          .row_stride = (ptrdiff_t) width * channels * size,
                          .pixel_stride = channels * size,
                          .channel_stride = size };
}

TesseraImage *
layer_read (gint32 drawable, const GeglRectangle *part, GError **error)
{
  g_autofree guint8 *samples =
    try_samples (drawable, part->width, part->height, error);
  g_autoptr (GeglBuffer) buffer = NULL;
  TesseraPixels pixels;
  TesseraImage *image;

  if (samples == NULL)
    return NULL;
  image = tessera_image_new (part->width, part->height, channels_of (drawable),
                             depth_of (drawable), error);
  if (image == NULL)
    return NULL;
  buffer = gimp_drawable_get_buffer (drawable);
  gegl_buffer_get (buffer, part, 1, work_format (drawable), samples,
                   GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  pixels = describe (drawable, samples, part->width);
  if (tessera_image_set_pixels (image, &pixels, error))
    return image;
  tessera_image_free (image);
  return NULL;
}

/* ---- writing ---- */

/* What changes from one buffer to another: pixels in the format of the layer,
 * and the same for the library, before and after. */
typedef struct {
  const Babl *format, *work;
  gsize size, work_size; /* of a pixel */
  guint8 *pixels, *before, *fresh;
} Band;

static Band
band_new (gint32 drawable, int width)
{
  Band band = { .format = gimp_drawable_get_format (drawable),
                .work = work_format (drawable) };

  band.size = (gsize) babl_format_get_bytes_per_pixel (band.format);
  band.work_size = (gsize) babl_format_get_bytes_per_pixel (band.work);
  band.pixels = g_malloc_n ((gsize) width * BAND, band.size);
  band.before = g_malloc_n ((gsize) width * BAND, band.work_size);
  band.fresh = g_malloc_n ((gsize) width * BAND, band.size);
  return band;
}

static void
band_clear (Band *band)
{
  g_free (band->pixels);
  g_free (band->before);
  g_free (band->fresh);
}

/* Copies the rows @place from @from to @to, with the pixels of @after where
 * these differ; rows of @after are @stride bytes apart. */
static void
write_band (Band *band, GeglBuffer *from, GeglBuffer *to,
            const GeglRectangle *place, const guint8 *after, gsize stride)
{
  gsize row = (gsize) place->width;

  gegl_buffer_get (from, place, 1, band->format, band->pixels,
                   GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  gegl_buffer_get (from, place, 1, band->work, band->before,
                   GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (int y = 0; y < place->height; y++) {
    const guint8 *new_row = after + (gsize) y * stride;
    const guint8 *old_row = band->before + (gsize) y * row * band->work_size;
    guint8 *pixels = band->pixels + (gsize) y * row * band->size;

    babl_process (babl_fish (band->work, band->format), new_row, band->fresh,
                  place->width);
    for (gsize x = 0; x < row; x++)
      if (memcmp (old_row + x * band->work_size, new_row + x * band->work_size,
                  band->work_size)
          != 0)
        memcpy (pixels + x * band->size, band->fresh + x * band->size,
                band->size);
  }
  gegl_buffer_set (to, place, 0, band->format, band->pixels,
                   GEGL_AUTO_ROWSTRIDE);
}

/* Puts what is to become of @bounds into the shadow of @drawable, from where
 * GIMP takes it. */
static void
fill_shadow (gint32 drawable, const guint8 *samples, gsize stride,
             const GeglRectangle *bounds)
{
  g_autoptr (GeglBuffer) from = gimp_drawable_get_buffer (drawable);
  g_autoptr (GeglBuffer) to = gimp_drawable_get_shadow_buffer (drawable);
  Band band = band_new (drawable, bounds->width);

  for (int y = 0; y < bounds->height; y += BAND) {
    const GeglRectangle place = { bounds->x, bounds->y + y, bounds->width,
                                  MIN (BAND, bounds->height - y) };

    write_band (&band, from, to, &place,
                samples + (gsize) place.y * stride
                  + (gsize) place.x * band.work_size,
                stride);
  }
  band_clear (&band);
}

gboolean
layer_write (gint32 drawable, const TesseraImage *restored,
             const GeglRectangle *bounds, GError **error)
{
  int width = tessera_image_width (restored);
  g_autofree guint8 *samples =
    try_samples (drawable, width, tessera_image_height (restored), error);
  TesseraPixels pixels;

  if (samples == NULL)
    return FALSE;
  pixels = describe (drawable, samples, width);
  if (!tessera_image_get_pixels (restored, &pixels, error))
    return FALSE;
  fill_shadow (drawable, samples, (gsize) pixels.row_stride, bounds);
  if (!gimp_drawable_merge_shadow (drawable, TRUE))
    return refuse (gimp_get_pdb_error (), error);
  gimp_drawable_update (drawable, bounds->x, bounds->y, bounds->width,
                        bounds->height);
  return TRUE;
}
