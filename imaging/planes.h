/* planes.h - a picture as floats, one plane per channel
 *
 * Black is 0 and white is 1, whatever the bit depth.
 */
#pragma once

#include "imaging/image.h"

typedef struct {
  int width, height, channels;
  float *data; /* plane after plane, each row after row */
} Planes;

/* Zero planes.  NULL, with @error set (MEMORY), when there is not enough
 * memory. */
Planes *planes_new (int width, int height, int channels, GError **error);

/* @planes may be NULL. */
void planes_free (Planes *planes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Planes, planes_free)

static inline gsize
planes_samples (const Planes *planes)
{
  return (gsize) planes->width * (gsize) planes->height
         * (gsize) planes->channels;
}

static inline float *
planes_at (const Planes *planes, int channel, int x, int y)
{
  return planes->data
         + ((gsize) channel * (gsize) planes->height + (gsize) y)
             * (gsize) planes->width
         + x;
}

/* The sample of @image that is nearest to @value. */
static inline guint16
planes_to_sample (const Image *image, float value)
{
  int peak = image_peak (image);
  float scaled = value * (float) peak + 0.5f;

  /* Written so that NaN becomes black. */
  return (guint16) (scaled > 0 ? MIN (scaled, (float) peak) : 0);
}

/* Copies the @patch x @patch pixels of all channels at @x, @y to @to, plane
 * after plane. */
void planes_get_patch (const Planes *planes, int x, int y, int patch,
                       float *to);
