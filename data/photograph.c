/* photograph.c - pictures of the programs that prepare data; see the header */
#include "data/photograph.h"

#include "imaging/codec/codec.h"

Image *
photograph_read (const char *path, GError **error)
{
  char *data;
  gsize size;
  g_autoptr (GBytes) bytes = NULL;

  if (!g_file_get_contents (path, &data, &size, error))
    return NULL;
  bytes = g_bytes_new_take (data, size);
  return image_decode (bytes, path, &IMAGE_LIMITS_DEFAULTS, error);
}

Image *
photograph_halve (const Image *image, GError **error)
{
  Image *half = image_new (image->width / 2, image->height / 2,
                           image->channels, image->depth, error);

  for (int y = 0; half != NULL && y < half->height; y++)
    for (int x = 0; x < half->width; x++)
      for (int c = 0; c < half->channels; c++) {
        int sum = image_pixel (image, 2 * x, 2 * y)[c]
                  + image_pixel (image, 2 * x + 1, 2 * y)[c]
                  + image_pixel (image, 2 * x, 2 * y + 1)[c]
                  + image_pixel (image, 2 * x + 1, 2 * y + 1)[c];

        image_pixel (half, x, y)[c] = (guint16) ((sum + 2) / 4);
      }
  return half;
}
