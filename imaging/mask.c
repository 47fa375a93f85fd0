#include "imaging/mask.h"

#include "base/cpudispatch.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* How far a JPEG may move a sample of one colour, in levels of 8 bit. */
#define JPEG_TOLERANCE 12

Mask *
mask_new (int width, int height, GError **error)
{
  guint8 *missing = g_try_malloc0_n ((gsize) width, (gsize) height);
  Mask *mask;

  if (missing == NULL) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY,
                 "not enough memory for a mask of %d x %d pixels", width,
                 height);
    return NULL;
  }
  mask = g_new (Mask, 1);
  *mask = (Mask){ width, height, missing };
  return mask;
}

void
mask_free (Mask *mask)
{
  if (mask == NULL)
    return;
  g_free (mask->missing);
  g_free (mask);
}

static gsize
pixels (const Mask *mask)
{
  return (gsize) mask->width * (gsize) mask->height;
}

gboolean
mask_check_size (const Mask *mask, int width, int height, GError **error)
{
  if (mask->width == width && mask->height == height)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
               "the mask has %d x %d pixels but the picture %d x %d; give a "
               "mask of the same size",
               mask->width, mask->height, width, height);
  return FALSE;
}

gsize
mask_count (const Mask *mask)
{
  gsize count = 0;

  for (gsize i = 0; i < pixels (mask); i++)
    count += mask->missing[i] != 0;
  return count;
}

/* Compilers make vectors of this. */
CPU_DISPATCH static void
add_bytes (guint8 *restrict to, const guint8 *restrict from, gsize count)
{
  for (gsize i = 0; i < count; i++)
    to[i] = mask_both (to[i], from[i]);
}

void
mask_add (Mask *mask, const Mask *other)
{
  g_return_if_fail (mask->width == other->width);
  g_return_if_fail (mask->height == other->height);

  add_bytes (mask->missing, other->missing, pixels (mask));
}

Mask *
mask_copy (const Mask *mask, GError **error)
{
  Mask *copy = mask_new (mask->width, mask->height, error);

  if (copy != NULL)
    memcpy (copy->missing, mask->missing, pixels (mask));
  return copy;
}

/* ---- wider marks ---- */

/* Whether a neighbour of (@x, @y) in the picture is marked otherwise. */
static gboolean
is_at_edge (const Mask *mask, int x, int y)
{
  const gsize width = (gsize) mask->width;
  const guint8 own = mask->missing[(gsize) y * width + (gsize) x];

  for (int v = MAX (y - 1, 0); v <= MIN (y + 1, mask->height - 1); v++)
    for (int u = MAX (x - 1, 0); u <= MIN (x + 1, mask->width - 1); u++)
      if (mask->missing[(gsize) v * width + (gsize) u] != own)
        return TRUE;
  return FALSE;
}

/* Adds @missing to all pixels around (@x, @y), those up to half_widths[|v|] to
 * both sides in the row that is v rows away. */
static void
add_around (Mask *mask, int x, int y, int reach, const int *half_widths,
            guint8 missing)
{
  for (int v = MAX (-reach, -y); v <= MIN (reach, mask->height - 1 - y); v++) {
    guint8 *row = mask->missing + (gsize) (y + v) * (gsize) mask->width;
    int half = half_widths[ABS (v)];

    for (int u = MAX (x - half, 0); u <= MIN (x + half, mask->width - 1); u++)
      row[u] = mask_both (row[u], missing);
  }
}

/* Around a pixel lie those whose centres are at most @reach + 1/2 away.  They
 * are also around the neighbour in their direction, so that only edges need
 * be followed. */
Mask *
mask_widened (const Mask *mask, int reach, GError **error)
{
  int half_widths[MASK_MOST_WIDENED + 1];
  Mask *wide;

  g_return_val_if_fail (reach >= 0 && reach <= MASK_MOST_WIDENED, NULL);

  wide = mask_copy (mask, error);
  if (wide == NULL || reach == 0)
    return wide;
  for (int v = 0; v <= reach; v++)
    half_widths[v] = (int) sqrt (reach * (reach + 1) - v * v);
  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++) {
      guint8 own = mask->missing[(gsize) y * (gsize) mask->width + (gsize) x];

      if (own != 0 && is_at_edge (mask, x, y))
        add_around (wide, x, y, reach, half_widths, own);
    }
  return wide;
}

/* ---- marks that may be looked through ---- */

gboolean
mask_has_through (const Mask *mask)
{
  for (gsize i = 0; i < pixels (mask); i++)
    if (mask->missing[i] & MASK_THROUGH)
      return TRUE;
  return FALSE;
}

void
mask_see_through (Mask *mask)
{
  guint8 *missing = mask->missing;

  for (gsize i = 0, count = pixels (mask); i < count; i++)
    missing[i] =
      (guint8) (missing[i] | (missing[i] & MASK_PIXEL ? MASK_THROUGH : 0));
}

/* ---- from pictures and to them ---- */

/* The colours of pixel @i that are bright enough to count. */
static guint8
named_colours (const Image *picture, gsize i, int least)
{
  const guint16 *pixel = picture->samples + i * (gsize) picture->channels;
  guint8 named = 0;

  if (image_is_transparent (picture, i))
    return 0;
  for (int c = 0; c < image_colours (picture); c++)
    if (pixel[c] >= least)
      named = (guint8) (named | MASK_CHANNEL (c));
  return named;
}

