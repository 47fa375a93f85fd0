#include "imaging/halve.h"

/* Of a pixel: the colours of the visible ones of four, and how many. */
typedef struct {
  float sum[3];
  int seen;
} Four;

static Four
add_up (const Image *image, int colours, int left, int top)
{
  Four four = { 0 };

  for (int y = top; y < MIN (top + 2, image->height); y++)
    for (int x = left; x < MIN (left + 2, image->width); x++) {
      gsize i = (gsize) y * (gsize) image->width + (gsize) x;

      if (image_is_transparent (image, i))
        continue;
      four.seen++;
      for (int c = 0; c < colours; c++)
        four.sum[c] += (float) image_pixel (image, x, y)[c];
    }
  return four;
}

Image *
image_halve (const Image *image, int colours, const float hidden[3],
             GError **error)
{
  int width = (image->width + 1) / 2, height = (image->height + 1) / 2;
  float peak = (float) image_peak (image);
  Image *half = image_new (width, height, colours, 16, error);

  if (half == NULL)
    return NULL;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      Four four = add_up (image, colours, 2 * x, 2 * y);

      for (int c = 0; c < colours; c++)
        image_pixel (half, x, y)[c] = planes_to_sample (
          half, four.seen > 0 ? four.sum[c] / (peak * (float) four.seen)
                              : hidden[c]);
    }
  return half;
}

Mask *
image_halve_mask (const Image *image, const Mask *ignore, GError **error)
{
  int width = (image->width + 1) / 2, height = (image->height + 1) / 2;
  Mask *half = mask_new (width, height, error);

  if (half == NULL)
    return NULL;
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) {
      gsize i = (gsize) y * (gsize) image->width + (gsize) x;

      if ((ignore != NULL && ignore->missing[i])
          || image_is_transparent (image, i))
        half->missing[(gsize) (y / 2) * (gsize) width + (gsize) (x / 2)] =
          MASK_PIXEL;
    }
  return half;
}

static float
difference_at (const Image *a, const Image *b, int colour, int x, int y)
{
  return (float) (image_pixel (b, x, y)[colour]
                  - image_pixel (a, x, y)[colour]);
}

float
halved_difference (const Image *a, const Image *b, int colour, int x, int y)
{
  int near_x = x / 2, far_x = near_x + (x % 2 == 0 ? -1 : 1);
  int near_y = y / 2, far_y = near_y + (y % 2 == 0 ? -1 : 1);
  float near, far;

  far_x = CLAMP (far_x, 0, a->width - 1);
  far_y = CLAMP (far_y, 0, a->height - 1);
  near = 0.75f * difference_at (a, b, colour, near_x, near_y)
         + 0.25f * difference_at (a, b, colour, far_x, near_y);
  far = 0.75f * difference_at (a, b, colour, near_x, far_y)
        + 0.25f * difference_at (a, b, colour, far_x, far_y);
  return (0.75f * near + 0.25f * far) / (float) image_peak (a);
}
