/* apiphoto.h - what the tests of the public interface share */
#pragma once

#include "include/tessera.h"

#define PHOTO "data/photos/beach4.png"

/* The upper left of a photograph, which is soon restored. */
static inline TesseraImage *
read_photo (void)
{
  g_autoptr (GError) error = NULL;
  TesseraImage *image = tessera_image_read (PHOTO, NULL, &error);
  TesseraImage *part = tessera_image_new (100, 80, 3, 8, NULL);
  int width = image != NULL ? tessera_image_width (image) : 0;
  g_autofree guint8 *data = NULL;
  TesseraPixels pixels = { NULL, TESSERA_UINT8, 3 * width, 3, 1 };

  g_assert_no_error (error);
  pixels.data = data =
    g_malloc ((gsize) (width * tessera_image_height (image) * 3));
  g_assert_true (tessera_image_get_pixels (image, &pixels, NULL));
  g_assert_true (tessera_image_set_pixels (part, &pixels, NULL));
  tessera_image_free (image);
  return part;
}

/* A photograph with blocks missing; the caller frees both. */
static inline TesseraImage *
damaged_photo (TesseraMask **missing)
{
  TesseraDamageOptions damage = { .size = sizeof damage,
                                  .missing = 0.2,
                                  .block_side = 8,
                                  .block_count = 9,
                                  .seed = 3 };
  TesseraImage *clean = read_photo ();
  TesseraImage *image = tessera_damage (clean, &damage, missing, NULL);

  g_assert_nonnull (image);
  tessera_image_free (clean);
  return image;
}

/* The bytes of a PNG of @image. */
static inline GBytes *
png_of (const TesseraImage *image)
{
  TesseraWriteOptions options = { .size = sizeof options,
                                  .format = TESSERA_PNG };
  g_autoptr (GError) error = NULL;
  gsize size;
  gpointer data = tessera_image_encode (image, &options, &size, &error);

  g_assert_no_error (error);
  return g_bytes_new_with_free_func (data, size, tessera_free, data);
}