#define ALL_COLOURS (MASK_CHANNEL (0) | MASK_CHANNEL (1) | MASK_CHANNEL (2))

/* Whether each colour is named alone somewhere. */
static gboolean
names_single_colours (const Mask *mask)
{
  guint8 alone = 0;

  for (gsize i = 0; i < pixels (mask); i++)
    for (int c = 0; c < 3; c++)
      if (mask->missing[i] == MASK_CHANNEL (c))
        alone = (guint8) (alone | MASK_CHANNEL (c));
  return alone == ALL_COLOURS;
}

/* The grey of pixels that may be looked at. */
static guint16
middle_grey (const Image *picture)
{
  return (guint16) ((128 * image_peak (picture) + 127) / 255);
}

static gboolean
is_middle_grey (const Image *picture, gsize i)
{
  const guint16 *pixel = picture->samples + i * (gsize) picture->channels;

  for (int c = 0; c < image_colours (picture); c++)
    if (pixel[c] != middle_grey (picture))
      return FALSE;
  return TRUE;
}

/* Whether the samples that can be seen are black, white or middle grey. */
static gboolean
has_three_levels (const Image *picture)
{
  int peak = image_peak (picture), grey = middle_grey (picture);

  if (peak < 255 || image_is_lossy (picture))
    return FALSE;
  for (gsize i = 0; i < image_pixels (picture); i++) {
    const guint16 *pixel = picture->samples + i * (gsize) picture->channels;

    for (int c = 0; c < image_colours (picture); c++)
      if (pixel[c] != 0 && pixel[c] != peak && pixel[c] != grey
          && !image_is_transparent (picture, i))
        return FALSE;
  }
  return TRUE;
}

Mask *
mask_from_picture (const Image *picture, MaskColours colours, GError **error)
{
  Mask *mask = mask_new (picture->width, picture->height, error);
  int least =
    image_is_lossy (picture) ? (image_peak (picture) + 1) / 2 : 1;
  gboolean separate;

  if (mask == NULL)
    return NULL;
  for (gsize i = 0; i < pixels (mask); i++)
    mask->missing[i] = named_colours (picture, i, least);
  separate = image_colours (picture) == 3
             && (colours == MASK_SEPARATE
                 || (colours == MASK_AUTO && names_single_colours (mask)
                     && !image_is_lossy (picture)));
  for (gsize i = 0; i < pixels (mask); i++)
    if (mask->missing[i] == ALL_COLOURS || (mask->missing[i] && !separate))
      mask->missing[i] = MASK_PIXEL;
  if (has_three_levels (picture))
    for (gsize i = 0; i < pixels (mask); i++)
      if (mask->missing[i] == MASK_PIXEL && is_middle_grey (picture, i))
        mask->missing[i] |= MASK_THROUGH;
  return mask;
}

gboolean
mask_is_partial (const Mask *mask)
{
  for (gsize i = 0; i < pixels (mask); i++)
    if (mask->missing[i] && !(mask->missing[i] & MASK_PIXEL))
      return TRUE;
  return FALSE;
}

Image *
mask_to_picture (const Mask *mask, GError **error)
{
  gboolean partial = mask_is_partial (mask);
  gboolean has_grey = mask_has_through (mask);
  int channels = partial ? 3 : 1;
  Image *picture = image_new (mask->width, mask->height, channels,
                              partial || has_grey ? 8 : 1, error);

  if (picture == NULL)
    return NULL;
  for (gsize i = 0; i < pixels (mask); i++)
    for (int c = 0; c < channels; c++) {
      guint8 missing = mask->missing[i];

      picture->samples[i * (gsize) channels + (gsize) c] =
        (guint16) (!mask_hides (missing, c)  ? 0
                   : missing & MASK_THROUGH ? middle_grey (picture)
                                            : image_peak (picture));
    }
  return picture;
}

Mask *
mask_from_colour (const Image *image, const guint8 colour[3], GError **error)
{
  Mask *mask = mask_new (image->width, image->height, error);
  int peak = image_peak (image);
  int tolerance =
    image_is_lossy (image) ? JPEG_TOLERANCE * peak / 255 : 0;

  if (mask == NULL)
    return NULL;
  for (gsize i = 0; i < pixels (mask); i++) {
    const guint16 *pixel = image->samples + i * (gsize) image->channels;
    gboolean same = TRUE;

    /* A grey sample stands for all three colours. */
    for (int c = 0; c < 3; c++) {
      int wanted = (colour[c] * peak + 127) / 255;

      same &= ABS (pixel[c % image_colours (image)] - wanted) <= tolerance;
    }
    mask->missing[i] = same ? 1 : 0;
  }
  return mask;
}

Mask *
mask_from_alpha (const Image *image, GError **error)
{
  Mask *mask = mask_new (image->width, image->height, error);

  if (mask == NULL)
    return NULL;
  for (gsize i = 0; i < pixels (mask); i++)
    mask->missing[i] = image_is_transparent (image, i) ? 1 : 0;
  return mask;
}

gboolean
image_is_grey (const Image *image, const Mask *ignore)
{
  if (image_colours (image) == 1)
    return TRUE;
  for (gsize i = 0; i < image_pixels (image); i++) {
    const guint16 *pixel = image->samples + i * (gsize) image->channels;

    if ((pixel[0] != pixel[1] || pixel[0] != pixel[2])
        && (ignore == NULL || !ignore->missing[i])
        && !image_is_transparent (image, i))
      return FALSE;
  }
  return TRUE;
}
