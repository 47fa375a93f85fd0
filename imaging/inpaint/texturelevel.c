#include "imaging/inpaint/texturelevel.h"

#include <math.h>
#include <string.h>

/* What a sample counts at least when patches are compared. */
#define LEAST_TRUST 0.01f

/* What activity is multiplied by, to be compared with colours.  Chosen by eye
 * on holes in the bundled photographs: without it, snow and lava end as smooth
 * grey. */
#define ACTIVITY_SCALE 4.f

static gboolean
level_init (TextureLevel *level, int width, int height, int channels)
{
  gsize pixels = (gsize) width * (gsize) height;

  *level =
    (TextureLevel){ .width = width, .height = height, .channels = channels };
  level->values = g_try_new0 (float, pixels *(gsize) channels);
  level->missing = g_try_malloc0 (pixels);
  level->wanted = g_try_malloc0 (pixels);
  level->depth = g_try_new0 (float, pixels);
  level->trust = g_try_new0 (float, pixels *(gsize) channels);
  return level->values != NULL && level->missing != NULL
         && level->wanted != NULL && level->depth != NULL
         && level->trust != NULL;
}

void
texture_level_clear (TextureLevel *level)
{
  g_free (level->values);
  g_free (level->missing);
  g_free (level->wanted);
  g_free (level->depth);
  g_free (level->trust);
}

static void
set_trust (TextureLevel *level)
{
  gsize n = (gsize) level->channels;

  for (gsize i = 0; i < (gsize) level->width * (gsize) level->height; i++) {
    float trust = powf (TEXTURE_FALL, level->depth[i]);

    for (gsize c = 0; c < n; c++)
      level->trust[i * n + c] = MAX (trust, LEAST_TRUST);
  }
}

/* Pixel (@x, @y) of @to from the four, or fewer, pixels of @from below it. */
static void
halve_pixel (const TextureLevel *from, TextureLevel *to, int x, int y)
{
  gsize i = (gsize) y * (gsize) to->width + (gsize) x;
  int count = 0;

  for (int row = 2 * y; row < MIN (2 * y + 2, from->height); row++)
    for (int col = 2 * x; col < MIN (2 * x + 2, from->width); col++) {
      gsize j = (gsize) row * (gsize) from->width + (gsize) col;

      for (int c = 0; c < to->channels; c++)
        to->values[i * (gsize) to->channels + (gsize) c] +=
          from->values[j * (gsize) to->channels + (gsize) c];
      to->missing[i] |= from->missing[j];
      to->wanted[i] |= from->wanted[j];
      to->depth[i] = MAX (to->depth[i], from->depth[j] / 2);
      count++;
    }
  for (int c = 0; c < to->channels; c++)
    to->values[i * (gsize) to->channels + (gsize) c] /= (float) count;
}

gboolean
texture_level_halve (const TextureLevel *from, TextureLevel *to)
{
  if (!level_init (to, (from->width + 1) / 2, (from->height + 1) / 2,
                   from->channels))
    return FALSE;
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++)
      halve_pixel (from, to, x, y);
  set_trust (to);
  return TRUE;
}

gboolean
texture_level_from_region (TextureLevel *level, const Region *region,
                           const float *activity)
{
  gsize pixels = region_pixels (region), colours = (gsize) region->channels;
  gsize n = colours + ACTIVITY_CHANNELS;

  if (!level_init (level, region->width, region->height, (int) n))
    return FALSE;
  for (gsize i = 0; i < pixels; i++) {
    for (gsize c = 0; c < colours; c++)
      level->values[i * n + c] = region->values[i * colours + c];
    for (gsize k = 0; k < ACTIVITY_CHANNELS; k++)
      level->values[i * n + colours + k] =
        ACTIVITY_SCALE * activity[i * ACTIVITY_CHANNELS + k];
  }
  memcpy (level->missing, region->missing, pixels);
  memcpy (level->wanted, region->wanted, pixels);
  memcpy (level->depth, region->depth, pixels * sizeof (float));
  set_trust (level);
  return TRUE;
}

/* Sample @c of @level at (@x, @y), by bilinear interpolation. */
static float
sample_at (const TextureLevel *level, float x, float y, int c)
{
  int left = CLAMP ((int) floorf (x), 0, level->width - 1);
  int top = CLAMP ((int) floorf (y), 0, level->height - 1);
  int right = MIN (left + 1, level->width - 1);
  int bottom = MIN (top + 1, level->height - 1);
  float u = CLAMP (x - (float) left, 0, 1), v = CLAMP (y - (float) top, 0, 1);
  const float *values = level->values + c;
  gsize n = (gsize) level->channels, stride = (gsize) level->width * n;

#define AT(col, row) values[(gsize) (row) *stride + (gsize) (col) *n]
  return (1 - v) * ((1 - u) * AT (left, top) + u * AT (right, top))
         + v * ((1 - u) * AT (left, bottom) + u * AT (right, bottom));
#undef AT
}

void
texture_level_mix_into (const TextureLevel *level, int number, Region *region,
                        float share)
{
  float scale = 1 / (float) (1 << number);

  for (int y = 0; y < region->height; y++)
    for (int x = 0; x < region->width; x++) {
      gsize i = (gsize) y * (gsize) region->width + (gsize) x;

      for (int c = 0; region->wanted[i] && c < region->channels; c++) {
        float *value =
          region->values + i * (gsize) region->channels + (gsize) c;

        *value += share
                  * (sample_at (level, ((float) x + 0.5f) * scale - 0.5f,
                                ((float) y + 0.5f) * scale - 0.5f, c)
                     - *value);
      }
    }
}
