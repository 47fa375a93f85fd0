#include "imaging/detect/bridge.h"

/* Sums over the nearest pixels of a marked one. */
typedef struct {
  float colours[3], weights;
} Bridge;

/* Adds the first pixel that is not marked from @x, @y on, by @dx, @dy. */
static void
add_nearest (const Image *image, const Mask *mask, int x, int y, int dx,
             int dy, Bridge *bridge)
{
  for (int step = 1; step <= BRIDGE_REACH; step++) {
    int col = x + step * dx, row = y + step * dy;
    const guint16 *pixel;

    if (col < 0 || row < 0 || col >= image->width || row >= image->height)
      return;
    if (mask->missing[(gsize) row * (gsize) image->width + (gsize) col])
      continue;
    pixel = image_pixel (image, col, row);
    for (int c = 0; c < image_colours (image); c++)
      bridge->colours[c] += (float) pixel[c] / (float) step;
    bridge->weights += 1 / (float) step;
    return;
  }
}

Image *
image_bridge (const Image *image, const Mask *mask, GError **error)
{
  Image *copy = image_copy (image, error);

  if (copy == NULL)
    return NULL;
  for (gsize i = 0; i < image_pixels (image); i++) {
    Bridge bridge = { 0 };
    int x, y;

    if (!mask->missing[i])
      continue;
    x = (int) (i % (gsize) image->width);
    y = (int) (i / (gsize) image->width);
    add_nearest (image, mask, x, y, -1, 0, &bridge);
    add_nearest (image, mask, x, y, 1, 0, &bridge);
    add_nearest (image, mask, x, y, 0, -1, &bridge);
    add_nearest (image, mask, x, y, 0, 1, &bridge);
    for (int c = 0; c < image_colours (image) && bridge.weights > 0; c++)
      image_pixel (copy, x, y)[c] =
        (guint16) (bridge.colours[c] / bridge.weights + 0.5f);
  }
  return copy;
}
