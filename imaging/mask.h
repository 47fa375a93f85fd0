/* mask.h - which pixels of a picture are missing
 *
 * A mask is as large as the upright picture it belongs to.
 */
#pragma once

#include "imaging/image.h"

typedef struct TesseraMask {
  int width, height;
  guint8 *missing; /* one byte per pixel, row after row: 0 where all is known,
                      else MASK_PIXEL, alone or with MASK_THROUGH, or any of
                      MASK_CHANNEL */
} Mask;

/* The whole pixel is missing, or only its colour number c. */
#define MASK_PIXEL 1
#define MASK_CHANNEL(c) ((guint8) (2 << (c)))

/* With MASK_PIXEL: what is missing lies below a mark that may let something of
 * it through (veil.h), so that the pixel may be looked at. */
#define MASK_THROUGH 16

/* Whether a byte of a mask says that colour @c is missing. */
static inline gboolean
mask_hides (guint8 missing, int c)
{
  return (missing & (MASK_PIXEL | MASK_CHANNEL (c))) != 0;
}

/* A mask with nothing missing.  NULL, with @error set (MEMORY), when there is
 * not enough memory. */
Mask *mask_new (int width, int height, GError **error);

/* @mask may be NULL. */
void mask_free (Mask *mask);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Mask, mask_free)

/* Whether @mask belongs to a picture of that size; else FALSE with @error set
 * (INPUT). */
gboolean mask_check_size (const Mask *mask, int width, int height,
                          GError **error);

/* Number of missing pixels. */
gsize mask_count (const Mask *mask);

/* What is missing of a pixel that two masks name as @a and @b. */
static inline guint8
mask_both (guint8 a, guint8 b)
{
  return (guint8) (a != 0 && b != 0 && !(a & b & MASK_THROUGH)
                     ? (a | b) & ~MASK_THROUGH
                     : a | b);
}

/* Adds @other, of the same size, to @mask.  A pixel that both name may be
 * looked at only if both say so. */
void mask_add (Mask *mask, const Mask *other);

/* A mask of its own; fails like mask_new(). */
Mask *mask_copy (const Mask *mask, GError **error);

/* The most pixels by which marks are widened. */
#define MASK_MOST_WIDENED 16

/* @mask with each mark widened by @reach pixels, 0 .. MASK_MOST_WIDENED, in all
 * directions; marks that then meet are added as by mask_add().  Fails like
 * mask_new(). */
Mask *mask_widened (const Mask *mask, int reach, GError **error);

/* Whether some pixel may be looked at. */
gboolean mask_has_through (const Mask *mask);

/* Says of all pixels that are missing altogether that they may be looked at. */
void mask_see_through (Mask *mask);

/* How the colours of a mask picture are understood. */
typedef enum {
  MASK_AUTO,     /* separately if there are pixels that name red alone, green
                    alone and blue alone, which no hand-painted mask has; never
                    in a JPEG, whose colours are not exact */
  MASK_TOGETHER, /* any colour names the whole pixel */
  MASK_SEPARATE  /* red names red, green green, blue blue */
} MaskColours;

/* The mask in a picture: a visible pixel with a sample above zero is missing.
 * A JPEG is never exactly black, so there the sample must reach half of the
 * range.  Where black, white and the middle grey (#808080) are all there is,
 * grey pixels are MASK_THROUGH; edges of a soft brush have more levels. */
Mask *mask_from_picture (const Image *picture, MaskColours colours,
                         GError **error);

/* Whether some pixels miss only some of their colours. */
gboolean mask_is_partial (const Mask *mask);

/* A black and white picture of @mask, one bit per pixel; in colour if pixels
 * miss only some of theirs, with grey for MASK_THROUGH.  mask_from_picture()
 * gives @mask back. */
Image *mask_to_picture (const Mask *mask, GError **error);

/* Pixels of one colour, given in 8 bits per channel.  In pictures that come
 * from a JPEG, samples may differ by a few levels. */
Mask *mask_from_colour (const Image *image, const guint8 colour[3],
                        GError **error);

/* Pixels that are fully transparent. */
Mask *mask_from_alpha (const Image *image, GError **error);

/* Whether all visible pixels of @image that are not in @ignore, which may be
 * NULL, are grey: one channel, or three that are equal and so have the same
 * noise. */
gboolean image_is_grey (const Image *image, const Mask *ignore);
