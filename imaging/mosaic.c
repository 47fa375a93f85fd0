#include "imaging/mosaic.h"

#include <float.h>
#include <math.h>

/* Darker than the grey of zero, so that the tiles stand out. */
#define LINE_LEVEL 40

/* Draws atom @number of @dictionary with its corner at @left, @top. */
static void
draw_atom (const Dictionary *dictionary, int number, int zoom, int left,
           int top, Image *mosaic)
{
  const float *atom = matf_at (&dictionary->atoms, 0, number);
  int patch = dictionary->patch, channels = dictionary->channels;
  float largest = FLT_MIN; /* an atom may be zero */

  for (int i = 0; i < dictionary->atoms.rows; i++)
    largest = MAX (largest, fabsf (atom[i]));
  for (int y = 0; y < patch * zoom; y++)
    for (int x = 0; x < patch * zoom; x++)
      for (int c = 0; c < channels; c++) {
        float value = atom[(c * patch + y / zoom) * patch + x / zoom];

        image_pixel (mosaic, left + x, top + y)[c] =
          (guint16) lroundf (127.5f + 127.5f * value / largest);
      }
}

Image *
dictionary_mosaic (const Dictionary *dictionary, int zoom, GError **error)
{
  int atoms = dictionary->atoms.cols;
  int across = (int) ceil (sqrt (atoms));
  int down = (atoms + across - 1) / across;
  int tile = dictionary->patch * zoom + 1;
  Image *mosaic = image_new (across * tile + 1, down * tile + 1,
                             dictionary->channels, 8, error);

  if (mosaic == NULL)
    return NULL;
  for (gsize i = 0; i < image_pixels (mosaic) * (gsize) mosaic->channels; i++)
    mosaic->samples[i] = LINE_LEVEL;
  for (int a = 0; a < atoms; a++)
    draw_atom (dictionary, a, zoom, a % across * tile + 1,
               a / across * tile + 1, mosaic);
  return mosaic;
}
