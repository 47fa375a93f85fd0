#include "app/mend/removed.h"

#define MIDDLE_GREY 128
#define GAIN 4

Image *
draw_removed (const Image *before, const Image *after, GError **error)
{
  int colours = image_colours (before), peak = image_peak (before);
  Image *removed =
    image_new (before->width, before->height, colours, 8, error);

  for (gsize i = 0; removed != NULL && i < image_pixels (before); i++)
    for (int c = 0; c < colours; c++) {
      gsize at = i * (gsize) before->channels + (gsize) c;
      int difference = before->samples[at] - after->samples[at];
      int value = MIDDLE_GREY + GAIN * difference * 255 / peak;

      removed->samples[i * (gsize) colours + (gsize) c] =
        (guint16) CLAMP (value, 0, 255);
    }
  return removed;
}
