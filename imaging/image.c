/* image.c - pictures in memory: making, copying, freeing, transparency */
#include "imaging/image.h"

#include <string.h>

#include "base/error.h"

/* The PNG chunks whose content depends on there being a palette. */
static const char *const palette_chunks[] = { "hIST", "bKGD", "sBIT" };

/* The memory is zero, but large blocks of it are not touched before use: a
 * file that claims a huge picture costs no more than the rows it holds. */
static gboolean
allocate_samples (Image *image)
{
  gsize pixels, samples;

  if (!g_size_checked_mul (&pixels, (gsize) image->width,
                           (gsize) image->height)
      || !g_size_checked_mul (&samples, pixels, (gsize) image->channels))
    return FALSE;
  image->samples = g_try_new0 (guint16, samples);
  return image->samples != NULL;
}

Image *
image_new (int width, int height, int channels, int depth, GError **error)
{
  g_return_val_if_fail (width >= 1 && height >= 1, NULL);
  g_return_val_if_fail (channels >= 1 && channels <= 4, NULL);
  g_return_val_if_fail (depth == 8 || depth == 16 || channels == 1, NULL);

  g_autoptr (Image) image = g_new0 (Image, 1);

  image->width = width;
  image->height = height;
  image->channels = channels;
  image->depth = depth;
  image->meta.format = TESSERA_PNG;
  image->meta.orientation = 1;
  if (!allocate_samples (image)) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY,
                 "not enough memory for a picture of %d x %d pixels", width,
                 height);
    return NULL;
  }
  return g_steal_pointer (&image);
}

static void
copy_meta (const ImageMeta *from, ImageMeta *to)
{
  *to = *from;
  if (to->chunks != NULL)
    to->chunks = image_chunks_copy (from->chunks);
  if (to->left_out != NULL)
    g_ptr_array_ref (to->left_out);
  if (to->icc != NULL)
    g_bytes_ref (to->icc);
  if (to->exif != NULL)
    g_bytes_ref (to->exif);
  if (to->xmp != NULL)
    g_bytes_ref (to->xmp);
  if (to->resources != NULL)
    g_bytes_ref (to->resources);
}

/* Gives @image the colours of @palette and indices that are all zero. */
static gboolean
copy_palette (const ImagePalette *palette, Image *image, GError **error)
{
  image->palette = g_memdup2 (palette, sizeof *palette);
  image->palette->index = g_try_new0 (guint8, image_pixels (image));
  if (image->palette->index == NULL) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY,
                         "not enough memory for the palette of a picture");
    return FALSE;
  }
  return TRUE;
}

Image *
image_new_like (const Image *image, int width, int height, GError **error)
{
  g_autoptr (Image) fresh =
    image_new (width, height, image->channels, image->depth, error);

  if (fresh == NULL)
    return NULL;
  copy_meta (&image->meta, &fresh->meta);
  if (image->palette != NULL && !copy_palette (image->palette, fresh, error))
    return NULL;
  return g_steal_pointer (&fresh);
}

Image *
image_copy (const Image *image, GError **error)
{
  Image *copy = image_new_like (image, image->width, image->height, error);
  gsize pixels = image_pixels (image);

  if (copy == NULL)
    return NULL;
  memcpy (copy->samples, image->samples,
          pixels * (gsize) image->channels * sizeof *image->samples);
  if (image->palette != NULL)
    memcpy (copy->palette->index, image->palette->index, pixels);
  return copy;
}

Image *
image_middle (const Image *image, int side, GError **error)
{
  int width = MIN (side, image->width), height = MIN (side, image->height);
  int left = (image->width - width) / 2, top = (image->height - height) / 2;
  Image *middle =
    image_new (width, height, image->channels, image->depth, error);

  for (int y = 0; middle != NULL && y < height; y++)
    memcpy (image_pixel (middle, 0, y), image_pixel (image, left, top + y),
            (gsize) width * (gsize) image->channels * sizeof *image->samples);
  return middle;
}

static void
free_palette (ImagePalette *palette)
{
  if (palette != NULL)
    g_free (palette->index);
  g_free (palette);
}

