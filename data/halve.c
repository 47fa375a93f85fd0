/* halve.c - the middle of a picture at half its size
 *
 *     halve IN OUT.png
 *
 * Averages of 2 x 2 pixels, which remove the traces of JPEG compression; of
 * the result the middle 150 x 150 pixels are written.  For standin.sh.
 */
#include "data/photograph.h"
#include "imaging/codec/codec.h"

#include <stdio.h>

#define SIDE 150

static GBytes *
convert (const char *path, GError **error)
{
  g_autoptr (Image) image = photograph_read (path, error);
  g_autoptr (Image) half = NULL, middle = NULL;

  if (image == NULL)
    return NULL;
  half = photograph_halve (image, error);
  if (half == NULL)
    return NULL;
  middle = image_middle (half, SIDE, error);
  if (middle == NULL)
    return NULL;
  return image_encode (middle, TESSERA_PNG, &ENCODE_DEFAULTS, error);
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
