/* halve.c - the middle of a picture at half its size
 *
 *     halve IN OUT.png
 *
 * Every 2 x 2 square of pixels becomes its average, rounded half up, each
 * colour by itself, which removes the traces of JPEG compression; of the
 * result the middle 150 x 150 pixels are written.  For standin.sh.
 */
#include "imaging/codec/codec.h"

#include <stdio.h>

#define SIDE 150

static Image *
halve (const Image *image, GError **error)
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

static GBytes *
convert (const char *path, GError **error)
{
  char *data;
  gsize size;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (Image) image = NULL, half = NULL, middle = NULL;

  if (!g_file_get_contents (path, &data, &size, error))
    return NULL;
  bytes = g_bytes_new_take (data, size);
  image = image_decode (bytes, path, &IMAGE_LIMITS_DEFAULTS, error);
  if (image == NULL)
    return NULL;
  half = halve (image, error);
  if (half == NULL)
    return NULL;
  middle = image_middle (half, SIDE, error);
  if (middle == NULL)
    return NULL;
  return image_encode (middle, IMAGE_PNG, &ENCODE_DEFAULTS, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) png = NULL;

  if (argc != 3) {
    fputs ("usage: halve IN OUT.png\n", stderr);
    return 2;
  }
  png = convert (argv[1], &error);
  if (png != NULL
      && g_file_set_contents (argv[2], g_bytes_get_data (png, NULL),
                              (gssize) g_bytes_get_size (png), &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
