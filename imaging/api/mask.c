#include "imaging/mask.h"

#include "imaging/api/api.h"

#include <string.h>

/* All bits that a byte of a mask may have. */
#define KNOWN_BITS                                                            \
  (MASK_PIXEL | MASK_CHANNEL (0) | MASK_CHANNEL (1) | MASK_CHANNEL (2)        \
   | MASK_THROUGH)

G_STATIC_ASSERT (TESSERA_MASK_PIXEL == MASK_PIXEL);
G_STATIC_ASSERT (TESSERA_MASK_CHANNEL (2) == MASK_CHANNEL (2));
G_STATIC_ASSERT (TESSERA_MASK_THROUGH == MASK_THROUGH);

TesseraMask *
tessera_mask_new (int width, int height, GError **error)
{
  if (width >= 1 && height >= 1)
    return mask_new (width, height, error);
  tessera_fail (error, TESSERA_ERROR_USAGE,
                "there are no masks of %d x %d pixels", width, height);
  return NULL;
}

TesseraMask *
tessera_mask_copy (const TesseraMask *mask, GError **error)
{
  TesseraMask *copy;

  g_return_val_if_fail (mask != NULL, NULL);

  copy = mask_new (mask->width, mask->height, error);
  if (copy != NULL)
    mask_add (copy, mask);
  return copy;
}

void
tessera_mask_free (TesseraMask *mask)
{
  mask_free (mask);
}

/* ---- masks and pictures ---- */

TesseraMask *
tessera_mask_from_image (const TesseraImage *image,
                         TesseraMaskChannels channels, GError **error)
{
  static const MaskColours ways[] = { [TESSERA_MASK_AUTO] = MASK_AUTO,
                                      [TESSERA_MASK_TOGETHER] = MASK_TOGETHER,
                                      [TESSERA_MASK_SEPARATE] =
                                        MASK_SEPARATE };

  g_return_val_if_fail (image != NULL, NULL);

  if ((guint) channels < G_N_ELEMENTS (ways))
    return mask_from_picture (image, ways[channels], error);
  tessera_fail (error, TESSERA_ERROR_USAGE,
                "there is no way %d to understand the channels of a mask",
                (int) channels);
  return NULL;
}

TesseraMask *
tessera_mask_from_rgb (const TesseraImage *image, int red, int green, int blue,
                       GError **error)
{
  const guint8 rgb[] = { (guint8) red, (guint8) green, (guint8) blue };

  g_return_val_if_fail (image != NULL, NULL);

  if (rgb[0] == red && rgb[1] == green && rgb[2] == blue)
    return mask_from_colour (image, rgb, error);
  tessera_fail (error, TESSERA_ERROR_USAGE,
                "(%d, %d, %d) is not a color: give numbers from 0 to 255", red,
                green, blue);
  return NULL;
}

TesseraMask *
tessera_mask_from_alpha (const TesseraImage *image, GError **error)
{
  g_return_val_if_fail (image != NULL, NULL);

  return mask_from_alpha (image, error);
}

TesseraImage *
tessera_mask_to_image (const TesseraMask *mask, GError **error)
{
  g_return_val_if_fail (mask != NULL, NULL);

  return mask_to_picture (mask, error);
}

/* ---- bytes ---- */

int
tessera_mask_width (const TesseraMask *mask)
{
  g_return_val_if_fail (mask != NULL, 0);

  return mask->width;
}

int
tessera_mask_height (const TesseraMask *mask)
{
  g_return_val_if_fail (mask != NULL, 0);

  return mask->height;
}

size_t
tessera_mask_count (const TesseraMask *mask)
{
  g_return_val_if_fail (mask != NULL, 0);

  return mask_count (mask);
}

static guint8 *
row (const TesseraMask *mask, int y)
{
  return mask->missing + (gsize) y * (gsize) mask->width;
}

void
tessera_mask_get (const TesseraMask *mask, uint8_t *data, ptrdiff_t row_stride)
{
  g_return_if_fail (mask != NULL && data != NULL);

  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      data[y * row_stride + x] = row (mask, y)[x] & KNOWN_BITS;
}

/* Without what is unknown, and with MASK_THROUGH only of whole pixels. */
static guint8
known_bits (guint8 missing)
{
  return missing & MASK_PIXEL ? missing & KNOWN_BITS
                              : missing & KNOWN_BITS & ~MASK_THROUGH;
}

void
tessera_mask_set (TesseraMask *mask, const uint8_t *data, ptrdiff_t row_stride)
{
  g_return_if_fail (mask != NULL && data != NULL);

  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      row (mask, y)[x] = known_bits (data[y * row_stride + x]);
}

gboolean
tessera_mask_add (TesseraMask *mask, const TesseraMask *other, GError **error)
{
  g_return_val_if_fail (mask != NULL && other != NULL, FALSE);

  if (mask->width != other->width || mask->height != other->height)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "one mask has %d x %d pixels, the other %d x %d",
                         mask->width, mask->height, other->width,
                         other->height);
  mask_add (mask, other);
  return TRUE;
}