void
image_free (Image *image)
{
  if (image == NULL)
    return;
  g_free (image->samples);
  free_palette (image->palette);
  g_clear_pointer (&image->meta.chunks, g_ptr_array_unref);
  g_clear_pointer (&image->meta.left_out, g_ptr_array_unref);
  g_clear_pointer (&image->meta.icc, g_bytes_unref);
  g_clear_pointer (&image->meta.exif, g_bytes_unref);
  g_clear_pointer (&image->meta.xmp, g_bytes_unref);
  g_clear_pointer (&image->meta.resources, g_bytes_unref);
  g_free (image);
}

ImageChunk *
image_chunk_new (const char *name, int place, GBytes *data)
{
  ImageChunk *chunk = g_new0 (ImageChunk, 1);

  g_strlcpy (chunk->name, name, sizeof chunk->name);
  chunk->place = place;
  chunk->data = data;
  return chunk;
}

/* A copy that shares the bytes. */
static ImageChunk *
chunk_copy (const ImageChunk *chunk)
{
  ImageChunk *copy = g_memdup2 (chunk, sizeof *chunk);

  g_bytes_ref (copy->data);
  return copy;
}

void
image_chunk_free (ImageChunk *chunk)
{
  if (chunk == NULL)
    return;
  g_bytes_unref (chunk->data);
  g_free (chunk);
}

GPtrArray *
image_chunks_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) image_chunk_free);
}

GPtrArray *
image_chunks_copy (const GPtrArray *chunks)
{
  GPtrArray *copy = image_chunks_new ();

  for (guint i = 0; chunks != NULL && i < chunks->len; i++)
    g_ptr_array_add (copy, chunk_copy (chunks->pdata[i]));
  return copy;
}

ImageChunk *
image_chunks_find (const GPtrArray *chunks, const char *name)
{
  for (guint i = 0; chunks != NULL && i < chunks->len; i++) {
    ImageChunk *chunk = chunks->pdata[i];

    if (g_str_equal (chunk->name, name))
      return chunk;
  }
  return NULL;
}

void
image_chunks_remove (GPtrArray *chunks, const char *name)
{
  ImageChunk *chunk;

  while ((chunk = image_chunks_find (chunks, name)) != NULL)
    g_ptr_array_remove (chunks, chunk);
}

void
image_leave_out (ImageMeta *meta, const char *what)
{
  if (meta->left_out == NULL)
    meta->left_out = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (meta->left_out, g_strdup (what));
}

static gboolean
has_key_colour (const Image *image, const guint16 *pixel)
{
  return image->meta.has_key
         && memcmp (pixel, image->meta.key,
                    (gsize) image_colours (image) * sizeof *pixel)
              == 0;
}

gboolean
image_is_transparent (const Image *image, gsize i)
{
  const guint16 *pixel = image->samples + i * (gsize) image->channels;

  if (image_has_alpha (image))
    return pixel[image->channels - 1] == 0;
  return has_key_colour (image, pixel);
}

void
image_avoid_key (Image *image, gsize i)
{
  guint16 *pixel = image->samples + i * (gsize) image->channels;
  guint16 *last = pixel + image_colours (image) - 1; /* least visible */

  if (has_key_colour (image, pixel))
    *last = (guint16) (*last > 0 ? *last - 1 : *last + 1);
}

void
image_forget_compression (Image *image)
{
  image->meta.has_steps = FALSE;
  image->meta.cell_width = image->meta.cell_height = 0;
}

void
image_drop_palette (Image *image)
{
  if (image->palette == NULL)
    return;
  g_clear_pointer (&image->palette, free_palette);
  for (gsize i = 0; i < G_N_ELEMENTS (palette_chunks); i++)
    image_chunks_remove (image->meta.chunks, palette_chunks[i]);
}

void
image_make_opaque (Image *image, const ImageArea *area)
{
  if (!image_has_alpha (image))
    return;
  for (int y = area->y; y < area->y + area->height; y++) {
    guint16 *alpha = image_pixel (image, area->x, y) + image->channels - 1;

    for (int i = 0; i < area->width; i++, alpha += image->channels)
      if (*alpha == 0)
        *alpha = (guint16) image_peak (image);
  }
}

void
image_swap (Image *a, Image *b)
{
  Image c = *a;

  *a = *b;
  *b = c;
}
