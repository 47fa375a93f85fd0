#include "imaging/preview.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* One row of the preview while it is summed up: for each pixel the sums of
 * its colours, each times its weight, and the sum of the weights. */
#define SLOTS 4 /* three colours at the most, and the weight */

typedef struct {
  const Image *image;
  const ImageArea *area;
  Image *preview;
  guint64 *sums; /* SLOTS for each pixel of a row */
} Scaling;

static gboolean
may_be_transparent (const Image *image)
{
  return image_has_alpha (image) || image->meta.has_key;
}

/* How much of pixel @i can be seen, 0 .. the largest value of a sample. */
static guint64
weight_of (const Image *image, gsize i)
{
  gsize last = (i + 1) * (gsize) image->channels - 1;

  if (image_has_alpha (image))
    return image->samples[last];
  return image_is_transparent (image, i) ? 0 : (guint64) image_peak (image);
}

/* The first source pixel of preview pixel @i, along a side of @from pixels
 * that becomes one of @to. */
static int
border (int i, int from, int to)
{
  return (int) ((gint64) i * from / to);
}

/* Adds the pixels of source row @y, all of which can be seen. */
static void
add_opaque_row (const Scaling *s, int y)
{
  const guint16 *pixel = image_pixel (s->image, s->area->x, y);
  int colours = s->image->channels;

  for (int i = 0; i < s->preview->width; i++) {
    int end = border (i + 1, s->area->width, s->preview->width);
    guint64 *sum = s->sums + (gsize) i * SLOTS;

    for (int x = border (i, s->area->width, s->preview->width); x < end; x++) {
      for (int c = 0; c < colours; c++)
        sum[c] += pixel[c];
      sum[SLOTS - 1]++;
      pixel += colours;
    }
  }
}

static void
add_weighted_row (const Scaling *s, int y)
{
  const Image *image = s->image;

  for (int i = 0; i < s->preview->width; i++) {
    int end = border (i + 1, s->area->width, s->preview->width);
    guint64 *sum = s->sums + (gsize) i * SLOTS;

    for (int x = border (i, s->area->width, s->preview->width); x < end; x++) {
      gsize at = (gsize) y * (gsize) image->width + (gsize) (s->area->x + x);
      const guint16 *pixel = image->samples + at * (gsize) image->channels;
      guint64 weight = weight_of (image, at);

      for (int c = 0; c < image_colours (image); c++)
        sum[c] += weight * pixel[c];
      sum[SLOTS - 1] += weight;
    }
  }
}

static guint16
to_8_bit (double value, int peak)
{
  return (guint16) lround (value * 255 / peak);
}

/* Divides the sums of preview row @j by their weights. @rows is the number of
 * source rows in it. */
static void
finish_row (const Scaling *s, int j, int rows)
{
  int peak = image_peak (s->image), colours = image_colours (s->image);

  for (int i = 0; i < s->preview->width; i++) {
    const guint64 *sum = s->sums + (gsize) i * SLOTS;
    guint16 *pixel = image_pixel (s->preview, i, j);
    int columns = border (i + 1, s->area->width, s->preview->width)
                  - border (i, s->area->width, s->preview->width);
    double weight = (double) sum[SLOTS - 1];

    for (int c = 0; c < colours; c++)
      pixel[c] =
        weight > 0 ? to_8_bit ((double) sum[c] / weight, peak) : (guint16) 0;
    if (image_has_alpha (s->preview))
      pixel[colours] = to_8_bit (weight / rows / columns, peak);
  }
}

static void
scale_row (const Scaling *s, int j)
{
  int first = border (j, s->area->height, s->preview->height);
  int end = border (j + 1, s->area->height, s->preview->height);

  memset (s->sums, 0, (gsize) s->preview->width * SLOTS * sizeof *s->sums);
  for (int y = first; y < end; y++)
    if (image_has_alpha (s->preview))
      add_weighted_row (s, s->area->y + y);
    else
      add_opaque_row (s, s->area->y + y);
  finish_row (s, j, end - first);
}

/* @side scaled as much as @longest has to be to fit into @max_side. */
static int
shrink (int side, int longest, int max_side)
{
  if (longest <= max_side)
    return side;
  return MAX (1, (int) ((gint64) side * max_side / longest));
}

Image *
image_preview (const Image *image, const ImageArea *area, int max_side,
               GError **error)
{
  int longest = MAX (area->width, area->height);
  int channels = image_colours (image) + may_be_transparent (image);
  Scaling s = { .image = image, .area = area };

  g_return_val_if_fail (area->x >= 0 && area->width >= 1, NULL);
  g_return_val_if_fail (area->y >= 0 && area->height >= 1, NULL);
  g_return_val_if_fail (area->x <= image->width - area->width, NULL);
  g_return_val_if_fail (area->y <= image->height - area->height, NULL);

  s.preview =
    image_new (shrink (area->width, longest, max_side),
               shrink (area->height, longest, max_side), channels, 8, error);
  if (s.preview == NULL)
    return NULL;
  s.sums = tessera_try_new (guint64, (gsize) s.preview->width * SLOTS,
                            "a preview", error);
  if (s.sums == NULL) {
    image_free (s.preview);
    return NULL;
  }
  for (int j = 0; j < s.preview->height; j++)
    scale_row (&s, j);
  g_free (s.sums);
  if (image->meta.icc != NULL)
    s.preview->meta.icc = g_bytes_ref (image->meta.icc);
  return s.preview;
}
